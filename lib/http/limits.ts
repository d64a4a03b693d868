/** Limits of an exchange: how long it may take, and how large its response may be. */
import { createCancelledError, SvcError } from "../errors.ts";
import { decodeText, findCharset, findMarkedCharset } from "../../utils/text/charset.ts";
import { abortable, onAbort } from "../../utils/async/abort.ts";
import { explainNetwork, type LocalService, suggestDiagnosis } from "./network.ts";

/** A service and the time that one call to it may take. */
export interface DeadlineOptions extends LocalService {
  /** Timeout in seconds. */
  readonly timeoutSeconds: number;
}

/** Aborts a call after its timeout, or when the caller's signal aborts. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #options: DeadlineOptions;
  readonly #outer: AbortSignal | undefined;
  readonly #following: Disposable | undefined;
  #expiry: AbortSignal | undefined;
  readonly #forward = () => this.#controller.abort();

  /** Creates a deadline that follows the caller's signal at once. Its clock starts with `start`. */
  constructor(options: DeadlineOptions, outer?: AbortSignal) {
    this.#options = options;
    this.#outer = outer;
    this.#following = outer && onAbort(outer, this.#forward);
  }

  /** Creates a deadline whose clock runs. */
  static started(options: DeadlineOptions, outer: AbortSignal): Deadline {
    const deadline = new Deadline(options, outer);
    deadline.start();
    return deadline;
  }

  /** Aborts at the deadline, or with the caller's signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts or restarts the clock. */
  start(): void {
    const expiry = expireIn(this.#options.timeoutSeconds);
    if (expiry === this.#expiry) return;
    this.pause();
    this.#expiry = expiry;
    expiry.addEventListener("abort", this.#forward, { once: true });
  }

  /** Stops the clock until the next `start`. The caller's signal still aborts. */
  pause(): void {
    this.#expiry?.removeEventListener("abort", this.#forward);
    this.#expiry = undefined;
  }

  /** Stops the clock and no longer follows the caller's signal. */
  clear(): void {
    this.pause();
    this.#following?.[Symbol.dispose]();
  }

  /** Does the same as `clear`. */
  [Symbol.dispose](): void {
    this.clear();
  }

  /** Converts the error of a failed exchange: cancelled by the caller, timed out, or failed in the network. */
  explain(error: unknown, exchange: string): SvcError {
    if (error instanceof SvcError) return error;
    if (this.#outer?.aborted) return createCancelledError({ cause: this.#outer.reason });
    const { timeoutSeconds, profile } = this.#options;
    if (this.#controller.signal.aborted) {
      return new SvcError("TIMEOUT", `${exchange} did not respond within ${timeoutSeconds} s.`, {
        cause: error,
        hint: { text: "Raise timeoutSeconds in the profile.", commands: [suggestDiagnosis(profile)] },
      });
    }
    return explainNetwork(error, exchange, this.#options);
  }
}

/** Runs a task that is cancelled at its deadline. The error of a failure names the exchange. */
export async function runWithDeadline<T>(
  options: DeadlineOptions,
  outer: AbortSignal,
  exchange: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using deadline = Deadline.started(options, outer);
  try {
    return await abortable(run(deadline.signal), deadline.signal);
  } catch (error) {
    throw deadline.explain(error, exchange);
  }
}

/** Calls that start within this fraction of their timeout share a clock. */
const SHARED_FRACTION = 1 / 16;

let latest: { readonly seconds: number; readonly joinableUntil: number; readonly signal: AbortSignal } | undefined;

/**
 * Returns a signal that aborts after the seconds, or up to a sixteenth later. It does not use `setTimeout`, whose first
 * use in a process loads Node.js's timers and takes longer than a call. Such signals cannot be cancelled, so thousands
 * of calls share a few.
 */
function expireIn(seconds: number): AbortSignal {
  const now = performance.now();
  if (latest?.seconds !== seconds || now > latest.joinableUntil || latest.signal.aborted) {
    const shared = seconds * 1000 * SHARED_FRACTION;
    const signal = AbortSignal.timeout(seconds * 1000 + shared);
    latest = { seconds, joinableUntil: now + shared, signal };
  }
  return latest.signal;
}

/** Maximum size of a response. It also protects from responses of proxies. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** How the text of a response is read. */
export interface ReadTextOptions {
  /** Limit in bytes. Default: 64 MiB. */
  readonly limit?: number;
  /** Beginning of the sentences about its faults. */
  readonly source?: string;
}

/** Reports whether a media type is one of text, as far as it is declared. */
function isTextType(type: string): boolean {
  return type === "" || /^text\/|\b(json|xml)\b/i.test(type);
}

/**
 * Reads the text of a response in its charset. Throws `INVALID_RESPONSE` if it is longer than the limit, or if its bytes
 * are not valid in that charset. An error and a type without text, whose type is reported, are read in any case.
 */
export async function readText(
  response: Response,
  { limit = MAX_RESPONSE_BYTES, source = "The response of the service" }: ReadTextOptions = {},
): Promise<string> {
  const { headers } = response;
  // Content-Length is not the size of a compressed body, and does not apply to a chunked one.
  const hasLength = !headers.has("content-encoding") && !headers.has("transfer-encoding");
  const length = hasLength ? Number(headers.get("content-length") ?? NaN) : NaN;
  const bytes = length <= limit || response.body === null
    ? new Uint8Array(await response.arrayBuffer())
    : await readBytes(response.body, limit, source);
  const type = headers.get("content-type") ?? "";
  const charset = findCharset(type);
  const text = decodeText(bytes, charset ?? findMarkedCharset(bytes) ?? "utf-8");
  if (text !== undefined) return text;
  if (!response.ok || !isTextType(type)) return new TextDecoder(FALLBACK_CHARSET).decode(bytes);
  const problem = charset === undefined ? "is not valid UTF-8" : `is not valid text in the charset ${charset}`;
  throw new SvcError("INVALID_RESPONSE", `${source} ${problem}.`, {
    hint: "Ask the operators of the service to send UTF-8, or the charset in Content-Type.",
  });
}

/** Charset of error pages that name none. Every byte is valid in it. */
const FALLBACK_CHARSET = "windows-1252";

async function readBytes(body: ReadableStream<Uint8Array>, limit: number, source: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw new SvcError("INVALID_RESPONSE", `${source} is longer than ${limit} bytes.`);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
