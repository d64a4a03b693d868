/**
 * What the parent answers, delivered one at a time: only when the script has done all that follows from one message does
 * it get the next. So the order of the messages alone decides what a script does.
 */
import { type JsonObject, parseJsonObject } from "../../../utils/json.ts";
import { receive, receiveNow, send } from "./channel.ts";
import { setClock } from "./clock.ts";
import type { Frame } from "../protocol/frames.ts";
import { localWork } from "./local_work.ts";
import { FromSandbox, ToSandbox } from "../protocol/messages.ts";
import { nextTurn } from "./turn.ts";

/** The answer to a step. */
export interface Delivery {
  /** Whether it is an answer, and no refusal. */
  readonly isReply: boolean;
  /** What is known of it. */
  readonly head: JsonObject;
  /** Its text. */
  readonly text: string;
}

/** Who gets what is delivered. */
export interface Receiver {
  /** Whether there is anything to wait for: a script that waits for nothing must be able to end. */
  readonly isExpected: () => boolean;
  /** Whether the script has taken the step at a position: the answers of a run that goes on may come before it does. */
  readonly isTaken: (position: number) => boolean;
  /** Takes the answer to the step at a position. */
  readonly take: (position: number, delivery: Delivery) => void;
  /** Is told that the script has done all that followed from what it was given. */
  readonly rested: () => void;
}

/** Gives what begins to deliver, if that is not going on already. */
export function deliverTo(receiver: Receiver): () => void {
  const arrived: Frame[] = [];
  let isDelivering = false;
  return () => {
    if (isDelivering) return;
    isDelivering = true;
    void deliverAll(receiver, arrived).finally(() => isDelivering = false);
  };
}

/**
 * While nothing else could happen, the whole process waits for the parent: that takes half the time of a wait that lets
 * the script go on. A script that does something else all the same, such as loading a module, is not forgotten: if an
 * answer takes long, the parent wakes this process, which then waits in the other way.
 */
async function deliverAll({ isExpected, isTaken, take, rested }: Receiver, arrived: Frame[]): Promise<void> {
  let isAwake = false;
  let told: Frame | undefined;
  await Promise.resolve(); // What the script sends first goes out before anything else is done here.
  for (;;) {
    await nextTurn();
    const work = localWork();
    if (work !== undefined) {
      await work;
      continue;
    }
    rested();
    if (!isExpected()) return;
    if (arrived.length === 0 && isAwake) {
      arrived.push(...await receive());
      isAwake = false;
      continue; // The script may have gone on meanwhile.
    }
    if (arrived.length === 0) arrived.push(...receiveNow());
    const [frame] = arrived;
    if (frame === undefined) continue;
    const isAnswer = frame.kind === ToSandbox.reply || frame.kind === ToSandbox.refusal;
    if (isAnswer && !isTaken(frame.id)) {
      // A module that is being loaded may still come to it. If not, the parent ends this process.
      if (told !== frame) send({ kind: FromSandbox.waits, id: frame.id, text: "" });
      told = frame;
      continue;
    }
    arrived.shift();
    if (frame.kind === ToSandbox.askRest) send({ kind: FromSandbox.rests, id: 0, text: "" });
    if (isAnswer) take(frame.id, deliveryOf(frame));
    else isAwake = true;
  }
}

function deliveryOf({ kind, text }: Frame): Delivery {
  const end = text.indexOf("\n");
  const head = parseJsonObject(text.slice(0, end)) ?? {};
  setClock(Number(head.at));
  return { isReply: kind === ToSandbox.reply, head, text: text.slice(end + 1) };
}
