/** Modules that are loaded only when they are needed, and not even looked at before. */
import { SvcError } from "./errors.ts";
import { ownFile, ownModule } from "./own_files.ts";

/** The modules that are loaded in this way. `deno task build` makes a file of its own of each. */
export interface UnseenModules {
  "lib/cli/auth.ts": typeof import("./cli/auth.ts");
  "lib/cli/download.ts": typeof import("./cli/download.ts");
  "lib/cli/interactive.ts": typeof import("./cli/interactive.ts");
  "lib/cli/local_files.ts": typeof import("./cli/local_files.ts");
  "lib/cli/main.ts": typeof import("./cli/main.ts");
  "lib/cli/scanner.ts": typeof import("./cli/scanner.ts");
  "lib/cli/service.ts": typeof import("./cli/service.ts");
  "lib/cli/transfer.ts": typeof import("./cli/transfer.ts");
  "lib/cli/usage_errors.ts": typeof import("./cli/usage_errors.ts");
  "lib/cli/workflow.ts": typeof import("./cli/workflow.ts");
  "lib/client/content.ts": typeof import("./client/content.ts");
  "lib/client/multipart.ts": typeof import("./client/multipart.ts");
  "lib/client/retry.ts": typeof import("./client/retry.ts");
  "lib/output/table.ts": typeof import("./output/table.ts");
  "lib/output/yaml.ts": typeof import("./output/yaml.ts");
}

/**
 * Imports a module that Deno does not see beforehand. It reads all that a literal `import()` names, and all that this
 * names in turn, when the program starts, whether it is executed or not: `svc --version` would read the whole command
 * line, and every command the service with its libraries. In return the program needs the permission to read its own
 * files, or to import them from where it was loaded itself.
 */
export async function importUnseen<Path extends keyof UnseenModules>(path: Path): Promise<UnseenModules[Path]> {
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
  if (/^Import '[^']*' failed/.test(message)) {
    return new SvcError("NETWORK_ERROR", message.replace(/\s*\n\s*/g, " "), {
      cause: error,
      hint: "svc downloads its own files when it first needs them; it runs without the network afterwards.",
    });
  }
  return error;
}
