import { SvcError } from "../errors.ts";

/** Maximum size of a response. It also protects from responses of proxies. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Reads the text of a response. Throws `INVALID_RESPONSE` if it is longer than the limit. */
export async function readText(response: Response, limit = MAX_RESPONSE_BYTES): Promise<string> {
  const { headers } = response;
  // Content-Length is not the size of a compressed body, and does not apply to a chunked one.
  const hasLength = !headers.has("content-encoding") && !headers.has("transfer-encoding");
  const length = hasLength ? Number(headers.get("content-length") ?? NaN) : NaN;
  if (length <= limit || response.body === null) return await response.text();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > limit) {
      throw new SvcError("INVALID_RESPONSE", `The response of the service is longer than ${limit} bytes.`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
