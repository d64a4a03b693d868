/** Reloads the application definition when its file changes. */
import { toSvcError } from "../../lib/errors.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";

/** Milliseconds between two checks of the file. Checks also notice files on network drives and replaced links. */
const INTERVAL = 300;

/** Handlers of a changed definition. */
export interface DefinitionWatch {
  /** Loads the file and serves it. Throws if it cannot be served. */
  readonly reload: () => Promise<void>;
  readonly log: Log;
}

/** Watches the file of a definition. If the changed file cannot be served, logs the reasons. */
export async function watchDefinition(file: string, { reload, log }: DefinitionWatch): Promise<AsyncDisposable> {
  let served = await readVersion(file);
  let seen = served;
  const check = async () => {
    const version = await readVersion(file);
    const isComplete = version === seen; // A file that still changes is being written.
    seen = version;
    if (!isComplete || version === undefined || version === served) return; // A missing file is about to be replaced.
    served = version;
    try {
      await reload();
      log(`${file} has changed. The service now uses it.`);
    } catch (error) {
      for (const line of describeFailure(file, error)) log(line, { level: "error" });
    }
  };
  let checking = Promise.resolve();
  let isChecking = false;
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    checking = check()
      .catch((error) => log(`${file} cannot be watched: ${toSvcError(error).message}`, { level: "error" }))
      .finally(() => isChecking = false);
  }, INTERVAL);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await checking;
    },
  };
}

/** Describes why a definition is not served: one line for each issue, and what happens now. */
function describeFailure(file: string, error: unknown): string[] {
  const { message, details = [] } = toSvcError(error);
  const issues = details.map(({ line, column, message }) =>
    line === undefined ? String(message) : `${file}:${line}:${column}: ${message}`
  );
  return [
    ...(issues.length === 0 ? [message] : issues),
    `${file} has changed but cannot be used. The service continues with the previous definition.`,
  ];
}

/** Returns a text that changes with the file, or undefined if there is no file. */
async function readVersion(file: string): Promise<string | undefined> {
  const info = await Deno.stat(file).catch(ignoreMissing);
  return info && [info.mtime?.getTime(), info.size, info.ino].join(" ");
}
