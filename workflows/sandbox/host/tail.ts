/** The last words of a process. */

/** Bytes of stderr that are kept. */
const STDERR_BYTES = 16 * 1024;

/** The end of what a stream says; all of it is read, so that the process never waits for a reader. */
export async function tailOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let tail = "";
  for await (const bytes of stream) tail = (tail + decoder.decode(bytes, { stream: true })).slice(-STDERR_BYTES);
  return tail;
}
