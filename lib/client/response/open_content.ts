/** Opens responses that are content, whose bytes are streamed. */
import type { Content } from "../../operation/answer.ts";
import { SvcError } from "../../errors.ts";
import type { Deadline } from "../../http/limits.ts";

/** A transfer of bytes. */
export interface Transfer {
  /** Deadline. It runs only while the reader waits for bytes. */
  readonly deadline: Deadline;
  /** Explains why the transfer failed. */
  explain(error: unknown): SvcError;
}

/** Returns the content of a response. Its stream fails if the transfer is cut short or stalls. */
export function openContent({ headers, body }: Response, transfer: Transfer): Content {
  const isBase64 = headers.get("content-transfer-encoding")?.trim().toLowerCase() === "base64";
  const length = headers.get("content-length");
  const isPlain = !isBase64 && !headers.has("content-encoding");
  const stream = watched(body ?? new Blob([]).stream(), transfer);
  return {
    type: headers.get("content-type") ?? "application/octet-stream",
    name: nameIn(headers.get("content-disposition") ?? ""),
    size: isPlain && length !== null ? Number(length) : undefined,
    stream: isBase64 ? stream.pipeThrough(base64Decoder(transfer.explain)) : stream,
  };
}

function watched(body: ReadableStream<Uint8Array>, { deadline, explain }: Transfer): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  deadline.pause();
  // Deno's `fetch` loses its signal when the response is garbage-collected, and then does not end the body.
  deadline.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}), { once: true });
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      deadline.start();
      try {
        const { done, value } = await reader.read();
        deadline.signal.throwIfAborted();
        deadline.pause();
        if (!done) return controller.enqueue(value);
        deadline.clear();
        controller.close();
      } catch (error) {
        deadline.clear();
        controller.error(explain(error));
      }
    },
    async cancel(reason) {
      deadline.clear();
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}

/** Decodes base64 in pieces of any size, with or without line breaks. `explain` adds to the error of invalid base64. */
export function base64Decoder(
  explain: (error: SvcError) => SvcError = (error) => error,
): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let rest = "";
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = rest + decoder.decode(chunk, { stream: true }).replace(/\s+/g, "");
      const whole = text.length - text.length % 4;
      rest = text.slice(whole);
      if (whole > 0) controller.enqueue(fromBase64(text.slice(0, whole), explain));
    },
    flush(controller) {
      if (rest !== "") controller.enqueue(fromBase64(rest, explain));
    },
  });
}

function fromBase64(text: string, explain: (error: SvcError) => SvcError): Uint8Array {
  try {
    return Uint8Array.fromBase64(text);
  } catch (cause) {
    const error = new SvcError(
      "INVALID_RESPONSE",
      "The service declares its content as base64, but it is not valid base64.",
      {
        cause,
        hint: "Try again. If the error persists, report it to the operators of the service.",
      },
    );
    throw explain(error);
  }
}

/** Returns the file name in a `Content-Disposition` header (RFC 6266). The extended form overrides the plain one. */
function nameIn(disposition: string): string | undefined {
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const [, quoted, plain] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition) ?? [];
  return decoded(extended) ?? quoted?.replace(/\\(.)/g, "$1") ?? plain;
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined; // The plain form is used instead.
  }
}
