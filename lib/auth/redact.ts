/** Texts of a server that may repeat what it was sent. */

/** The text with a mark where it holds a secret, as it is or percent-encoded. */
export function redact(text: string, secret: string): string {
  return [secret, encodeURIComponent(secret)].reduce((left, part) => left.replaceAll(part, "[REDACTED]"), text);
}
