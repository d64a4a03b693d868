/** Describes the changes of a form for people. */
import type { Form } from "./form.ts";
import type { FormQuestion, FormRow } from "./nodes.ts";
import type { Row } from "./page.ts";
import { parsePath, type Path } from "./path.ts";

/** A change of a form. */
export interface FormChange {
  /** Path of the field, or of the list for a row. */
  readonly path: string;
  /** Label of the field or the list. */
  readonly label: string;
  /** A value was changed, or a row was added, removed or moved. */
  readonly kind: "changed" | "added" | "removed" | "moved";
  /** Text before; empty without a value. */
  readonly before: string;
  /** Text after; empty without a value. */
  readonly after: string;
}

/** Compares what a form would submit with what is stored. `findRows` returns the rows of a list with their origins. */
export function listChanges(form: Form, stored: Form, findRows: (path: Path) => readonly Row[]): FormChange[] {
  return form.questions.flatMap((question): FormChange[] => {
    const before = stored.find(question.path);
    const { path, label } = question;
    if (question.type === "list") {
      return compareRows(question, before?.type === "list" ? before.rows : [], findRows(parsePath(path) ?? []));
    }
    const [old, now] = [
      describe(before),
      question.type === "attachment" ? describeFiles(form, question) : describe(question),
    ];
    return old === now ? [] : [{ path, label, kind: "changed", before: old, after: now }];
  });
}

function compareRows(
  { path, label, rows }: FormQuestion & { rows: readonly FormRow[] },
  stored: readonly FormRow[],
  current: readonly Row[],
): FormChange[] {
  const kept = current.flatMap(({ origin }) => origin === undefined ? [] : [origin]);
  const removed = stored.flatMap((row, i): FormChange[] =>
    kept.includes(i) ? [] : [{ path, label, kind: "removed", before: describeRow(row), after: "" }]
  );
  const others = rows.flatMap((row, i): FormChange[] => {
    const origin = current[i]?.origin;
    const [before, after] = [origin === undefined ? "" : describeRow(stored[origin]), describeRow(row)];
    if (origin === undefined) return [{ path, label, kind: "added", before, after }];
    if (before !== after) return [{ path, label, kind: "changed", before, after }];
    const isMoved = kept.indexOf(origin) !== [...kept].sort((a, b) => a - b).indexOf(origin);
    return isMoved ? [{ path, label, kind: "moved", before, after }] : [];
  });
  return [...removed, ...others];
}

/** Describes a row by its cells. */
export function describeRow(row: FormRow | undefined): string {
  return row?.cells.filter((cell) => cell !== "").join(", ") || "(empty)";
}

function describe(question: FormQuestion | undefined): string {
  switch (question?.type) {
    case undefined:
      return "";
    case "field":
      return question.text;
    case "list":
      return question.rows.map(describeRow).join("; ");
    case "reference":
      return question.chosen.map(({ text }) => text).join(", ");
    case "attachment":
      return question.files.join(", ");
  }
}

function describeFiles(form: Form, question: FormQuestion): string {
  const chosen = form.files.get(question.path);
  if (chosen === undefined) return describe(question);
  return chosen.flatMap((file) => file === null ? [] : [file.name ?? file.ID]).join(", ");
}
