/** Multipart bodies (RFC 7578, with the escaping of HTML). Files are streamed and never held in memory. */
import { getErrorMessage, SvcError } from "../../errors.ts";
import type { FileInput } from "../../operation/operation.ts";
import { describeReadError } from "../../../utils/fs/describe_error.ts";
import { guessMediaType } from "../../../utils/media_type.ts";
import type { Part } from "./encode.ts";

const encoder = new TextEncoder();

/**
 * A body of known length whose bytes are read while they are sent, again for each attempt. It is a `Blob`, because
 * `fetch` sends any other stream without a length, which some servers reject.
 */
export class MultipartBody extends Blob {
  readonly #pieces: readonly (Uint8Array<ArrayBuffer> | FileInput)[];
  readonly #onRead: () => void;
  #failure?: unknown;

  /** Creates a body. The callback runs with each piece that is sent. */
  constructor(parts: readonly Part[], onRead: () => void = () => {}) {
    const boundary = `svc-${crypto.randomUUID()}`;
    super([], { type: `multipart/form-data; boundary=${boundary}` });
    this.#pieces = [
      ...parts.flatMap((
        [name, value],
      ) => [encodePartHead(boundary, name, value), encodePart(value), encodeText("\r\n")]),
      encodeText(`--${boundary}--\r\n`),
    ];
    this.#onRead = onRead;
  }

  /** Number of bytes. */
  override get size(): number {
    return this.#pieces.reduce((sum, piece) => sum + (piece instanceof Uint8Array ? piece.length : piece.size), 0);
  }

  /** Error that reading the bytes failed with. `fetch` keeps only its text. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Reads the bytes from the start. */
  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const cancelled = new AbortController();
    const bytes = this.#read(cancelled.signal);
    this.#failure = undefined;
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        const chunk = await bytes.next().catch((error: unknown) => {
          this.#failure = error;
          throw error;
        });
        this.#onRead();
        if (chunk.done === true) controller.close();
        else controller.enqueue(chunk.value);
      },
      async cancel() {
        cancelled.abort(); // Stops a file whose reader is waiting.
        await bytes.return();
      },
    }, { highWaterMark: 0 });
  }

  async *#read(cancelled: AbortSignal): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    for (const piece of this.#pieces) {
      if (piece instanceof Uint8Array) yield piece;
      else yield* readFile(piece, cancelled);
    }
  }
}

/** Reads a file. Its size must not change, because the length of the body has already been sent. */
async function* readFile(file: FileInput, cancelled: AbortSignal): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let left = file.size;
  for await (const chunk of readable(file, cancelled)) {
    left -= chunk.length;
    if (left < 0) break;
    yield new Uint8Array(chunk);
  }
  if (left === 0 || cancelled.aborted) return;
  throw new SvcError("INVALID_ARGS", `${file.name} has changed while it was sent: it had ${file.size} bytes.`, {
    hint: "Send it again when no program is writing to it.",
  });
}

/** Reads the stream of a file. Its errors become `INVALID_ARGS`, not failures of the network. */
async function* readable(file: FileInput, cancelled: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    const reader = file.stream().getReader();
    const cancel = () => reader.cancel();
    cancelled.addEventListener("abort", () => void cancel().catch(() => {}), { once: true });
    try {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        if (!(piece.value instanceof Uint8Array)) throw new TypeError("its stream gives no bytes");
        yield piece.value;
      }
    } finally {
      await cancel();
    }
  } catch (cause) {
    if (cause instanceof SvcError || cause instanceof Deno.errors.NotCapable) throw cause;
    const reason = describeReadError(cause) ?? getErrorMessage(cause);
    throw new SvcError("INVALID_ARGS", `${file.name} cannot be read: ${reason}.`, {
      cause,
      hint: "Nothing was uploaded. Send it again when it can be read.",
    });
  }
}

function encodePartHead(boundary: string, name: string, value: string | FileInput): Uint8Array<ArrayBuffer> {
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;
  if (typeof value === "string") return encodeText(`${disposition}\r\n\r\n`);
  // As in a web `File`, an invalid type counts as missing: a line break would start another header.
  const type = /^[\x20-\x7e]+$/.test(value.type ?? "") ? value.type : guessMediaType(value.name);
  return encodeText(`${disposition}; filename="${escapeName(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`);
}

function encodePart(value: string | FileInput): Uint8Array<ArrayBuffer> | FileInput {
  return typeof value === "string" ? encodeText(value.replace(/\r\n?|\n/g, "\r\n")) : value;
}

/** Escapes the characters that would end a quoted name or its line. */
function escapeName(name: string): string {
  return name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}

function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}
