/** Reads the first chunk of a stream. Resolves with a stream of all its chunks, or rejects if the first cannot be read. */
export async function startStream<T>(stream: ReadableStream<T>): Promise<ReadableStream<T>> {
  const reader = stream.getReader();
  let next: Promise<ReadableStreamReadResult<T>> | undefined = Promise.resolve(await reader.read());
  return new ReadableStream<T>({
    async pull(controller) {
      const { value, done } = await (next ?? reader.read());
      next = undefined;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
