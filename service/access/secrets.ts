/** Random secrets and their hashes. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A secret of 256 random bits, in letters that survive a URL, a header and a shell. */
export function randomSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of a secret. A slow hash would add nothing: nobody guesses 256 random bits. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** Whether a secret is the one of a hash, in a time that tells nothing about either. */
export function matchesHash(secret: string, hash: string): boolean {
  const encoder = new TextEncoder();
  const [given, expected] = [encoder.encode(hashSecret(secret)), encoder.encode(hash)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
