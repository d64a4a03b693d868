import { SvcError } from "../../lib/errors.ts";
import { delay } from "../../utils/async/abort.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { locateFiles, resolveDataDirectory } from "../server/directory.ts";

/** Maximum number of bytes to read, from the end of the log. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Milliseconds between two looks for new lines. */
const CHECK_MILLISECONDS = 250;

/** The end of a log. */
interface LogEnd {
  /** The last lines. */
  readonly text: string;
  /** Number of bytes of the log. */
  readonly size: number;
}

/** Reads the last lines of the log of a detached service. */
export async function readLog(data: string | undefined, lines: number): Promise<string> {
  return (await readEnd(locateLog(data), lines)).text;
}

/** Yields the last lines of the log of a detached service, and then what is added to it until the signal aborts. */
export async function* followLog(data: string | undefined, lines: number, signal: AbortSignal): AsyncGenerator<string> {
  const log = locateLog(data);
  const { text, size } = await readEnd(log, lines);
  yield text;
  const decoder = new TextDecoder();
  let position = size;
  while (!signal.aborted) {
    using file = await Deno.open(log).catch(ignoreMissing);
    const current = (await file?.stat())?.size ?? 0;
    if (current < position) position = 0; // The log was deleted, and maybe created again.
    if (file && current > position) {
      await file.seek(position, Deno.SeekMode.Start);
      for await (const bytes of file.readable) {
        position += bytes.length;
        yield decoder.decode(bytes, { stream: true });
      }
    }
    await delay(CHECK_MILLISECONDS, signal).catch(() => {}); // Only the end of the watch rejects it.
  }
}

function locateLog(data: string | undefined): string {
  return locateFiles(resolveDataDirectory(data)).log;
}

async function readEnd(log: string, lines: number): Promise<LogEnd> {
  using file = await Deno.open(log).catch(ignoreMissing);
  if (!file) {
    throw new SvcError("NOT_FOUND", `There is no log file ${log}.`, {
      hint: "Only a service that was started with 'svc service start --detach' writes one. Check --data.",
    });
  }
  const start = Math.max(0, (await file.stat()).size - MAX_BYTES);
  await file.seek(start, Deno.SeekMode.Start);
  const bytes = await new Response(file.readable).bytes();
  const text = new TextDecoder().decode(bytes);
  const all = text.trimEnd().split("\n");
  if (start > 0) all.shift(); // It may be a part of a line.
  return {
    text: lines === 0 || text === "" ? "" : all.slice(-lines).join("\n") + "\n",
    size: start + bytes.length,
  };
}
