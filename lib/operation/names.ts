/** Names in two spellings: `getNext` in TypeScript, `get-next` on the command line and in permissions. */

/** `getNext` as `get-next`. */
export function toKebab(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase());
}

/** `assignments.get-next` for the operation `getNext` of `assignments`. */
export function permissionName(group: string, operation: string): string {
  return `${toKebab(group)}.${toKebab(operation)}`;
}

/** `get-next` as `getNext`. */
export function toCamel(kebab: string): string {
  return kebab.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Finds an entry by its name in either spelling. */
export function entryNamed<T>(entries: Readonly<Record<string, T>>, word: string): T | undefined {
  const name = toCamel(word);
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}
