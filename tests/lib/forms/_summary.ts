/** Fills in forms and describes them, in any JavaScript runtime. */
import {
  type Form,
  type FormField,
  type FormNode,
  type JsonValue,
  readForm,
  SvcError,
} from "../../../lib/forms/mod.ts";

/** Values to enter, by kind. */
const ENTRIES: Readonly<Partial<Record<FormField["kind"], JsonValue>>> = {
  integer: "42",
  decimal: "12.50",
  percentage: "7",
  currency: "1000",
  boolean: true,
  date: "2031-04-05",
  dateTime: "2031-04-05 23:30",
  time: "9:30",
  phone: "+47 22 00 00 00",
};

/** Reads a form, enters a value in every field, adds and removes rows, and describes each form in between as JSON. */
export function summarize(body: object): string[] {
  const opened = readForm(body, { timeZone: "Europe/Oslo" });
  const forms = [opened];
  for (const question of opened.questions) {
    const form = forms.at(-1) ?? opened;
    try {
      forms.push(enter(form, question.path));
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      forms.push(form.applyErrors(error));
    }
  }
  return forms.map(describe);
}

function enter(form: Form, path: string): Form {
  const question = form.find(path);
  switch (question?.type) {
    case "field":
      return form.set(path, ENTRIES[question.kind] ?? "x");
    case "list":
      return form.list(path).insert().list(path).move(question.rows.length, 0);
    case "reference":
      return form.reference(path).choose(question.keys.length === 1 ? 1 : Object.fromEntries(question.keys.entries()));
    case "attachment":
      return form.attach(path, { ID: "F-1", name: `plan.${question.extensions[0] ?? "pdf"}` });
    default:
      return form;
  }
}

function describe(form: Form): string {
  const { title, instructions, purpose, steps, buttons, problems, messages } = form;
  const nodes: readonly FormNode[] = form.nodes;
  return JSON.stringify({
    ...{ title, instructions, purpose, steps, buttons, problems, messages, nodes },
    submission: form.toSubmission(),
    refresh: form.refreshFor(),
    changes: form.changes(),
  });
}
