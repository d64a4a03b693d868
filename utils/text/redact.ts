/** Replaces secrets in a text, both as they are and percent-encoded. */
export function redact(text: string, ...secrets: readonly string[]): string {
  const variants = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return variants.reduce((result, variant) => result.replaceAll(variant, "[REDACTED]"), text);
}
