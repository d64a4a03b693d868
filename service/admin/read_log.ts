import { SvcError } from "../../lib/errors.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { locateFiles, resolveDataDirectory } from "../server/directory.ts";

/** Number of bytes at the end of a log that are read. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Reads the last lines of the log of a detached service. */
export async function readLog(data: string | undefined, lines: number): Promise<string> {
  const { log } = locateFiles(resolveDataDirectory(data));
  using file = await Deno.open(log).catch(ignoreMissing);
  if (!file) {
    throw new SvcError("NOT_FOUND", `There is no log ${log}.`, {
      hint: "Only a service that was started with 'svc service start --detach' writes one.",
    });
  }
  const start = Math.max(0, (await file.stat()).size - MAX_BYTES);
  await file.seek(start, Deno.SeekMode.Start);
  const text = await new Response(file.readable).text();
  const all = text.trimEnd().split("\n");
  if (start > 0) all.shift(); // It may be a part of a line.
  return lines === 0 || text === "" ? "" : all.slice(-lines).join("\n") + "\n";
}
