/** Random secrets and their hashes. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Creates a secret of 256 random bits, which needs no escaping in a URL, a header or a shell. */
export function createSecret(): string {
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
