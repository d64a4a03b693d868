// The root of the checkout. The sources (`lib/`) and the built program (`dist/`) are both one folder below it.
const ROOT = new URL("../", import.meta.url);

const IS_BUILT = import.meta.url.endsWith(".js");

/** Returns the URL of a file of the checkout or the published package. */
export function resolveOwnFile(path: string): URL {
  return new URL(path, ROOT);
}

/** Returns the URL of a module that another process starts with. In the built program this is the built module. */
export function resolveOwnModule(path: string): URL {
  return IS_BUILT ? resolveBuiltModule(path, import.meta.url) : resolveOwnFile(path);
}

/** Returns the URL of a built module, given the URL of a file in the root of the built program. */
export function resolveBuiltModule(path: string, beside: string): URL {
  return new URL(path.replace(/\.ts$/, ".js"), beside);
}
