/** Files, piece by piece: however large one is, only a piece of it is in memory. */

/** Bytes of one piece. */
const PIECE = 128 * 1024;

/** The bytes of a file that is opened when the first are asked for. */
export function readPieces(open: () => Promise<Deno.FsFile>): ReadableStream<Uint8Array> {
  let file: Deno.FsFile | undefined;
  let wanted = true;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      file ??= await open();
      if (!wanted) return file.close(); // Nobody was there to close it when it was opened.
      const piece = new Uint8Array(PIECE);
      try {
        const length = await file.read(piece);
        if (length !== null) return controller.enqueue(piece.subarray(0, length));
      } catch (error) {
        if (wanted) file.close(); // Nobody cancels a stream that has failed.
        throw error;
      }
      file.close();
      controller.close();
    },
    cancel() {
      wanted = false;
      file?.close();
    },
  }, { highWaterMark: 0 });
}

/** Writes all of a piece. */
export async function writePiece(file: Deno.FsFile, piece: Uint8Array): Promise<void> {
  for (let written = 0; written < piece.length;) written += await file.write(piece.subarray(written));
}
