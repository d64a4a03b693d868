/** Computes the SHA-256 digest of bytes. */
export async function sha256(bytes: Uint8Array<ArrayBuffer> | ArrayBuffer): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** Computes the SHA-256 digest of a text in UTF-8. */
export async function sha256Text(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return await sha256(new TextEncoder().encode(text));
}
