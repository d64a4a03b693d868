/** Reports whether two paths are the same as written, or lead to the same file now. A file need not exist. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  return one === other || await tryResolve(one) === await tryResolve(other);
}

async function tryResolve(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch {
    const { resolve } = await import("node:path"); // Loaded only for a missing file: it takes milliseconds.
    return resolve(path);
  }
}
