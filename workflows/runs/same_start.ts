import { isSameFile } from "../../utils/fs/same_file.ts";
import { fingerprintFile, STDIN } from "../inputs/open_inputs.ts";
import type { RunSettings } from "../journal/journal.ts";

/** Reports whether a run was started with the script and the inputs of a new one. */
export async function isSameStart(recorded: RunSettings, settings: RunSettings): Promise<boolean> {
  return JSON.stringify(recorded.input) === JSON.stringify(settings.input) &&
    await isSameFile(recorded.script, settings.script) && await hasSameInputs(recorded, settings);
}

/** A link that has another target leads to the same inputs only if the content of the file is the same. */
async function hasSameInputs(recorded: RunSettings, { each, eachLink }: RunSettings): Promise<boolean> {
  if (recorded.each === each) return true;
  if (recorded.each === undefined || each === undefined || recorded.each === STDIN || each === STDIN) return false;
  if (await isSameFile(recorded.each, each)) return true;
  if (eachLink === undefined || recorded.eachLink !== eachLink || recorded.file === undefined) return false;
  return (await fingerprintFile(each))?.sha256 === recorded.file.sha256;
}
