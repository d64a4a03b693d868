/**
 * Where svc's own files are. The sources (`lib/`) and the built program (`dist/`) both lie one folder below the root of
 * the checkout, and the modules of the built program keep their paths.
 */
const ROOT = new URL("../", import.meta.url);

/** Whether this is part of what `deno task build` makes. */
const IS_BUILT = import.meta.url.endsWith(".js");

/** The address of a file of the checkout or the published package, from its path there. */
export function ownFile(path: string): URL {
  return new URL(path, ROOT);
}

/** The address of a module, from its path; in the built program that of the built module. */
export function ownModule(path: string): URL {
  return IS_BUILT ? builtModule(path, import.meta.url) : ownFile(path);
}

/** The address of a built module, from its path and the address of another one in the same folder. */
export function builtModule(path: string, beside: string): URL {
  return new URL(path.replace(/\.ts$/, ".js"), beside);
}
