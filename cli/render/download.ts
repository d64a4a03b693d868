/** What a command does with content: into a file, or to stdout. */
import type { Content } from "../../lib/operation/answer.ts";
import { SvcError } from "../../lib/errors.ts";
import { escapeLines } from "../../utils/text/control_characters.ts";
import type { CommandContext } from "../commands/command.ts";
import { checkTarget, writeWhole } from "./local_files.ts";
import { transferLine } from "./transfer.ts";

/** Stands for stdout where a file is named. */
export const STDOUT = "-";

/** Refuses a file that cannot be written, before anything is called for it. */
export async function checkOutput(output = STDOUT): Promise<void> {
  if (output !== STDOUT) await checkTarget(output);
}

/** Writes content to a file, or to stdout where none is named. */
export async function deliver(context: CommandContext, content: Content, output = STDOUT): Promise<void> {
  const { stdout } = context.io;
  if (output !== STDOUT) {
    using line = transferLine(context, content.size);
    return await writeWhole(output, counted(content, (bytes) => line?.add(bytes)));
  }
  if (!stdout.isTerminal()) {
    for await (const piece of content.stream) stdout.writeBytes(piece);
    return;
  }
  await checkText(content);
  const decoder = new TextDecoder();
  let held = "";
  for await (const piece of content.stream) {
    const text = held + decoder.decode(piece, { stream: true });
    held = text.endsWith("\r") ? "\r" : ""; // Whether it ends a line, the next piece says.
    stdout.write(escapeLines(held === "" ? text : text.slice(0, -1)));
  }
  stdout.write(escapeLines(held + decoder.decode())); // What is left of a character that was cut off.
}

async function* counted({ stream }: Content, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of stream) {
    yield piece;
    count(piece.length);
  }
}

/** A terminal shows text alone: bytes of anything else would drive it. */
async function checkText({ type, stream }: Content): Promise<void> {
  if (/^text\/|[/+](json|xml|javascript)\b/i.test(type)) return;
  await stream.cancel();
  throw new SvcError("INVALID_ARGS", `The content is ${type.split(";")[0]}: a terminal cannot show it.`, {
    hint: "Write it to a file with -o <path>, or send the output into another program.",
  });
}
