/** Modules that are loaded only when they are needed, and not even looked at before. */
import { SvcError } from "./errors.ts";
import { ownFile, ownModule } from "./own_files.ts";

/**
 * Imports a module that Deno does not see beforehand. It reads all that a literal `import()` names, and all that this
 * names in turn, when the program starts, whether it is executed or not: `svc --version` would read the whole command
 * line, and every command the service with its libraries. In return the program needs the permission to read its own
 * files, or to import them from where it was loaded itself.
 *
 * The type is the caller's to say, as `typeof import()` of the module at the path: that makes `deno install` fetch the
 * module with the rest of a published svc. `deno task build` finds the calls by their literal paths, and makes a file of
 * its own of each module.
 */
export async function importUnseen<T>(path: string): Promise<T> {
  return await explained(import(ownModule(path).href));
}

/** The source of a file of ours, as Deno has it in its cache: nothing of it is executed. */
export async function readSource(path: string): Promise<unknown> {
  const module: { default: unknown } = await explained(import(ownFile(path).href, { with: { type: "text" } }));
  return module.default;
}

async function explained<T>(loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (error) {
    throw explain(error);
  }
}

/** Why a file of ours is not loaded; what a file that is loaded throws stays as it is. */
function explain(error: unknown): unknown {
  if (!(error instanceof TypeError)) return error;
  const { message } = error;
  if (message.startsWith("Requires read access")) {
    return new SvcError("PERMISSION_DENIED", message, {
      cause: error,
      hint: "svc loads its own files when it needs them: allow it to read them.",
    });
  }
  if (message.startsWith("Requires import access")) {
    return new SvcError("PERMISSION_DENIED", message, {
      cause: error,
      hint:
        "svc loads its own files when it needs them, from where it was loaded itself: allow it to import from there.",
    });
  }
  if (message.startsWith("Module not found")) {
    return new SvcError("INTERNAL_ERROR", message, {
      cause: error,
      hint: "svc loads its own files when it needs them; a bundle lacks them: run the program as it was written.",
    });
  }
  if (/^Import '[^']*' failed/.test(message)) {
    return new SvcError("NETWORK_ERROR", message.replace(/\s*\n\s*/g, " "), {
      cause: error,
      hint: "svc downloads its own files when it first needs them; it runs without the network afterwards.",
    });
  }
  return error;
}
