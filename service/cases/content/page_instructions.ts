/** Page instructions: changes of embedded pages and lists, one after another. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import type { EmbeddedClass, Field, View } from "../../application/model/application.ts";
import { type DomainError, Invalid } from "../../errors.ts";
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
    const instruction = readInstruction(value, (reason) => {
      return new Invalid(`Page instruction ${index + 1}: ${reason}.`);
    });
    const field = editableField(view, instruction);
    if (!copied.has(field.name) && field.name in content) content[field.name] = structuredClone(content[field.name]);
    copied.add(field.name);
    const { segments, invalid } = instruction;
    const target = locate(new Map([[field.name, field]]), content, segments, invalid);
    if (target.field.type === "Page") changePage(instruction, target, findings);
    else changeList(instruction, target, findings);
  }
}

/** An instruction. */
interface Instruction {
  /** Instruction, e.g. `APPEND`. */
  readonly verb: string;
  /** The page or list, e.g. `.Documents(2)`. */
  readonly path: string;
  /** The steps of its path. */
  readonly segments: readonly Segment[];
  /** Content of the page or row. */
  readonly content: JsonObject;
  /** Row of a list, from 1. */
  readonly row?: number;
  /** Row that it is moved to, from 1. */
  readonly to?: number;
  /** Why it cannot be done. */
  readonly invalid: Refuse;
}

type Refuse = (reason: string) => DomainError;

/** One step of a target's path: a field, and a row of it where it is a list. */
interface Segment {
  readonly name: string;
  readonly row?: number;
}

/** The page or list that an instruction is about, and what holds it. */
interface Target {
  readonly holder: JsonObject;
  readonly field: Field;
  readonly embedded: EmbeddedClass;
}

function readInstruction(value: JsonValue, invalid: Refuse): Instruction {
  if (!isJsonObject(value)) throw invalid("must be an object");
  const { instruction: verb, target, content, listIndex, listMoveToIndex } = value;
  if (typeof verb !== "string") throw invalid("'instruction' is missing");
  if (typeof target !== "string") throw invalid("'target' is missing");
  if (!isJsonObject(content) && verb !== "DELETE" && verb !== "MOVE") throw invalid(`${verb} needs 'content'`);
  const segments = splitTarget(target, invalid);
  const named = segments.at(-1)?.row;
  const row = readPosition("listIndex", listIndex, invalid) ?? named;
  if (named !== undefined && row !== named) throw invalid(`'listIndex' ${row} is not the row of '${target}'`);
  return {
    verb,
    path: target.startsWith(".") ? target : "." + target,
    segments,
    content: isJsonObject(content) ? content : {},
    row,
    to: readPosition("listMoveToIndex", listMoveToIndex, invalid),
    invalid,
  };
}

function editableField(view: View, { path, segments, invalid }: Instruction): Field {
  const top = view.fields.get(segments[0]?.name ?? "");
  if (top === undefined || top.readOnly) throw invalid(`the target '${path}' is not editable in this form`);
  return top.field;
}

function changePage(
  { verb, path, content, invalid }: Instruction,
  { holder, field: { name }, embedded }: Target,
  findings: Findings,
): void {
  const current = holder[name];
  const merged = (page: JsonObject) => mergePage(embedded, page, content, path, findings);
  switch (verb) {
    case "UPDATE":
      holder[name] = merged(isJsonObject(current) ? current : newPage(embedded.fields));
      return;
    case "REPLACE":
      holder[name] = merged(newPage(embedded.fields));
      return;
    case "DELETE":
      delete holder[name];
      return;
    default:
      throw invalid(`${verb} is not an instruction for a page`);
  }
}

function changeList(instruction: Instruction, { holder, field: { name }, embedded }: Target, findings: Findings): void {
  const { verb, path, content, row, to, invalid } = instruction;
  const current = holder[name];
  const rows = Array.isArray(current) ? current : [];
  holder[name] = rows;
  const merged = (page: JsonObject, at: number) => mergePage(embedded, page, content, rowPath(path, at), findings);
  const fresh = (at: number) => merged(newPage(embedded.fields), at);
  const within = (position: number | undefined, member: string, limit = rows.length): number => {
    if (position === undefined) throw invalid(`${verb} needs '${member}'`);
    if (position < 1 || position > limit) throw invalid(`'${member}' ${position} is not between 1 and ${limit}`);
    return position - 1;
  };
  const index = (limit?: number) => within(row, "listIndex", limit);
  switch (verb) {
    case "APPEND":
      rows.push(fresh(rows.length));
      return;
    case "INSERT": {
      const at = index(rows.length + 1);
      rows.splice(at, 0, fresh(at));
      return;
    }
    case "UPDATE": {
      const at = index();
      const page = rows[at];
      rows[at] = merged(isJsonObject(page) ? page : {}, at);
      return;
    }
    case "REPLACE": {
      const at = index();
      rows[at] = fresh(at);
      return;
    }
    case "DELETE":
      rows.splice(index(), 1);
      return;
    case "MOVE": {
      const from = index();
      const target = within(to, "listMoveToIndex");
      rows.splice(target, 0, ...rows.splice(from, 1));
      return;
    }
    default:
      throw invalid(`${verb} is not an instruction for a list`);
  }
}

/** Walks to the page that holds the target. */
function locate(
  fields: ReadonlyMap<string, Field>,
  holder: JsonObject,
  [segment, ...rest]: readonly Segment[],
  invalid: Refuse,
): Target {
  const field = fields.get(segment?.name ?? "");
  if (segment === undefined || field?.embedded === undefined) {
    throw invalid(`'${segment?.name}' is not an embedded page or list`);
  }
  const { embedded } = field;
  if (rest.length === 0) return { holder, field, embedded };
  return locate(embedded.fields, pageIn({ holder, field, embedded }, segment, invalid), rest, invalid);
}

function pageIn({ holder, field, embedded }: Target, { name, row }: Segment, invalid: Refuse): JsonObject {
  const current = holder[name];
  if (field.type === "Page") {
    const page = isJsonObject(current) ? current : newPage(embedded.fields);
    holder[name] = page;
    return page;
  }
  const page = Array.isArray(current) && row !== undefined ? current[row - 1] : undefined;
  if (!isJsonObject(page)) throw invalid(`'${name}' has no row ${row ?? "without a number"}`);
  return page;
}

/** `.Documents(2).Author` as its segments. */
function splitTarget(target: string, invalid: Refuse): Segment[] {
  return target.replace(/^\./, "").split(".").map((part) => {
    const [, name, row] = part.match(/^(\w+)(?:\((\d+)\))?$/) ?? [];
    if (name === undefined) throw invalid(`'${target}' is not a target`);
    return { name, row: row === undefined ? undefined : Number(row) };
  });
}

function rowPath(path: string, at: number): string {
  return `${path.replace(/\(\d+\)$/, "")}(${at + 1})`;
}

function readPosition(member: string, value: JsonValue | undefined, invalid: Refuse): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number)) return number;
  throw invalid(`'${member}' must be a whole number`);
}
