/** Lists the TypeScript files of a folder and its folders, always in the same order. */
export function listFiles(checkout: string, folder: string): string[] {
  return [...Deno.readDirSync(`${checkout}/${folder}`)]
    .toSorted((one, other) => one.name < other.name ? -1 : 1)
    .flatMap(({ name, isDirectory }) => {
      const path = `${folder}/${name}`;
      return isDirectory ? listFiles(checkout, path) : path.endsWith(".ts") ? [path] : [];
    });
}
