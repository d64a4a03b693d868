/** The calls that forms of all kinds make. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import type { Values } from "../../lib/client/request/values.ts";
import { SvcError } from "../../lib/errors.ts";
import { ChoiceLoader } from "../../lib/forms/mod.ts";
import type { FileInput, Operation } from "../../lib/operation/operation.ts";
import attachments from "../../lib/resources/attachments.ts";
import data from "../../lib/resources/data.ts";
import { filterObjects, isJsonObject, type JsonObject } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { openFile } from "../render/local_files.ts";

/** Largest number of rows that can be picked from. */
export const MAX_ROWS = 500;

/** Calls the service for forms. Files are uploaded once, even if the form is submitted several times. */
export class FormCalls {
  /** The running command. */
  readonly context: CommandContext;
  /** Aborts when the command must end. Ctrl-C only cancels the running call, so that no entries are lost. */
  readonly signal: AbortSignal;
  /** The choices of fields and references. */
  readonly choices: ChoiceLoader;
  #running = new AbortController();
  #isListening = false;
  readonly #uploads = new Map<FileInput, string>();

  /** Makes the calls of a command. */
  constructor(context: CommandContext) {
    this.context = context;
    const terminated = new AbortController();
    context.io.onTerminate?.(() => terminated.abort());
    this.signal = terminated.signal;
    this.choices = new ChoiceLoader({ load: (request) => this.#loadRows(request) });
  }

  /** Calls an operation. */
  async call(name: string, operation: Operation, values: Values): Promise<Reply> {
    this.#running = new AbortController();
    this.#listen();
    const signal = AbortSignal.any([this.signal, this.#running.signal]);
    return await this.context.caller.call({ name, operation }, values, { signal });
  }

  /** Returns the body of a response, which must be an object. Throws `INVALID_RESPONSE`. */
  readBody({ body }: Reply): JsonObject {
    if (isJsonObject(body)) return body;
    throw new SvcError("INVALID_RESPONSE", "The response is not a form: its body is not a JSON object.");
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

  /** Opens a file to upload. Throws an `SvcError` if it cannot be read. */
  async openFile(path: string): Promise<FileInput> {
    const home = this.context.io.env("HOME");
    return await openFile("The form", home === undefined ? path : path.replace(/^~(?=\/)/, home));
  }

  /** Uploads a file. Returns its temporary ID. */
  async upload(file: FileInput): Promise<string> {
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

  async #loadRows(
    { dataView, parameters, select }: { dataView: string; parameters: JsonObject; select?: readonly string[] },
  ): Promise<{ rows: readonly JsonObject[]; hasMore: boolean }> {
    const reply = await this.call("data.query", data.query, {
      dataViewId: dataView,
      data: {
        ...(Object.keys(parameters).length > 0 && { dataViewParameters: parameters }),
        ...(select && { query: { select: select.map((field) => ({ field })) } }),
        paging: { maxResultsToFetch: MAX_ROWS },
      },
    });
    const { data: rows, hasMoreResults } = checkAnswer(data.query.answer, reply);
    return { rows: filterObjects(rows), hasMore: hasMoreResults === true };
  }
}
