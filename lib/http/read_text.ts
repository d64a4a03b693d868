/** The text of an answer, whoever sends it. */
import { SvcError } from "../errors.ts";

/** The most bytes that an answer may have, whether the service or a proxy sends it. */
const ANSWER_LIMIT = 64 * 1024 * 1024;

/** The text of an answer, or `INVALID_RESPONSE` where it is too long. */
export async function readText(response: Response, limit = ANSWER_LIMIT): Promise<string> {
  const { headers } = response;
  // The length of what is compressed says nothing of what comes out of it, and none counts beside chunks.
  const isTold = !headers.has("content-encoding") && !headers.has("transfer-encoding");
  const length = isTold ? Number(headers.get("content-length") ?? NaN) : NaN;
  if (length <= limit || response.body === null) return await response.text();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > limit) {
      throw new SvcError("INVALID_RESPONSE", `The service's answer is longer than ${limit} bytes.`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
