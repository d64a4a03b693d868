/** Finds the run that has processed a file of inputs. */
import { SvcError } from "../../lib/errors.ts";
import { getFileName } from "../../utils/fs/file_name.ts";
import type { Fingerprint } from "../inputs/fingerprint.ts";
import { fingerprintFile, isCsv } from "../inputs/open_inputs.ts";
import type { RunRecord, RunSettings } from "../journal/journal.ts";

/** A file of inputs, and the script and the service that process it. They identify the run of the file. */
export interface ProcessedFile {
  /** File name of the script. Its path may differ from one release to the next, and its content after a correction. */
  readonly script: string;
  /** Address and client of the service; undefined if none is configured. */
  readonly service?: string;
  /** Path of the file. */
  readonly path: string;
  /** Path through which the user named it, if it is another one. */
  readonly link?: string;
  /** Fingerprint of the file. */
  readonly file: Fingerprint;
}

/** Reads the file of inputs of a run. Throws if the inputs are not in a file. */
export async function readProcessedFile(settings: RunSettings, service: string | undefined): Promise<ProcessedFile> {
  const { script, each: path, eachLink: link } = settings;
  const file = path === undefined ? undefined : await fingerprintFile(path);
  if (path !== undefined && file !== undefined) return { script: getFileName(script), service, path, link, file };
  throw new SvcError("INVALID_ARGS", "To be processed only once, inputs must be in a file.", {
    hint: { text: "Write the inputs to a file.", options: [{ name: "each", purpose: "to name it" }] },
  });
}

/** Reports whether a run processes a file, or has processed it. */
export function isRunOf({ script, service, path, link, file }: ProcessedFile, { settings }: RunRecord): boolean {
  const digests = [settings.file?.sha256, ...settings.earlierFiles ?? []];
  return digests.includes(file.sha256) && getFileName(settings.script) === script && settings.service === service &&
    settings.each !== undefined && isCsv(settings.each, settings.eachLink) === isCsv(path, link);
}

/** Checks that a file has the name that an unfinished run recorded with its inputs. Throws `INVALID_ARGS` otherwise. */
export function checkSameName({ path }: ProcessedFile, { id, state, settings: { each = "" } }: RunRecord): void {
  const name = getFileName(each);
  if (state !== "open" || getFileName(path) === name) return;
  throw new SvcError(
    "INVALID_ARGS",
    `Run ${id} is unfinished, and was started with this file under the name ${name}.`,
    {
      hint: `Rename the file to ${name} to continue the run.`,
    },
  );
}
