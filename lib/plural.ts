/** Numbers of things. */

/** `1 input`, `2 inputs`. */
export function plural(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
