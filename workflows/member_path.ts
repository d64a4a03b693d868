/** Paths into JSON, as a person reads them. */

/** How a path goes on to a member of an object: `.name`, or `["another name"]`. */
export function memberPath(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
