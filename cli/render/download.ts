/** Writes content to a file or to stdout. */
import type { Content } from "../../lib/operation/answer.ts";
import { SvcError } from "../../lib/errors.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { createDecoder, findCharset } from "../../utils/text/charset.ts";
import { escapeLines } from "../../utils/text/control_characters.ts";
import type { CommandContext } from "../commands/command.ts";
import { writeWaiting } from "../io/io.ts";
import { checkTarget, writeWhole } from "./local_files.ts";
import { createTransferLine } from "./transfer.ts";

/** The file name that stands for stdout. */
export const STDOUT = "-";

/** The file for content. */
export interface OutputFile {
  /** Path, or `-` for stdout. */
  readonly path: string;
  /** True if an existing file may be replaced. */
  readonly replaces: boolean;
}

/** Checks that the file can be written, before the call is made. */
export async function checkOutput(path = STDOUT, { replaces = true }: Partial<OutputFile> = {}): Promise<void> {
  if (path === STDOUT) return;
  await checkTarget(path);
  if (!replaces && (await Deno.stat(path).catch(ignoreMissing))?.isFile) {
    throw new SvcError("INVALID_ARGS", `The file ${path} already exists.`, { hint: "Add --force to replace it." });
  }
}

/** Writes content to a file. Default: stdout. */
export async function deliver(context: CommandContext, content: Content, output = STDOUT): Promise<void> {
  const { stdout } = context.io;
  if (output !== STDOUT) {
    using line = createTransferLine(context, content.size);
    return await writeWhole(output, counted(content, (bytes) => line?.add(bytes)));
  }
  if (!stdout.isTerminal()) {
    for await (const piece of content.stream) await writeWaiting(stdout, piece, context.signal);
    return;
  }
  await checkText(content);
  const decoder = createDecoder(findCharset(content.type) ?? "utf-8") ?? new TextDecoder();
  let pending = "";
  for await (const piece of content.stream) {
    const text = pending + decoder.decode(piece, { stream: true });
    pending = text.endsWith("\r") ? "\r" : ""; // The next chunk may complete the line end.
    await writeWaiting(stdout, escapeLines(pending === "" ? text : text.slice(0, -1)), context.signal);
  }
  stdout.write(escapeLines(pending + decoder.decode())); // The rest of an incomplete character.
}

async function* counted({ stream }: Content, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of stream) {
    yield piece;
    count(piece.length);
  }
}

/** Rejects content that is not text, because its bytes would control the terminal. */
async function checkText({ type, stream }: Content): Promise<void> {
  if (/^text\/|[/+](json|xml|javascript)\b/i.test(type)) return;
  await stream.cancel();
  throw new SvcError("INVALID_ARGS", `The content is ${type.split(";")[0]}, which a terminal cannot show.`, {
    hint: "Write it to a file with -o <path>, or pipe the output into another program.",
  });
}
