/** Answers that are content: their bytes, as they arrive. */
import type { Content } from "../../operation/answer.ts";
import { SvcError } from "../../errors.ts";
import type { Deadline } from "../../http/deadline.ts";

/** What is known of a transfer besides its bytes. */
export interface Transfer {
  /** Runs while somebody waits for bytes, and not while nobody does. */
  readonly deadline: Deadline;
  /** The error of a failed transfer. */
  explain(error: unknown): SvcError;
}

/** The content of a response, whose stream errors where the transfer is cut short or stalls. */
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
  // Deno's `fetch` does not end the body by itself: it forgets its signal when the response has been garbage-collected.
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

/** Decodes base64 in any pieces, with or without line breaks; `explain` says more of the error of what is none. */
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
    const error = new SvcError("INVALID_RESPONSE", "The service says that its content is base64, and it is not.", {
      cause,
      hint: "Read it again; if it stays so, tell the service's operators.",
    });
    throw explain(error);
  }
}

/** The file name in a `Content-Disposition` (RFC 6266): the extended form before the plain one. */
function nameIn(disposition: string): string | undefined {
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const [, quoted, plain] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition) ?? [];
  return decoded(extended) ?? quoted?.replace(/\\(.)/g, "$1") ?? plain;
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined; // Then the plain form is used.
  }
}
