/**
 * Addresses of files that belong to svc. The sources (`lib/`) and the files of the built program (`dist/`) both lie one
 * folder below the root of the checkout.
 */
const ROOT = new URL("../", import.meta.url);

/** True in the built program. */
const IS_BUILT = import.meta.url.endsWith(".js");

/** Returns the address of a file of the checkout or the published package, given its path there. */
export function ownFile(path: string): URL {
  return new URL(path, ROOT);
}

/** Returns the address of a module that another process starts with; in the built program, that of the built module. */
export function ownModule(path: string): URL {
  return IS_BUILT ? builtModule(path, import.meta.url) : ownFile(path);
}

/** Returns the address of a built module, given its path and the address of a file in the root of the built program. */
export function builtModule(path: string, beside: string): URL {
  return new URL(path.replace(/\.ts$/, ".js"), beside);
}
