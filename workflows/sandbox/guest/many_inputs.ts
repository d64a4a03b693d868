/** Runs many inputs at the same time in this process, in one instance of a script that is stateless. */
import type { Frame } from "../protocol/frames.ts";
import { HostMessage } from "../protocol/messages.ts";
import { collectMessages, fail, flush, receive } from "./channel.ts";
import { getLocalWork, nextTurn } from "./local_work.ts";
import { currentInput, enterInput, GuestInput, shareProcess } from "./per_input.ts";
import { deliverResult, reportIdle } from "./steps.ts";

/** Runs the script on the input of a message, and sends its end. */
export type RunInput = (start: Frame) => Promise<void>;

const inputs = new Map<number, GuestInput>();

/**
 * Runs inputs as the host starts them. The first message starts one. As in a process of its own, each input gets a result
 * only when it, and all others, have reacted to earlier ones.
 */
export async function runInputs(first: Frame, run: RunInput): Promise<never> {
  shareProcess();
  let frames = [first];
  for (;;) {
    collectMessages(true);
    for (const frame of frames) {
      handle(frame, run);
      await nextTurn();
      for (let work = getLocalWork(); work !== undefined; work = getLocalWork()) {
        flush();
        await work;
        await nextTurn();
      }
    }
    collectMessages(false);
    flush();
    frames = await receive();
  }
}

function handle(frame: Frame, run: RunInput): void {
  if (frame.kind === HostMessage.start) return start(frame, run);
  const input = inputs.get(frame.input) ?? new GuestInput(frame.input);
  switch (frame.kind) {
    case HostMessage.reply:
    case HostMessage.error:
      return enterInput(input, () => deliverResult(frame));
    case HostMessage.askIdle:
      return enterInput(input, reportIdle);
    case HostMessage.end:
      end(input);
  }
}

function start(frame: Frame, run: RunInput): void {
  const input = new GuestInput(frame.input);
  inputs.set(input.number, input);
  enterInput(input, () => void runOne(frame, run));
}

async function runOne(frame: Frame, run: RunInput): Promise<void> {
  try {
    await run(frame);
  } catch (error) {
    fail(error);
  }
  end(currentInput());
}

function end(input: GuestInput): void {
  input.hasEnded = true;
  inputs.delete(input.number);
}
