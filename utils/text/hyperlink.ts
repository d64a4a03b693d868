/**
 * Makes a text that is shown for an http or https address a link of the terminal, so that an address that is wrapped or
 * truncated can still be opened. Other texts stay as they are.
 */
export function linkAddress(address: string, shown: string): string {
  if (!/^https?:\/\/\S+$/.test(address)) return shown;
  const url = URL.parse(address);
  return url === null ? shown : `\x1b]8;;${url.href}\x1b\\${shown}\x1b]8;;\x1b\\`;
}
