/** Builds the body that submits what was entered in a form. */
import type { JsonObject } from "../../utils/json.ts";
import type { FormAttachment, FormNode, FormQuestion, FormReference } from "./nodes.ts";
import { findPage, getContent, openList, type Page, type Row } from "./page.ts";
import { formatPath, formatTarget, parsePath, type Path, setAt } from "./path.ts";
import { isSameValue } from "./values.ts";

/** The body that submits a form. */
export interface FormSubmission {
  /** Values of the case and of its embedded pages. */
  readonly content: JsonObject;
  /** Changes of lists and attachment fields, to be applied in this order. */
  readonly pageInstructions: JsonObject[];
  /** Files of attachment fields, for servers that take them here. */
  readonly attachments: JsonObject[];
}

/** Options of a submission. */
export interface SubmissionOptions {
  /** Where files of attachment fields go: `instructions` (default) or `attachments`, as older servers expect. */
  readonly files?: "instructions" | "attachments";
}

/** Lists the visible questions, each once. A question that is also drawn read-only can be edited. */
export function listQuestions(nodes: readonly FormNode[]): FormQuestion[] {
  const found = new Map<string, FormQuestion>();
  for (const question of flatten(nodes)) {
    const known = found.get(question.path);
    if (known === undefined || (known.isReadOnly && !question.isReadOnly)) found.set(question.path, question);
  }
  return [...found.values()];
}

function* flatten(nodes: readonly FormNode[]): Generator<FormQuestion> {
  for (const node of nodes) {
    if (!node.isVisible) continue;
    if (node.type === "group") yield* flatten(node.children);
    else if (node.type !== "note") yield node;
  }
}

/** Builds the body that submits the changes of a page and of what is below it. */
export function buildSubmission(
  nodes: readonly FormNode[],
  root: Page,
  base: Path,
  { files = "instructions" }: SubmissionOptions = {},
): FormSubmission {
  const attachments: JsonObject[] = [];
  const place = base.slice(0, base.findLastIndex((segment) => typeof segment === "number") + 1);
  const { content, after } = collect(nodes, root, place, files === "attachments" ? attachments : undefined);
  const row = place.at(-1);
  if (typeof row !== "number") return { content, pageInstructions: after, attachments };
  const target = formatTarget(place.slice(0, -1));
  const own = Object.keys(content).length > 0 ? [{ instruction: "UPDATE", target, listIndex: row + 1, content }] : [];
  return { content: {}, pageInstructions: [...own, ...after], attachments };
}

/** The changes of a page: its values, and the instructions that follow them. */
interface Changes {
  readonly content: JsonObject;
  readonly after: JsonObject[];
}

function collect(nodes: readonly FormNode[], root: Page, base: Path, attachments?: JsonObject[]): Changes {
  const content: JsonObject = {};
  const after: JsonObject[] = [];
  for (const question of listQuestions(nodes)) {
    if (question.isReadOnly) continue;
    const path = parsePath(question.path) ?? [];
    const names = path.slice(base.length).filter((segment) => typeof segment === "string");
    const holder = findPage(root, path.slice(0, -1));
    if (holder === undefined) continue;
    const name = String(path.at(-1));
    switch (question.type) {
      case "field": {
        const value = getContent(holder)[name];
        if (!isSameValue(question.kind, value, holder.stored[name])) setAt(content, names, value ?? "");
        break;
      }
      case "list":
        after.push(...listInstructions(path, root, (row, rowPath) => {
          const drawn = question.rows.find((one) => one.path === formatPath(rowPath));
          return row.origin === undefined || drawn?.canEdit !== false
            ? collect(drawn?.nodes ?? [], root, rowPath, attachments)
            : { content: {}, after: [] };
        }));
        break;
      case "reference":
        if (question.mode === "multiple") after.push(...multipleInstructions(question, path, root));
        else {Object.entries(singleReference(question, path, root)).forEach(([key, value]) =>
            setAt(content, [...names, key], value ?? "")
          );}
        break;
      case "attachment":
        fileChanges(question, path, root, after, attachments);
        break;
    }
  }
  return { content, after };
}

/** Returns all keys of a record that was chosen, or all members that were copied. */
function singleReference({ mode, keys }: FormReference, path: Path, root: Page): JsonObject {
  const page = findPage(root, path);
  if (page === undefined) return {};
  const current = getContent(page);
  const names = mode === "copy" ? [...page.values.keys()] : keys;
  const isChanged = names.some((name) => !isSameValue("text", current[name], page.stored[name]));
  return isChanged ? Object.fromEntries(names.map((name) => [name, current[name] ?? ""])) : {};
}

function multipleInstructions({ keys }: FormReference, path: Path, root: Page): JsonObject[] {
  const { rows, count } = findRows(path, root);
  const target = formatTarget(path);
  const pick = ({ page }: Row): Changes => {
    const content = getContent(page);
    return { content: Object.fromEntries(keys.map((name) => [name, content[name] ?? ""])), after: [] };
  };
  if (count === 0 || rows.some(({ origin }) => origin !== undefined)) {
    return listInstructions(path, root, (row) => row.origin === undefined ? pick(row) : { content: {}, after: [] });
  }
  const inserted = rows.map((row, i) => ({
    instruction: "INSERT",
    target,
    listIndex: i + 1,
    content: pick(row).content,
  }));
  return [{ instruction: "DELETE ALL", target }, ...inserted];
}

function findRows(path: Path, root: Page): { rows: readonly Row[]; count: number } {
  const holder = findPage(root, path.slice(0, -1));
  return holder === undefined ? { rows: [], count: 0 } : openList(holder, String(path.at(-1)));
}

/** Lists the instructions that turn the stored rows into the current ones: first deletions, then moves, then changes. */
function listInstructions(path: Path, root: Page, describe: (row: Row, path: Path) => Changes): JsonObject[] {
  const { rows, count } = findRows(path, root);
  const target = formatTarget(path);
  const wanted = rows.flatMap(({ origin }) => origin === undefined ? [] : [origin]);
  const order = Array.from({ length: count }, (_, i) => i);
  const instructions: JsonObject[] = [];
  for (let i = count - 1; i >= 0; i--) {
    if (wanted.includes(i)) continue;
    instructions.push({ instruction: "DELETE", target, listIndex: i + 1 });
    order.splice(i, 1);
  }
  wanted.forEach((origin, to) => {
    const from = order.indexOf(origin);
    if (from === to) return;
    instructions.push({ instruction: "MOVE", target, listIndex: from + 1, listMoveToIndex: to + 1 });
    order.splice(to, 0, ...order.splice(from, 1));
  });
  rows.forEach((row, i) => {
    const { content, after } = describe(row, [...path, i]);
    const isNew = row.origin === undefined;
    if (isNew || Object.keys(content).length > 0) {
      instructions.push({ instruction: isNew ? "INSERT" : "UPDATE", target, listIndex: i + 1, content });
    }
    instructions.push(...after);
  });
  return instructions;
}

function fileChanges(
  { isMultiple }: FormAttachment,
  path: Path,
  root: Page,
  instructions: JsonObject[],
  attachments: JsonObject[] | undefined,
): void {
  const name = String(path.at(-1));
  const holder = findPage(root, path.slice(0, -1));
  const target = formatTarget(path);
  const stored = holder?.stored[name];
  let count = Array.isArray(stored) ? stored.length : 0;
  for (const file of holder?.files.get(name) ?? []) {
    if (attachments !== undefined) {
      attachments.push({
        type: "File",
        attachmentFieldName: name,
        ...(file === null ? { delete: true } : { ID: file.ID }),
      });
    } else if (file === null) {
      instructions.push({ instruction: isMultiple ? "DELETE ALL" : "DELETE", target });
      count = 0;
    } else if (isMultiple) {
      instructions.push({ instruction: "INSERT", target, listIndex: ++count, content: { ID: file.ID } });
    } else {
      instructions.push({ instruction: "REPLACE", target, content: { ID: file.ID } });
    }
  }
}

/** Lists the paths of everything that a submission can contain. */
export function listSendablePaths(nodes: readonly FormNode[]): Set<string> {
  const paths = new Set<string>();
  for (const question of listQuestions(nodes)) {
    if (question.isReadOnly) continue;
    paths.add(question.path);
    if (question.type === "reference") question.keys.forEach((key) => paths.add(`${question.path}.${key}`));
    if (question.type !== "list") continue;
    for (const { nodes } of question.rows) listSendablePaths(nodes).forEach((path) => paths.add(path));
  }
  return paths;
}
