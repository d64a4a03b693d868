/** Describes the changes of a form for people. */
import type { FormNode, FormQuestion, FormRow } from "../nodes.ts";
import { createPage, type Row } from "./page.ts";
import { listQuestions, walkQuestions } from "./questions.ts";
import { drawForm, findCurrentRows, findQuestion, type FormState, toPath } from "./state.ts";

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

/** Compares what a form would submit with what is stored. */
export function listChanges(state: FormState): FormChange[] {
  const stored: FormState = { ...state, page: createPage(state.page.stored) };
  return listQuestions(drawForm(state).nodes).filter(({ isReadOnly }) => !isReadOnly).flatMap((question) => {
    return compare(state, question, findQuestion(stored, question.path), question.label);
  });
}

function compare(
  state: FormState,
  question: FormQuestion,
  stored: FormQuestion | undefined,
  label: string,
): FormChange[] {
  const { path } = question;
  if (question.type === "list") {
    const before = stored?.type === "list" ? stored.rows : [];
    return compareRows(state, { path, label, rows: question.rows }, before, findCurrentRows(state, toPath(path)).rows);
  }
  const [before, after] = [describe(stored), describe(question)];
  return before === after ? [] : [{ path, label, kind: "changed", before, after }];
}

function compareRows(
  state: FormState,
  { path, label, rows }: { readonly path: string; readonly label: string; readonly rows: readonly FormRow[] },
  stored: readonly FormRow[],
  current: readonly Row[],
): FormChange[] {
  const kept = current.flatMap(({ origin }) => origin === undefined ? [] : [origin]);
  const inOrder = kept.toSorted((a, b) => a - b);
  const removed = stored.flatMap((row, i): FormChange[] =>
    kept.includes(i) ? [] : [{ path, label, kind: "removed", before: describeRow(row), after: "" }]
  );
  const others = rows.flatMap((row, i): FormChange[] => {
    const origin = current[i]?.origin;
    const old = origin === undefined ? undefined : stored[origin];
    const after = describeRow(row);
    if (origin === undefined || old === undefined) return [{ path, label, kind: "added", before: "", after }];
    const before = describeRow(old);
    if (before !== after) return [{ path, label, kind: "changed", before, after }];
    const inner = compareNodes(state, row, old, label);
    if (inner.length > 0) return inner;
    return kept.indexOf(origin) === inOrder.indexOf(origin) ? [] : [{ path, label, kind: "moved", before, after }];
  });
  return [...removed, ...others];
}

/** Compares the parts of a row that its table does not show. */
function compareNodes(state: FormState, row: FormRow, stored: FormRow, label: string): FormChange[] {
  return listQuestions(row.nodes).filter(({ isReadOnly }) => !isReadOnly).flatMap((question) => {
    const path = stored.path + question.path.slice(row.path.length);
    return compare(state, question, findIn(stored.nodes, path), `${label}, ${row.heading}, ${question.label}`);
  });
}

function findIn(nodes: readonly FormNode[], path: string): FormQuestion | undefined {
  return [...walkQuestions(nodes)].find((question) => question.path === path);
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
