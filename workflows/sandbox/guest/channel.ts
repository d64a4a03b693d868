/** The sandbox's end of the pipe: stdin and stdout, taken before the script can reach them. */
import { SvcError } from "../../../lib/errors.ts";
import { type Frame, FrameBuffer, FrameReader } from "../protocol/frames.ts";
import { MAX_MESSAGE_BYTES } from "../protocol/messages.ts";

/** Bytes that wait to be written together; more are written at once, so that a busy script cannot pile them up. */
const BATCH_BYTES = 64 * 1024;

/** The parent's answers may be as long as the service's: the parent has limited them. */
const NO_LIMIT = Infinity;

const { stdin, stdout } = Deno;
const exit: typeof Deno.exit = Deno.exit;

const waiting = new FrameBuffer();

/** Sends a message soon: what is sent until the script next waits goes as one write. */
export function send(frame: Frame): void {
  if (frame.text.length > MAX_MESSAGE_BYTES) throw tooLong(); // Before there is a copy of it.
  if (waiting.length === 0) queueMicrotask(flush);
  if (!waiting.add(frame, MAX_MESSAGE_BYTES)) throw tooLong();
  if (waiting.length > BATCH_BYTES) flush();
}

/**
 * Writes what waits. It blocks while the parent is busy, and so slows down a script that talks too much; the process ends
 * when the parent has gone.
 */
export function flush(): void {
  const bytes = waiting.take();
  try {
    for (let offset = 0; offset < bytes.length;) offset += stdout.writeSync(bytes.subarray(offset));
  } catch {
    exit(1);
  }
}

const reader = new FrameReader(NO_LIMIT);
const buffer = new Uint8Array(256 * 1024);

/** Messages that came with the first. */
let early: Frame[] = [];

/** The first message of the parent. */
export async function receiveFirst(): Promise<Frame | undefined> {
  const [first, ...others] = await receive();
  early = others;
  return first;
}

/** The next messages of the parent, while everything else in this process stands still. */
export function receiveNow(): Frame[] {
  if (early.length > 0) return early.splice(0);
  flush();
  for (;;) {
    const frames = framesIn(stdin.readSync(buffer));
    if (frames.length > 0) return frames;
  }
}

/** The next messages of the parent, while the script may go on. */
export async function receive(): Promise<Frame[]> {
  for (;;) {
    const frames = framesIn(await stdin.read(buffer));
    if (frames.length > 0) return frames;
  }
}

/** The messages that are complete with these bytes; the process ends when the parent has gone. */
function framesIn(count: number | null): Frame[] {
  return count === null ? exit(1) : reader.push(buffer.subarray(0, count));
}

function tooLong(): SvcError {
  return new SvcError("WORKFLOW_FAILED", `What the script sends has more than ${MAX_MESSAGE_BYTES} bytes.`, {
    hint: "This holds for the data of a call, for the result and for an error: send less at a time.",
  });
}
