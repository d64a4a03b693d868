/**
 * A model of a server, for properties of forms. It stores content, computes what a form offers, and applies what a client
 * sends: `content` by member, then the page instructions in order, with positions from 1.
 */
import {
  type Condition,
  describeDesign,
  type Description,
  type Design,
  type DesignedList,
  type Kind,
  KINDS,
  type Part,
  RECORDS,
} from "./_form_design.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";

/** Thrown for a request that a server answers with status 400. */
export class Refusal extends Error {}

/** The body of a request. */
export interface Body {
  readonly content: JsonObject;
  readonly pageInstructions: readonly JsonObject[];
  readonly attachments?: readonly JsonObject[];
}

/** A change of a part, to be permitted after everything is applied. */
interface Change {
  readonly part: Part;
  readonly place: Place;
}

/** A page, with the parts that describe it and the conditions under which it is offered. */
interface Place {
  readonly parts: readonly Part[];
  readonly page: JsonObject;
  /** The parts that contain the page, each with the page in which it is. */
  readonly holders: readonly { readonly part: Part; readonly parts: readonly Part[]; readonly page: JsonObject }[];
}

/** A server with one form. */
export class ServerModel {
  readonly #design: Design;
  readonly #description: Description;
  #stored: JsonObject;

  constructor(design: Design, stored: JsonObject) {
    this.#design = design;
    this.#description = describeDesign(design);
    this.#stored = structuredClone(stored);
    this.#compute(this.#stored);
  }

  /** Place of files in a request. */
  get files(): Design["files"] {
    return this.#design.files;
  }

  /** The stored content. */
  get content(): JsonObject {
    return structuredClone(this.#stored);
  }

  /** Opens the form. */
  open(): JsonObject {
    return this.#respond(this.#stored);
  }

  /** Stores what a form submits. */
  submit(body: Body): void {
    this.#stored = this.#apply(body, true);
  }

  /** Computes the form with what was entered, and stores nothing. */
  refresh(body: Body): JsonObject {
    const content = this.#apply(body, false);
    this.#compute(content);
    return this.#respond(content);
  }

  /** Computes one row with what was entered. The others are empty in the response. */
  refreshRow(body: Body, view: string, interestPage: string): JsonObject {
    const content = this.#apply(body, false);
    this.#compute(content);
    const { data, uiResources } = this.#respond(content);
    if (!isJsonObject(data) || !isJsonObject(data.caseInfo) || !isJsonObject(uiResources)) throw new Error();
    const path = [...interestPage.matchAll(/\.(\w+)(?:\((\d+)\))?/g)].flatMap(([, name = "", row]) =>
      row === undefined ? [name] : [name, Number(row) - 1]
    );
    const context = path.map((segment) => typeof segment === "number" ? `[${segment}]` : `.${segment}`).join("");
    return {
      data: { ...data, caseInfo: { ...data.caseInfo, content: keepRow(content, path) } },
      uiResources: {
        ...uiResources,
        root: { type: "reference", config: { type: "view", name: view, context: `caseInfo.content${context}` } },
        context_data: { caseInfo: { content: keepRow(summarize(this.#design.parts, content), path) } },
      },
    };
  }

  #respond(content: JsonObject): JsonObject {
    const { refreshField } = this.#design;
    const action = {
      ID: "Edit",
      name: "Edit",
      ...(refreshField !== undefined && { refreshConditions: [{ field: `.${refreshField}`, event: "Changes" }] }),
    };
    return {
      data: {
        caseInfo: {
          ID: "DEMO-WORK P-1",
          caseTypeID: "Demo-Work",
          classID: "Demo-Work",
          content: structuredClone(content),
          assignments: [{ ID: "A", name: "Work", actions: [action] }],
        },
      },
      uiResources: {
        root: { type: "reference", config: { type: "view", name: "Edit", context: "caseInfo.content" } },
        resources: { ...this.#description },
        context_data: { caseInfo: { content: summarize(this.#design.parts, content) } },
      },
    };
  }

  /** The client learns the results of the service's conditions with the response. So a refresh does not insist on them. */
  #apply({ content, pageInstructions, attachments = [] }: Body, insistsOnWhens: boolean): JsonObject {
    const next = structuredClone(this.#stored);
    const root: Place = { parts: this.#design.parts, page: next, holders: [] };
    const changes: Change[] = [];
    merge(root, content, changes);
    for (const instruction of pageInstructions) {
      const name = String(instruction.target).split(".").at(-1);
      if (this.#design.files === "attachments" && name?.startsWith("File")) {
        throw new Refusal("This server takes files as attachments.");
      }
      instruct(root, instruction, changes);
    }
    if (this.#design.files === "instructions" && attachments.length > 0) throw new Refusal("There are attachments.");
    for (const attachment of attachments) attach(root, attachment, changes);
    for (const change of changes) assertOffered(change, insistsOnWhens);
    return next;
  }

  /** Computes declarative properties, and loads the records of references. */
  #compute(content: JsonObject): void {
    visitPages({ parts: this.#design.parts, page: content, holders: [] }, ({ parts, page }) => {
      const ownParts = flatten(parts);
      const count = Object.values(page).filter((value) => value === "A" || value === true).length;
      for (const part of ownParts) {
        if (part.type === "field" && part.isComputed) {
          page[part.name] = part.kind === "integer" ? count : `Sum ${count}`;
        }
        if (part.type !== "record") continue;
        const records = page[part.name];
        for (const record of Array.isArray(records) ? records : [records]) if (isJsonObject(record)) loadRecord(record);
      }
    });
  }
}

/** Returns content with one row only. Empty rows take the places of those before it. */
function keepRow(content: JsonValue | undefined, [segment, ...rest]: readonly (string | number)[]): JsonValue {
  if (segment === undefined) return content ?? {};
  if (typeof segment === "number") {
    const rows = Array.isArray(content) ? content : [];
    return rows.slice(0, segment + 1).map((row, i) => i === segment ? keepRow(row, rest) : {});
  }
  return isJsonObject(content) ? { [segment]: keepRow(content[segment], rest) } : {};
}

function loadRecord(record: JsonObject): void {
  const found = RECORDS.find(({ ID }) => String(ID) === String(record.ID));
  for (const name of ["Area", "Name"]) record[name] = found?.[name] ?? "";
}

/** Lists the parts of a page. Groups contain parts of the same page. */
export function flatten(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => part.type === "group" ? flatten(part.parts) : [part]);
}

function visitPages(place: Place, visit: (place: Place) => void): void {
  visit(place);
  for (const part of flatten(place.parts)) {
    const value = place.page[part.name];
    const holders = [...place.holders, { ...place, part }];
    if (part.type === "page" && isJsonObject(value)) visitPages({ parts: part.parts, page: value, holders }, visit);
    if (part.type === "list" && Array.isArray(value)) {
      for (const row of value) if (isJsonObject(row)) visitPages({ parts: part.parts, page: row, holders }, visit);
    }
  }
}

/** Merges `content` into a page. */
function merge(place: Place, content: JsonObject, changes: Change[]): void {
  for (const [name, value] of Object.entries(content)) {
    const part = findPart(place, name);
    changes.push({ part, place });
    if (part.type === "page") {
      if (!isJsonObject(value)) throw new Refusal(`${name} is a page, not ${JSON.stringify(value)}.`);
      merge(enter(place, part), value, changes);
    } else if (part.type === "record" && !part.isMultiple) {
      if (!isJsonObject(value)) throw new Refusal(`${name} is a record, not ${JSON.stringify(value)}.`);
      assertKeys(part.keys, value);
      place.page[name] = { classID: "Demo-Data-Record", ...value };
    } else if (part.type === "copy") {
      place.page[name] = copyRow(place, part, value);
    } else if (part.type === "field") {
      if (!isValue(part.kind, value)) throw new Refusal(`${name} is not ${JSON.stringify(value)}.`);
      place.page[name] = value;
    } else throw new Refusal(`${name} needs page instructions.`);
  }
}

/** Returns the copy of a row: all its members, a label, and nothing that the platform keeps. */
function copyRow(
  { parts, page }: Place,
  part: Extract<Part, { type: "copy" }>,
  value: JsonValue | undefined,
): JsonObject {
  const list = findPart({ parts, page, holders: [] }, part.list);
  if (!isJsonObject(value) || list.type !== "list") throw new Refusal(`${part.name} is a page.`);
  if (/"(?:classID|p[xz][A-Z])/.test(JSON.stringify(value))) throw new Refusal(`${part.name} has bookkeeping.`);
  const known = new Set([...flatten(list.parts).map(({ name }) => name), "pyLabel"]);
  const unknown = Object.keys(value).find((name) => !known.has(name));
  if (unknown !== undefined) throw new Refusal(`The rows of ${part.list} have no ${unknown}.`);
  if (value.pyLabel !== (value[part.key] ?? "")) throw new Refusal(`${part.name} is not labeled by its key.`);
  return { ...value };
}

/** Finds a field for files outside rows, also on a page that is not stored yet. */
function findFileField(place: Place, wanted: JsonValue | undefined): Change | undefined {
  for (const part of flatten(place.parts)) {
    if (part.type === "file" && part.name === wanted) return { part, place };
    const isThere = part.type === "page" && JSON.stringify(part.parts).includes(`"name":"${wanted}"`);
    if (isThere) return findFileField(enter(place, part), wanted);
  }
  return undefined;
}

/** Changes the files of a field as older servers do. Names of fields are unique outside rows. */
function attach(
  root: Place,
  { type, attachmentFieldName, ID, delete: isDeleted }: JsonObject,
  changes: Change[],
): void {
  const found = findFileField(root, attachmentFieldName);
  if (found === undefined || type !== "File") throw new Refusal(`There is no field ${attachmentFieldName}.`);
  changes.push(found);
  const { part, place: { page } } = found;
  const value = page[part.name];
  const files = (Array.isArray(value) ? value : [value]).filter(isJsonObject);
  const isKept = (file: JsonObject) => ID !== undefined && file.ID !== ID;
  const next = isDeleted === true ? files.filter(isKept) : [...files, { ID: ID ?? "" }];
  if (part.type === "file" && !part.isMultiple && next.length > 1) throw new Refusal(`${part.name} holds one file.`);
  page[part.name] = part.type === "file" && part.isMultiple ? next : next[0] ?? "";
}

function findPart({ parts }: Place, name: string): Exclude<Part, { type: "group" }> {
  const part = flatten(parts).find((one) => one.name === name);
  if (part === undefined || part.type === "group") throw new Refusal(`The form has no ${name}.`);
  return part;
}

function enter(place: Place, part: Extract<Part, { type: "page" }>): Place {
  const value = place.page[part.name];
  const page = isJsonObject(value) ? value : {};
  place.page[part.name] = page;
  return { parts: part.parts, page, holders: [...place.holders, { ...place, part }] };
}

function assertKeys(keys: readonly string[], content: JsonObject): void {
  if (Object.keys(content).toSorted().join() !== [...keys].toSorted().join()) {
    throw new Refusal(`The keys are ${keys}, not ${JSON.stringify(content)}.`);
  }
}

function instruct(root: Place, instruction: JsonObject, changes: Change[]): void {
  const { target, content } = instruction;
  const segments = [...String(target).matchAll(/\.(\w+)(?:\((\d+)\))?/g)];
  if (segments.map(([text]) => text).join("") !== target) throw new Refusal(`The target ${target} cannot be read.`);
  let place = root;
  for (const [, name = "", row] of segments.slice(0, -1)) {
    const part = findPart(place, name);
    if (part.type === "list" && row !== undefined) place = openRow(place, part, Number(row));
    else if (part.type === "page" && row === undefined) place = enter(place, part);
    else throw new Refusal(`${target} does not lead to a page.`);
  }
  const [, name = "", subscript] = segments.at(-1) ?? [];
  if (subscript !== undefined) throw new Refusal(`The position of ${target} belongs to listIndex.`);
  const part = findPart(place, name);
  changes.push({ part, place });
  if (part.type === "file" && !part.isMultiple) return instructFile(place, name, instruction);
  if (!(part.type === "list" || (part.type === "record" && part.isMultiple) || part.type === "file")) {
    throw new Refusal(`${name} is not a list.`);
  }
  const current = place.page[name];
  const rows: JsonValue[] = Array.isArray(current) ? current : [];
  place.page[name] = rows;
  const index = instruction.listIndex;
  const inner = isJsonObject(content) ? content : undefined;
  const at = (last: number) => {
    if (typeof index !== "number" || !Number.isInteger(index) || index < 1 || index > last) {
      throw new Refusal(`${index} is not a position of ${target}, which has ${rows.length} rows.`);
    }
    return index - 1;
  };
  switch (instruction.instruction) {
    case "INSERT": {
      if (inner === undefined) throw new Refusal("INSERT needs content.");
      if (part.type === "list" && !part.canAdd) throw new Refusal(`Rows cannot be added to ${name}.`);
      const row: JsonObject = {};
      rows.splice(at(rows.length + 1), 0, row);
      if (part.type === "list") return merge(inRow(place, part, row), inner, changes);
      assertKeys(part.type === "record" ? part.keys : ["ID"], inner);
      Object.assign(row, inner);
      return;
    }
    case "UPDATE": {
      if (inner === undefined || part.type !== "list") throw new Refusal(`${name} cannot be updated.`);
      const row = openRow(place, part, at(rows.length) + 1);
      if (part.rowRule !== undefined && !isMet(part.rowRule, row.page)) {
        throw new Refusal(`A row of ${name} is read-only.`);
      }
      return merge(row, inner, changes);
    }
    case "DELETE":
      if (part.type === "list" && !part.canDelete) throw new Refusal(`Rows of ${name} cannot be deleted.`);
      rows.splice(at(rows.length), 1);
      return;
    case "DELETE ALL":
      if (part.type === "list" && !part.canDelete) throw new Refusal(`Rows of ${name} cannot be deleted.`);
      rows.splice(0);
      return;
    case "MOVE": {
      const to = instruction.listMoveToIndex;
      if (part.type !== "list" || !part.canMove) throw new Refusal(`Rows of ${name} cannot be moved.`);
      if (typeof to !== "number" || to < 1 || to > rows.length) throw new Refusal(`${to} is not a position.`);
      rows.splice(to - 1, 0, ...rows.splice(at(rows.length), 1));
      return;
    }
    default:
      throw new Refusal(`The instruction ${instruction.instruction} is unknown.`);
  }
}

function instructFile({ page }: Place, name: string, { instruction, content }: JsonObject): void {
  if (instruction === "DELETE") page[name] = "";
  else if (instruction === "REPLACE" && isJsonObject(content)) page[name] = { ...content };
  else throw new Refusal(`A file cannot be changed with ${instruction}.`);
}

function openRow(place: Place, part: DesignedList, position: number): Place {
  const rows = place.page[part.name];
  const row = Array.isArray(rows) ? rows[position - 1] : undefined;
  if (!isJsonObject(row)) throw new Refusal(`${part.name} has no row ${position}.`);
  return inRow(place, part, row);
}

function inRow(place: Place, part: DesignedList, row: JsonObject): Place {
  return { parts: part.parts, page: row, holders: [...place.holders, { ...place, part }] };
}

/** Refuses a change of a part that the form does not offer: everything that contains it must be visible and editable. */
function assertOffered({ part, place }: Change, insistsOnWhens: boolean): void {
  if (part.type === "field" && part.isComputed) throw new Refusal(`${part.name} is computed.`);
  for (const { part: inner, parts, page } of [...place.holders, { ...place, part }]) {
    for (const { name, visible, readOnly } of [...findGroups(parts, inner), inner]) {
      const applies = (rule: Condition) => insistsOnWhens || rule.when === undefined;
      if (visible !== undefined && applies(visible) && !isMet(visible, page)) {
        throw new Refusal(`${part.name} is hidden by ${name}.`);
      }
      const isReadOnly = typeof readOnly === "object" ? applies(readOnly) && isMet(readOnly, page) : readOnly === true;
      if (isReadOnly) throw new Refusal(`${part.name} is read-only in ${name}.`);
    }
  }
}

function findGroups(parts: readonly Part[], wanted: Part): Part[] {
  for (const part of parts) {
    if (part.type !== "group") continue;
    if (part.parts.includes(wanted)) return [part];
    const inner = findGroups(part.parts, wanted);
    if (inner.length > 0) return [part, ...inner];
  }
  return [];
}

/** Reports whether a condition is met in a page. */
export function isMet({ property, equals, isNegated }: Condition, page: JsonObject): boolean {
  const value = page[property];
  const isEqual = typeof equals === "boolean" ? (value === true) === equals : (value ?? "") === equals;
  return isEqual !== isNegated;
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  "Text": /^[^]*$/,
  "Integer": /^-?\d+$/,
  "Decimal": /^-?\d+(?:\.\d+)?$/,
  "Date": /^\d{4}-\d\d-\d\d$/,
  "Date Time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  "TimeOfDay": /^\d\d:\d\d:\d\d$/,
};

function isValue(kind: Kind, value: JsonValue | undefined): boolean {
  const [, type] = KINDS[kind];
  if (type === "True-False") return typeof value === "boolean";
  if (value === "") return true;
  if (kind === "phone" && !/^\+?\d+$/.test(String(value))) return false;
  const isNumber = type === "Integer" || type === "Decimal";
  return (typeof value === "string" || (isNumber && typeof value === "number")) &&
    FORMATS[type]?.test(String(value)) === true;
}

/** Returns the results of the conditions that the service evaluates, in the structure of the content. */
function summarize(parts: readonly Part[], page: JsonObject): JsonObject {
  const conditions: JsonObject = {};
  for (const { visible, readOnly } of listWithGroups(parts)) {
    for (const condition of [visible, readOnly]) {
      if (typeof condition === "object" && condition.when !== undefined) {
        conditions[condition.when] = isMet(condition, page);
      }
    }
  }
  const summary: JsonObject = { summary_of_when_conditions__: conditions, summary_of_associated_lists__: {} };
  for (const part of flatten(parts)) {
    const value = page[part.name];
    if (part.type === "page") {
      const inner = summarize(part.parts, isJsonObject(value) ? value : {});
      summary[part.name] = inner;
      // Without a view of its own, the fields of a page are drawn on the page that contains it.
      if (!part.isReferred) Object.assign(conditions, inner.summary_of_when_conditions__);
    }
    if (part.type !== "list") continue;
    summary[part.name] = (Array.isArray(value) ? value : []).map((row) =>
      summarize(part.parts, isJsonObject(row) ? row : {})
    );
    summary[`${part.name}Temp`] = [summarize(part.parts, {})];
  }
  return summary;
}

function listWithGroups(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => part.type === "group" ? [part, ...listWithGroups(part.parts)] : [part]);
}
