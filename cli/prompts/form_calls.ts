/** The calls that forms of all kinds make. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import type { Values } from "../../lib/client/request/values.ts";
import type { FileInput, Operation } from "../../lib/operation/operation.ts";
import attachments from "../../lib/resources/attachments.ts";
import data from "../../lib/resources/data.ts";
import { filterObjects, type JsonValue } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { openFile } from "../render/local_files.ts";
import type { FieldSources, LoadedChoices } from "./ask_field.ts";
import { findValue, type Reference } from "./form.ts";
import type { FileChange } from "./form_state.ts";

/** Largest number of rows that can be picked from. */
export const MAX_ROWS = 500;

/** Calls the service for forms. Files are uploaded once, even if the form is submitted several times. */
export class FormCalls implements FieldSources {
  /** The running command. */
  readonly context: CommandContext;
  /** Aborts when the command must end. Ctrl-C only cancels the running call, so that no entries are lost. */
  readonly signal: AbortSignal;
  #running = new AbortController();
  #isListening = false;
  readonly #uploads = new Map<FileInput, string>();
  readonly #choices = new Map<string, LoadedChoices>();

  /** Makes the calls of a command. */
  constructor(context: CommandContext) {
    this.context = context;
    const terminated = new AbortController();
    context.io.onTerminate?.(() => terminated.abort());
    this.signal = terminated.signal;
  }

  /** Calls an operation. */
  async call(name: string, operation: Operation, values: Values): Promise<Reply> {
    this.#running = new AbortController();
    this.#listen();
    const signal = AbortSignal.any([this.signal, this.#running.signal]);
    return await this.context.caller.call({ name, operation }, values, { signal });
  }

  /** Cancels the running call on Ctrl-C. A listener is called once. */
  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.context.io.onInterrupt(() => {
      this.#isListening = false;
      this.#running.abort();
    });
  }

  async loadChoices(reference: Reference): Promise<LoadedChoices> {
    const key = JSON.stringify(reference);
    const known = this.#choices.get(key) ?? await this.#queryChoices(reference);
    this.#choices.set(key, known);
    return known;
  }

  async openFile(path: string): Promise<FileInput> {
    const home = this.context.io.env("HOME");
    return await openFile("The form", home === undefined ? path : path.replace(/^~(?=\/)/, home));
  }

  /** Uploads the files of attachment fields. Returns the attachments to submit. */
  async uploadFiles(files: ReadonlyMap<string, FileChange>): Promise<JsonValue[]> {
    const attachments: JsonValue[] = [];
    for (const [attachmentFieldName, change] of files) {
      attachments.push(
        change === null
          ? { type: "File", attachmentFieldName, delete: true }
          : { type: "File", attachmentFieldName, ID: await this.#upload(change.file) },
      );
    }
    return attachments;
  }

  async #upload(file: FileInput): Promise<string> {
    const known = this.#uploads.get(file);
    if (known !== undefined) return known;
    const { watchUpload } = await import("../render/transfer.ts");
    const { upload } = attachments;
    const reply = await watchUpload(
      this.context,
      { file, appendUniqueId: true },
      (values) => this.call("attachments.upload", upload, values),
    );
    const { ID } = checkAnswer(upload.answer, reply);
    this.#uploads.set(file, ID);
    return ID;
  }

  async #queryChoices({ dataView, value, text, parameters }: Reference): Promise<LoadedChoices> {
    const reply = await this.call("data.query", data.query, {
      dataViewId: dataView,
      max: MAX_ROWS,
      ...(Object.keys(parameters).length > 0 && { params: parameters }),
    });
    const answer = checkAnswer(data.query.answer, reply);
    const choices = filterObjects(answer.data).map((row) => {
      const [key, label] = [value, text].map((path) => findValue(row, path.split(".")));
      return { value: String(key ?? ""), label: label === key ? String(key ?? "") : `${label ?? ""} (${key ?? ""})` };
    });
    return { choices, hasMore: answer.hasMoreResults === true };
  }
}
