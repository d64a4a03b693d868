/** Random secrets and their hashes. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A secret of 256 random bits, in letters that survive a URL, a header and a shell. */
export function randomSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Hashes a secret for storage. A slow hash is not necessary, because 256 random bits cannot be guessed. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** Checks a secret against a hash in constant time. */
export function matchesHash(secret: string, hash: string): boolean {
  const encoder = new TextEncoder();
  const [given, expected] = [encoder.encode(hashSecret(secret)), encoder.encode(hash)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
