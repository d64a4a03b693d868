/** Fills the values of an operation from the flags `--set`, `--file` and `--category`. */
import type { Values } from "../../lib/client/request/values.ts";
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import { SvcError } from "../../lib/errors.ts";
import type { FileInput, OperationRef } from "../../lib/operation/operation.ts";
import operations from "../../lib/resources/attachments.ts";
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation } from "../context.ts";
import { openFile } from "../render/local_files.ts";
import { watchUpload } from "../render/transfer.ts";
import { describeCleared, parseSetting, setInContent, toSubmission } from "./set_fields.ts";

/** The values of the flags. */
export interface InputFlags {
  /** Values of `--set`. */
  readonly set: readonly string[];
  /** Paths of `--file`. */
  readonly file: readonly string[];
  /** Category of the files. */
  readonly category: string;
}

/** A file to upload, and the attachment that it becomes. */
interface Upload {
  readonly file: FileInput;
  readonly attachment: JsonObject;
}

/**
 * Returns the values with the settings and with the attachments of the files, which it uploads. A dry run uploads nothing.
 * Throws `INVALID_ARGS` before the first upload.
 */
export async function fillValues(
  context: CommandContext,
  { operation }: OperationRef,
  values: Values,
  { set, file: paths, category }: InputFlags,
): Promise<Values> {
  const { data = {}, pageInstructions = [], attachments = [] } = values;
  if (!isJsonObject(data) || !Array.isArray(pageInstructions) || !Array.isArray(attachments)) return values;
  const settings = set.map(parseSetting);
  const uploads = await Promise.all(paths.map(async (path): Promise<Upload> => {
    return { file: await openFile("--file", path), attachment: { type: "File", category } };
  }));
  const fields = [];
  for (const setting of settings) {
    if (!("file" in setting)) {
      fields.push(setting);
      continue;
    }
    const { written, file: path } = setting;
    if (operation.flags?.attachments === undefined || /\W/.test(written)) {
      throw new SvcError("INVALID_ARGS", `--set ${written} cannot be a file here.`, {
        hint: `Quote text that begins with @: --set '${written}="@${path}"'.`,
      });
    }
    const attachment = { type: "File", attachmentFieldName: written };
    uploads.push({ file: await openFile(`--set ${written}`, path), attachment });
  }
  describeCleared(fields).forEach(context.note);
  const filled: Record<string, unknown> = { ...values };
  const isWhole = operation.creates === true || operation.flags?.pageInstructions === undefined;
  if (fields.length > 0 && isWhole) filled.data = setInContent(data, fields);
  else if (fields.length > 0) {
    const submission = toSubmission(fields);
    filled.data = { ...data, ...submission.data };
    const all = [...pageInstructions, ...submission.pageInstructions];
    if (all.length > 0) filled.pageInstructions = all;
  }
  if (uploads.length > 0) filled.attachments = [...attachments, ...await uploadAll(context, uploads)];
  return filled;
}

async function uploadAll(context: CommandContext, uploads: readonly Upload[]): Promise<JsonObject[]> {
  if (context.globals.dryRun) {
    return uploads.map(({ file, attachment }) => ({ ...attachment, ID: `[UPLOADED ${file.name}]` }));
  }
  const ref = { name: "attachments.upload", operation: operations.upload };
  const attachments: JsonObject[] = [];
  for (const { file, attachment } of uploads) {
    const reply = await watchUpload(context, { file }, (watched) => callOperation(context, ref, watched));
    attachments.push({ ...attachment, ID: checkAnswer(operations.upload.answer, reply).ID });
  }
  return attachments;
}
