/** Changes the records that a reference refers to. */
import { isJsonObject, isScalar, isString, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { readColumn } from "../choices.ts";
import type { Choice, FormReference } from "../nodes.ts";
import { toKey } from "../values.ts";
import { createPage, getContent, type Row, updateList } from "./page.ts";
import { chooseRecord, copyMembers } from "./reactions.ts";
import { type FormState, invalid, toPath, withPage } from "./state.ts";

/** Refers to a record: a choice, the value of its key, or an object with all keys. */
export function choose(state: FormState, reference: FormReference, record: Choice | JsonValue): FormState {
  if (reference.mode === "multiple") return addRecord(state, reference, record);
  const { keys, row } = identify(reference, record);
  return chooseRecord(state, reference, keys, row);
}

/** Adds a record, unless it is there already. A stored record that was removed comes back. */
export function addRecord(state: FormState, reference: FormReference, record: Choice | JsonValue): FormState {
  if (reference.mode !== "multiple") return choose(state, reference, record);
  const { keys, row } = identify(reference, record);
  const hasKeys = ({ page }: Row) => {
    const content = getContent(page);
    return Object.entries(keys).every(([name, key]) => String(content[name]) === String(key));
  };
  return changeRows(state, reference, (rows, stored) => {
    if (rows.some(hasKeys)) return rows;
    const removed = stored.find(hasKeys);
    if (removed === undefined) {
      const values = new Map(Object.entries(keys).map(([name, key]) => [name, key ?? ""] as const));
      return [...rows, { page: { ...createPage({}, row), values } }];
    }
    const place = rows.findIndex(({ origin = Infinity }) => origin > (removed.origin ?? 0));
    return rows.toSpliced(place < 0 ? rows.length : place, 0, removed);
  });
}

/** Removes the record at a position. */
export function removeRecord(state: FormState, reference: FormReference, position: number): FormState {
  const { chosen, label, mode } = reference;
  if (chosen[position] === undefined) throw invalid(`${label} has no record ${position + 1}.`);
  if (mode !== "multiple") return clearRecords(state, reference);
  return changeRows(state, reference, (rows) => rows.toSpliced(position, 1));
}

/** Removes all records. */
export function clearRecords(state: FormState, reference: FormReference): FormState {
  if (reference.mode !== "multiple") return chooseRecord(state, reference, {}, {});
  return changeRows(state, reference, () => []);
}

/** Refers to other records. `null` and an empty text stand for no records. */
export function setRecords(state: FormState, reference: FormReference, value: JsonValue): FormState {
  if (reference.mode !== "multiple") {
    return value === null || value === "" ? clearRecords(state, reference) : choose(state, reference, value);
  }
  const records = value === null || value === "" ? [] : value;
  if (!Array.isArray(records)) throw invalid(`${reference.label} takes a list of records.`);
  return records.reduce(
    (result: FormState, record) => addRecord(result, reference, record),
    clearRecords(state, reference),
  );
}

function changeRows(
  state: FormState,
  { path }: FormReference,
  change: (rows: readonly Row[], stored: readonly Row[]) => readonly Row[],
): FormState {
  const place = toPath(path);
  const page = updateList(state.page, place, (list, stored) => ({ ...list, rows: change(list.rows, stored.rows) }));
  return withPage(state, page);
}

function identify(
  { keys: names, keyKind, label, mode, choices = [] }: FormReference,
  record: Choice | JsonValue,
): { keys: JsonObject; row: JsonObject } {
  const [first = ""] = names;
  const typed = isString(record) ? toKey(keyKind, record) : record;
  const known = isScalar(typed) ? choices.find(({ key }) => String(key) === String(typed)) ?? typed : typed;
  if (isScalar(known)) {
    if (names.length !== 1) throw invalid(`${label} needs the keys ${names.join(", ")}.`);
    return { keys: { [first]: known }, row: { [first]: known } };
  }
  if (!isJsonObject(known)) throw invalid(`${label} takes the key of a record.`);
  const row = isChoice(known) ? known.row ?? { [first]: known.key } : known;
  if (mode === "copy") return { keys: copyMembers(row, first), row: copyMembers(row, first) };
  const keys = Object.fromEntries(names.map((name) => [name, readColumn(row, name)]));
  const missing = names.find((name) => keys[name] === undefined || keys[name] === null);
  if (missing !== undefined) throw invalid(`${label} needs the key ${missing}.`);
  return { keys, row };
}

function isChoice(value: JsonObject | Choice): value is Choice {
  return "key" in value && "text" in value && isScalar(value.key);
}
