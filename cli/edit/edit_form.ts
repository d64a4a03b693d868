/** `svc edit`: changes the fields of a form in an editor. */
import type { Reply } from "../../lib/client/response/reply.ts";
import { getConfigDirectory } from "../../lib/auth/profiles.ts";
import type { Values } from "../../lib/client/request/values.ts";
import { SvcError, toSvcError } from "../../lib/errors.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { makePrivateDirectory } from "../../utils/fs/private_file.ts";
import type { Form } from "../../lib/forms/mod.ts";
import type { JsonObject } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { toValues } from "../prompts/form_source.ts";
import { compare, formatChange, readDocument, readEditable, writeDocument } from "./form_document.ts";
import { openEditor } from "./open_editor.ts";

/** A form in the service. */
export interface EditSource {
  /** Title of the document. */
  readonly title: string;
  /** Reads the form as it is now. */
  read(): Promise<FormReading>;
  /** Submits changed fields. Throws `PRECONDITION_FAILED` if the form has changed since it was read. */
  submit(values: Values): Promise<Reply>;
}

/** The state of a form. */
export interface FormReading {
  readonly form: Form;
  /** Entity tag. */
  readonly etag?: string;
}

/**
 * Opens a form in an editor, shows the changes and submits them. If they are invalid, or the form has changed since it was
 * opened, opens it again with a remark. Saving it then submits it, even without further changes. Returns undefined if
 * nothing was changed or the file is empty. After an error, the text is kept in a file.
 */
export async function editForm(context: CommandContext, form: EditSource): Promise<Reply | undefined> {
  const session = new EditSession(form, await form.read());
  const initial = session.text;
  const directory = getConfigDirectory();
  await makePrivateDirectory(directory);
  const folder = await Deno.makeTempDir({ dir: directory, prefix: "edit-" });
  const path = `${folder}/form.yaml`;
  try {
    const reply = await editUntilAccepted(context, session, path);
    await Deno.remove(folder, { recursive: true });
    return reply;
  } catch (error) {
    const text = await Deno.readTextFile(path).catch(ignoreMissing) ?? initial;
    if (text !== initial) throw addPath(toSvcError(error), path);
    await Deno.remove(folder, { recursive: true });
    throw error;
  }
}

function addPath(error: SvcError, path: string): SvcError {
  return error.with({ hint: [error.hint, `Your text is in ${path}.`].filter((part) => part !== undefined).join(" ") });
}

async function editUntilAccepted(
  context: CommandContext,
  session: EditSession,
  path: string,
): Promise<Reply | undefined> {
  for (let isOpenedAgain = false;; isOpenedAgain = true) {
    await Deno.writeTextFile(path, session.text, { mode: 0o600 });
    await openEditor(path);
    const text = await Deno.readTextFile(path);
    if (text.trim() === "") {
      context.note("The file is empty, so nothing was submitted.");
      return undefined;
    }
    try {
      return await session.submit(text, context);
    } catch (error) {
      if (!(error instanceof SvcError) || !REPAIRABLE.includes(error.code)) throw error;
      const isRepeated = isOpenedAgain && text === session.text && error.code !== "PRECONDITION_FAILED";
      if (isRepeated) throw error;
      await session.prepareAgain(text, error);
    }
  }
}

/** Errors that the user can repair in the editor. */
const REPAIRABLE = ["INVALID_ARGS", "VALIDATION_FAIL", "BAD_REQUEST", "PRECONDITION_FAILED"];

/** Marks the lines that explain an error. They are replaced when the document is opened again. */
const REMARK = "# ! ";

/** Remark on a form that has changed since it was opened. */
const CHANGED =
  "The form was changed while you edited it. Check the values, and save to submit them. An empty file cancels.";

/** A document that is edited until its changes are accepted. */
class EditSession {
  readonly #source: EditSource;
  #reading: FormReading;
  /** The document to open. */
  text: string;

  constructor(source: EditSource, reading: FormReading) {
    this.#source = source;
    this.#reading = reading;
    const { title } = source;
    const top = [title, "Save and close the editor to submit the changes. An empty file cancels."];
    this.text = writeDocument(reading.form, readEditable(reading.form), { top });
  }

  /** Submits the changes in a text. Returns undefined if nothing was changed. */
  async submit(text: string, context: CommandContext): Promise<Reply | undefined> {
    const { form, etag } = this.#reading;
    const changes = compare(this.#original, readDocument(text, form));
    if (changes.length === 0) {
      context.note("Nothing was changed.");
      return undefined;
    }
    const edited = Object.fromEntries(changes.map(({ name, after }) => [name, after]));
    const filled = form.fill(edited);
    for (const change of changes) context.note(formatChange(change));
    const values = toValues({ submission: filled.form.toSubmission(), further: filled.rest });
    return await this.#source.submit({ ...values, ifMatch: etag });
  }

  /** Prepares the document for another attempt: with the reasons of the error, or with the new values of the service. */
  async prepareAgain(text: string, error: SvcError): Promise<void> {
    if (error.code !== "PRECONDITION_FAILED") {
      const reasons = (error.details ?? []).map(({ localizedValue, message }) => String(localizedValue ?? message));
      this.text = addRemarks(reasons.length > 0 ? reasons : [error.message], text);
      return;
    }
    const original = this.#original;
    const own = compare(original, readDocument(text, this.#reading.form));
    this.#reading = await this.#source.read();
    const { form } = this.#reading;
    const theirs = compare(original, this.#original);
    const merged = { ...readEditable(form), ...Object.fromEntries(own.map(({ name, after }) => [name, after])) };
    const above = new Map(theirs.map((change) => {
      const isBoth = own.some(({ name }) => name === change.name);
      return [change.name, [
        `Changed while you edited: ${formatChange(change)}${isBoth ? ". Your value is below" : ""}`,
      ]];
    }));
    const document = writeDocument(form, merged, { top: [this.#source.title], above });
    this.text = addRemarks([CHANGED], document);
  }

  /** The values of the service, as the document shows them: a value that is not edited is not a change. */
  get #original(): JsonObject {
    const { form } = this.#reading;
    return readDocument(writeDocument(form, readEditable(form), { top: [] }), form);
  }
}

function addRemarks(remarks: readonly string[], text: string): string {
  const rest = text.split("\n").filter((line) => !line.startsWith(REMARK)).join("\n");
  return remarks.map((remark) => REMARK + remark.replaceAll("\n", " ") + "\n").join("") + rest;
}
