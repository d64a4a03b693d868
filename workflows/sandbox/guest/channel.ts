/** The guest's end of the pipes: stdin, stdout and exit, saved before the script can change them. */
import { SvcError } from "../../../lib/errors.ts";
import { type Frame, FrameBuffer, FrameReader } from "../protocol/frames.ts";
import { GuestMessage, MAX_MESSAGE_BYTES } from "../protocol/messages.ts";
import { currentInput } from "./per_input.ts";
import { toErrorRecord } from "./script_error.ts";

/** Size of the buffered messages that are written at once, in bytes, so that a busy script cannot accumulate more. */
const BATCH_BYTES = 64 * 1024;

/** Responses have any size: the host has limited them. */
const NO_LIMIT = Infinity;

const { stdin, stdout } = Deno;
const exit: typeof Deno.exit = Deno.exit;

const outgoing = new FrameBuffer();

/** True while messages are collected until the next `flush`. */
let isCollecting = false;

/** Turns the collection of messages on or off. When it is on, messages wait for the next `flush`. */
export function collectMessages(isOn: boolean): void {
  isCollecting = isOn;
}

/** Sends a message about the current input soon. All messages until the script next waits are one write. */
export function send(message: Omit<Frame, "input">): void {
  if (message.text.length > MAX_MESSAGE_BYTES) throw tooLong(); // Before it is copied.
  const { number, hasEnded } = currentInput();
  if (hasEnded) return;
  if (outgoing.length === 0 && !isCollecting) queueMicrotask(flush);
  if (!outgoing.add({ ...message, input: number }, MAX_MESSAGE_BYTES)) throw tooLong();
  if (outgoing.length > BATCH_BYTES) flush();
}

/** Writes the buffered messages. Blocks while the host is busy, which slows a script down. Exits if the host has ended. */
export function flush(): void {
  const bytes = outgoing.take();
  try {
    for (let offset = 0; offset < bytes.length;) offset += stdout.writeSync(bytes.subarray(offset));
  } catch {
    exit(1);
  }
}

/** Sends the last message of the process and exits. */
export function exitWith(message: Omit<Frame, "input">): never {
  send(message);
  flush();
  exit(message.kind === GuestMessage.failure ? 1 : 0);
}

/** Sends the error of the script. Then the process exits, unless other inputs share it. */
export function fail(thrown: unknown): void {
  const input = currentInput();
  if (input.number === 0) exitWith(describeFailure(thrown));
  send(describeFailure(thrown));
  input.hasEnded = true;
}

/** Returns the message with the error of a script. */
export function describeFailure(thrown: unknown): Omit<Frame, "input"> {
  return { kind: GuestMessage.failure, id: 0, text: JSON.stringify(toErrorRecord(thrown)) };
}

const reader = new FrameReader(NO_LIMIT);
const buffer = new Uint8Array(256 * 1024);

/** Messages that arrived with the first one. */
let early: Frame[] = [];

/** Receives the first message of a kind, and skips earlier ones. */
export async function receiveFirst(kind: number): Promise<Frame> {
  for (;;) {
    const frames = await receive();
    const index = frames.findIndex((frame) => frame.kind === kind);
    const first = frames[index];
    if (first === undefined) continue;
    early = frames.slice(index + 1);
    return first;
  }
}

/** Receives messages of the host and blocks the process until then. */
export function receiveSync(): Frame[] {
  if (early.length > 0) return early.splice(0);
  flush();
  for (;;) {
    const frames = readFrames(stdin.readSync(buffer));
    if (frames.length > 0) return frames;
  }
}

/** Receives messages of the host while the script can run. */
export async function receive(): Promise<Frame[]> {
  if (early.length > 0) return early.splice(0);
  for (;;) {
    const frames = readFrames(await stdin.read(buffer));
    if (frames.length > 0) return frames;
  }
}

/** Returns the messages that the bytes in the buffer complete. Exits if the host has ended. */
function readFrames(count: number | null): Frame[] {
  return count === null ? exit(1) : reader.push(buffer.subarray(0, count));
}

function tooLong(): SvcError {
  return new SvcError("WORKFLOW_FAILED", `The script sent a message of more than ${MAX_MESSAGE_BYTES} bytes.`, {
    hint: "This limits the data of a call, the result, and an error. Send less at a time.",
  });
}
