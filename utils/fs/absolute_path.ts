import { isAbsolute } from "node:path";

/** Makes a path absolute without following a link, which may have another target when the path is used. */
export function toAbsolutePath(path: string): string {
  return isAbsolute(path) ? path : `${getWorkingDirectory()}/${path.replace(/^(\.\/+)+/, "")}`;
}

/** Returns the working directory. A shell that entered it through a link has the path with the link in PWD. */
function getWorkingDirectory(): string {
  const directory = Deno.cwd();
  const mayRead = Deno.permissions.querySync({ name: "env", variable: "PWD" }).state === "granted";
  const entered = mayRead ? Deno.env.get("PWD") : undefined;
  return entered !== undefined && isAbsolute(entered) && isSameDirectory(entered, directory) ? entered : directory;
}

function isSameDirectory(path: string, directory: string): boolean {
  try {
    return Deno.realPathSync(path) === Deno.realPathSync(directory);
  } catch {
    return false;
  }
}
