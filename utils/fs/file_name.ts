/** Returns the last part of a path, e.g. `new.csv`. */
export function getFileName(path: string): string {
  return path.slice(path.search(/[^\\/]*$/));
}
