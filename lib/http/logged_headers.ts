/** Response headers that let others act as the client. */
const SECRET_HEADERS = ["set-cookie", "authentication-info", "proxy-authentication-info"];

/** Lists the headers of a response for a log. `redact` removes secrets from their values. */
export function listLoggedHeaders(headers: Headers, redact: (text: string) => string): Record<string, string> {
  return Object.fromEntries(
    Array.from(headers, ([name, value]) => [name, SECRET_HEADERS.includes(name) ? "[REDACTED]" : redact(value)]),
  );
}
