/** The sandbox's end of the pipe: stdin and stdout, taken before the script can reach them. */
import { SvcError } from "../../lib/errors.ts";
import { encodeFrame, type Frame, FrameReader, joinBytes } from "./frames.ts";
import { MAX_MESSAGE_BYTES } from "./messages.ts";

/** Bytes that wait to be written together; more are written at once, so that a busy script cannot pile them up. */
const BATCH_BYTES = 64 * 1024;

/** The parent's answers may be as long as the service's: the parent has limited them. */
const NO_LIMIT = Infinity;

const { stdin, stdout } = Deno;
const exit: typeof Deno.exit = Deno.exit;

let waiting: Uint8Array<ArrayBuffer>[] = [];
let waitingBytes = 0;

/** Sends a message soon: what is sent until the script next waits goes as one write. */
export function send(frame: Frame): void {
  const bytes = encodeFrame(frame);
  if (bytes.length > MAX_MESSAGE_BYTES) {
    throw new SvcError("WORKFLOW_FAILED", `What the script sends has more than ${MAX_MESSAGE_BYTES} bytes.`, {
      hint: "This holds for the data of a call, for the result and for an error: send less at a time.",
    });
  }
  if (waiting.length === 0) queueMicrotask(flush);
  waiting.push(bytes);
  waitingBytes += bytes.length;
  if (waitingBytes > BATCH_BYTES) flush();
}

/** Writes what waits. It blocks while the parent is busy, and so slows down a script that talks too much. */
export function flush(): void {
  if (waiting.length === 0) return;
  const bytes = joinBytes(waiting);
  waiting = [];
  waitingBytes = 0;
  for (let offset = 0; offset < bytes.length;) offset += stdout.writeSync(bytes.subarray(offset));
}

const reader = new FrameReader(NO_LIMIT);
const buffer = new Uint8Array(256 * 1024);

/**
 * The next messages of the parent; the process ends when the parent has gone. It reads only when it is asked: a pending
 * read would keep a script alive that waits for nothing any more.
 */
export async function receive(): Promise<Frame[]> {
  for (;;) {
    const length = await stdin.read(buffer);
    if (length === null) exit(1);
    const frames = reader.push(buffer.subarray(0, length));
    if (frames.length > 0) return frames;
  }
}
