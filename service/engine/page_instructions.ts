/** Page instructions: changes of embedded pages and lists, one after another. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../lib/json.ts";
import type { EmbeddedClass, Field, View } from "../definition/application.ts";
import { ServiceError } from "../errors.ts";
import { type Findings, mergePage, newPage } from "./content.ts";

/** Applies the instructions to the content in their order. A field that changes is copied first, once. */
export function applyInstructions(
  view: View,
  content: JsonObject,
  instructions: readonly JsonValue[],
  findings: Findings,
): void {
  const copied = new Set<string>();
  for (const [index, value] of instructions.entries()) {
    if (!isJsonObject(value)) throw invalid(index, "must be an object");
    applyOne(view, content, value, index, findings, copied);
  }
}

/** One step of a target's path: a field, and a row of it where it is a list. */
interface Segment {
  readonly name: string;
  readonly row?: number;
}

function applyOne(
  view: View,
  content: JsonObject,
  value: JsonObject,
  index: number,
  findings: Findings,
  copied: Set<string>,
): void {
  const { instruction, target } = value;
  if (typeof instruction !== "string") throw invalid(index, "'instruction' is missing");
  if (typeof target !== "string") throw invalid(index, "'target' is missing");
  const path = segments(target, index);
  const last = path.at(-1);
  const top = view.fields.get(path[0]?.name ?? "");
  if (last === undefined || top === undefined || top.readOnly) {
    throw invalid(index, `the target '${target}' is not editable in this form`);
  }
  if (!isJsonObject(value.content) && instruction !== "DELETE" && instruction !== "MOVE") {
    throw invalid(index, `${instruction} needs 'content'`);
  }
  const { name } = top.field;
  if (!copied.has(name) && content[name] !== undefined) content[name] = structuredClone(content[name]);
  copied.add(name);
  const { holder, field, embedded } = locate(new Map([[name, top.field]]), content, path, index);
  const here = target.startsWith(".") ? target : "." + target;
  const pageContent = isJsonObject(value.content) ? value.content : {};
  if (field.type === "Page") {
    changePage(holder, field, embedded, instruction, pageContent, here, index, findings);
    return;
  }
  const current = holder[field.name];
  const rows = Array.isArray(current) ? current : [];
  holder[field.name] = rows;
  const row = integer(value.listIndex) ?? last.row;
  const to = integer(value.listMoveToIndex);
  changeList(rows, embedded, { instruction, row, to, content: pageContent }, here, index, findings);
}

function changePage(
  holder: JsonObject,
  { name }: Field,
  embedded: EmbeddedClass,
  instruction: string,
  content: JsonObject,
  path: string,
  index: number,
  findings: Findings,
): void {
  const current = holder[name];
  switch (instruction) {
    case "UPDATE": {
      const base = isJsonObject(current) ? current : newPage(embedded.fields);
      holder[name] = mergePage(embedded, base, content, path, findings);
      return;
    }
    case "REPLACE":
      holder[name] = mergePage(embedded, newPage(embedded.fields), content, path, findings);
      return;
    case "DELETE":
      delete holder[name];
      return;
    default:
      throw invalid(index, `${instruction} is not an instruction for a page`);
  }
}

interface ListChange {
  readonly instruction: string;
  readonly row?: number;
  readonly to?: number;
  readonly content: JsonObject;
}

function changeList(
  rows: JsonValue[],
  embedded: EmbeddedClass,
  { instruction, row, to, content }: ListChange,
  path: string,
  index: number,
  findings: Findings,
): void {
  const within = (position: number | undefined, name: string, limit = rows.length): number => {
    if (position === undefined) throw invalid(index, `${instruction} needs '${name}'`);
    if (position < 1 || position > limit) throw invalid(index, `'${name}' ${position} is not between 1 and ${limit}`);
    return position - 1;
  };
  const fresh = (at: number): JsonObject =>
    mergePage(embedded, newPage(embedded.fields), content, rowPath(path, at), findings);
  switch (instruction) {
    case "APPEND":
      rows.push(fresh(rows.length));
      return;
    case "INSERT": {
      const at = within(row, "listIndex", rows.length + 1);
      rows.splice(at, 0, fresh(at));
      return;
    }
    case "UPDATE": {
      const at = within(row, "listIndex");
      const current = rows[at];
      rows[at] = mergePage(embedded, isJsonObject(current) ? current : {}, content, rowPath(path, at), findings);
      return;
    }
    case "REPLACE": {
      const at = within(row, "listIndex");
      rows[at] = fresh(at);
      return;
    }
    case "DELETE":
      rows.splice(within(row, "listIndex"), 1);
      return;
    case "MOVE": {
      const from = within(row, "listIndex");
      const target = within(to, "listMoveToIndex");
      rows.splice(target, 0, ...rows.splice(from, 1));
      return;
    }
    default:
      throw invalid(index, `${instruction} is not an instruction for a list`);
  }
}

/** Walks to the page that holds the target. */
function locate(
  fields: ReadonlyMap<string, Field>,
  holder: JsonObject,
  path: readonly Segment[],
  index: number,
): { holder: JsonObject; field: Field; embedded: EmbeddedClass } {
  const [segment, ...rest] = path;
  const field = fields.get(segment?.name ?? "");
  if (segment === undefined || field?.embedded === undefined) {
    throw invalid(index, `'${segment?.name}' is not an embedded page or list`);
  }
  if (rest.length === 0) return { holder, field, embedded: field.embedded };
  return locate(field.embedded.fields, pageIn(holder, field, segment, index), rest, index);
}

function pageIn(holder: JsonObject, field: Field, { name, row }: Segment, index: number): JsonObject {
  const current = holder[name];
  if (field.type === "Page") {
    const page = isJsonObject(current) ? current : {};
    holder[name] = page;
    return page;
  }
  const page = Array.isArray(current) && row !== undefined ? current[row - 1] : undefined;
  if (!isJsonObject(page)) throw invalid(index, `'${name}' has no row ${row ?? "without a number"}`);
  return page;
}

/** `.Documents(2).Author` as its segments. */
function segments(target: string, index: number): Segment[] {
  return target.replace(/^\./, "").split(".").map((part) => {
    const [, name, row] = part.match(/^(\w+)(?:\((\d+)\))?$/) ?? [];
    if (name === undefined) throw invalid(index, `'${target}' is not a target`);
    return { name, row: row === undefined ? undefined : Number(row) };
  });
}

function rowPath(path: string, at: number): string {
  return `${path.replace(/\(\d+\)$/, "")}(${at + 1})`;
}

function integer(value: JsonValue | undefined): number | undefined {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) ? number : undefined;
}

function invalid(index: number, reason: string): ServiceError {
  return new ServiceError(400, `Page instruction ${index + 1}: ${reason}.`);
}
