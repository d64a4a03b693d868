/** The digest of a script: it says whether somebody has changed it. */

/** SHA-256 over the contents of the files, in the order of their paths; where they lie does not matter. */
export async function digestOf(files: readonly string[]): Promise<string> {
  const digests: string[] = [];
  for (const file of [...new Set(files)].sort()) digests.push((await sha256(await Deno.readFile(file))).toHex());
  return (await sha256(new TextEncoder().encode(digests.join("\n")))).toHex();
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
