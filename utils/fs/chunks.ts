const CHUNK_BYTES = 128 * 1024;

/** Streams a file in chunks of 128 KiB. The file is opened when the first chunk is read. */
export function readChunks(open: () => Promise<Deno.FsFile>): ReadableStream<Uint8Array> {
  let file: Deno.FsFile | undefined;
  let isCancelled = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      file ??= await open();
      if (isCancelled) return file.close(); // Cancelled while it was being opened.
      const chunk = new Uint8Array(CHUNK_BYTES);
      try {
        const length = await file.read(chunk);
        if (length !== null) return controller.enqueue(chunk.subarray(0, length));
      } catch (error) {
        if (!isCancelled) file.close(); // A failed stream is not cancelled.
        throw error;
      }
      file.close();
      controller.close();
    },
    cancel() {
      isCancelled = true;
      file?.close();
    },
  }, { highWaterMark: 0 });
}

/** Writes a whole chunk, however little each write takes. */
export async function writeAll(file: Deno.FsFile, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length;) written += await file.write(chunk.subarray(written));
}
