/** Texts of a server that may repeat what it was sent. */

/** The text with a mark where it holds one of the secrets, as it is or percent-encoded. */
export function redact(text: string, ...secrets: readonly string[]): string {
  const parts = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return parts.reduce((left, part) => left.replaceAll(part, "[REDACTED]"), text);
}
