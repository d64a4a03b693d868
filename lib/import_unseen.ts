/** Modules that are loaded only when they are needed, and not even looked at before. */
import { SvcError } from "./errors.ts";

/**
 * Imports a module whose address Deno does not see beforehand. It reads all that a literal `import()` names, and all
 * that this names in turn, when the program starts, whether it is executed or not: `svc --version` would read the
 * whole command line, and every command the service with its libraries. In return the program needs the permission to
 * read its own files.
 *
 * The type is the caller's to say, as that of the module at the address.
 */
export async function importUnseen<T>(address: string): Promise<T> {
  try {
    return await import(address);
  } catch (error) {
    if (!(error instanceof TypeError) || !error.message.startsWith("Requires read access")) throw error;
    throw new SvcError("PERMISSION_DENIED", error.message, {
      cause: error,
      hint: "svc loads its own files when it needs them: allow it to read them.",
    });
  }
}
