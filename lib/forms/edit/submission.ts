/** Builds the body that submits what was entered in a form. */
import { isNonEmptyString, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import type { FormNode, FormReference } from "../nodes.ts";
import { formatPath, formatTarget, isWithin, parsePath, type Path, setAt } from "../path.ts";
import { isSameValue, listFiles } from "../values.ts";
import {
  type FileChange,
  filterEntries,
  findPage,
  getContent,
  type List,
  openList,
  type Page,
  type Row,
} from "./page.ts";
import { listQuestions } from "./questions.ts";

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
  /** Place of the files of attachment fields: `instructions` (default) or `attachments`, as older servers expect. */
  readonly files?: "instructions" | "attachments";
}

/** Builds the body that submits the changes of a page and of what is below it. `root` has only entries that can be sent. */
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
    const name = String(path.at(-1));
    const holder = findPage(root, path.slice(0, -1));
    if (holder === undefined) continue;
    switch (question.type) {
      case "field": {
        const value = getContent(holder)[name];
        if (!isSameValue(question.kind, value, holder.stored[name])) setAt(content, names, value ?? "");
        break;
      }
      case "list":
        after.push(...listInstructions(openList(holder, name), path, (_row, rowPath) => {
          const drawn = question.rows.find((one) => one.path === formatPath(rowPath));
          return collect(drawn?.nodes ?? [], root, rowPath, attachments);
        }));
        break;
      case "reference":
        if (question.mode === "multiple") after.push(...multipleInstructions(question, openList(holder, name), path));
        else {
          for (const [key, value] of Object.entries(singleReference(question, path, root))) {
            setAt(content, [...names, key], value ?? "");
          }
        }
        break;
      case "attachment": {
        const change = holder.files.get(name);
        if (change === undefined) break;
        if (attachments !== undefined) attachments.push(...listAttachments(name, change, holder.stored[name]));
        else after.push(...fileInstructions(path, change, holder.stored[name]));
      }
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

function multipleInstructions({ keys }: FormReference, list: List, path: Path): JsonObject[] {
  const { rows, count } = list;
  const target = formatTarget(path);
  const pick = ({ page }: Row): Changes => {
    const content = getContent(page);
    return { content: Object.fromEntries(keys.map((name) => [name, content[name] ?? ""])), after: [] };
  };
  if (count === 0 || rows.some(({ origin }) => origin !== undefined)) {
    return listInstructions(list, path, (row) => row.origin === undefined ? pick(row) : { content: {}, after: [] });
  }
  const inserted = rows.map((row, i) => ({
    instruction: "INSERT",
    target,
    listIndex: i + 1,
    content: pick(row).content,
  }));
  return [{ instruction: "DELETE ALL", target }, ...inserted];
}

/** Lists the instructions that turn the stored rows into the current ones: first deletions, then moves, then changes. */
function listInstructions(
  { rows, count }: List,
  path: Path,
  describe: (row: Row, path: Path) => Changes,
): JsonObject[] {
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

function fileInstructions(
  path: Path,
  { isMultiple, removed, added }: FileChange,
  stored: JsonValue | undefined,
): JsonObject[] {
  const target = formatTarget(path);
  if (!isMultiple) {
    const [file] = added;
    return [
      file === undefined
        ? { instruction: "DELETE", target }
        : { instruction: "REPLACE", target, content: { ID: file.ID } },
    ];
  }
  const files = listFiles(stored);
  const isCleared = files.length > 0 && removed.length === files.length;
  const count = Array.isArray(stored) ? stored.length : files.length;
  const kept = isCleared ? 0 : count - removed.length;
  const deleted = removed.toSorted((a, b) => b - a).map((position): JsonObject => {
    return { instruction: "DELETE", target, listIndex: position + 1 };
  });
  const inserted = added.map(({ ID }, i) => ({
    instruction: "INSERT",
    target,
    listIndex: kept + i + 1,
    content: { ID },
  }));
  return [...isCleared ? [{ instruction: "DELETE ALL", target }] : deleted, ...inserted];
}

/** A file that a new one replaces is removed first. */
function listAttachments(
  name: string,
  { isMultiple, removed, added }: FileChange,
  stored: JsonValue | undefined,
): JsonObject[] {
  const about = { type: "File", attachmentFieldName: name };
  const deleted = listFiles(stored).filter(({ position }) => !isMultiple || removed.includes(position))
    .map(({ file }) => {
      const ID = [file.ID, file.pzInsKey].find(isNonEmptyString);
      return { ...about, ...(ID !== undefined && { ID }), delete: true };
    });
  return [...deleted, ...added.map(({ ID }) => ({ ...about, ID }))];
}

/** Returns a page without what was entered in parts that are hidden or read-only now. `base` is the path of the form. */
export function keepSendable(nodes: readonly FormNode[], page: Page, base: Path): Page {
  const isSendable = findSendable(nodes);
  return filterEntries(page, (path) => isWithin(base, path) || isSendable(path));
}

/** Returns a function that reports whether a submission can contain what is at a path. */
export function findSendable(nodes: readonly FormNode[]): (path: Path) => boolean {
  const paths = new Set<string>();
  const records = new Set<string>();
  addSendable(nodes, paths, records);
  return (path) =>
    paths.has(formatPath(path)) || path.some((_, i) => i > 0 && records.has(formatPath(path.slice(0, i))));
}

function addSendable(nodes: readonly FormNode[], paths: Set<string>, records: Set<string>): void {
  for (const question of listQuestions(nodes)) {
    if (question.isReadOnly) continue;
    paths.add(question.path);
    if (question.type === "reference") records.add(question.path);
    if (question.type !== "list") continue;
    for (const { nodes } of question.rows) addSendable(nodes, paths, records);
  }
}
