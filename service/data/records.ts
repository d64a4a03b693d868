/** Data records, which are created, changed and deleted through the data view that saves them. */
import { type JsonObject, stringOrUndefined } from "../../utils/json.ts";
import { listTextForms } from "../../utils/text/text_forms.ts";
import { type Scalar, toScalar } from "../application/expressions/comparisons.ts";
import type { DataType, DataView } from "../application/model/data_view.ts";
import { toViewField, type View } from "../application/model/field.ts";
import { calculate, newPage } from "../cases/content/content.ts";
import { fillForm, type Submission } from "../cases/content/fill_form.ts";
import { checkEntityTag, nextEntityTag } from "../cases/case_work.ts";
import { type ScopeContext, scopeWithoutCase } from "../cases/scope.ts";
import { Conflict, createIssue, Invalid, type Issue, NotFound, ValidationFailed } from "../errors.ts";
import type { Outcome } from "../http/handler.ts";
import type { StoredRecord, Transaction } from "../store/store.ts";

/** The kind of items that store the last entity tags of deleted records. */
const DELETED = "deleted-record";

/** The part of a handler's context that records need. */
export interface RecordContext extends ScopeContext {
  readonly tx: Pick<Transaction, "getRecord" | "putRecord" | "deleteRecord" | "getItem" | "putItem" | "deleteItem">;
}

/** Returns the data type whose records a data view saves. Throws Invalid if it saves none. */
export function getSavedType(view: DataView): DataType {
  if (view.dataType && view.savable) return view.dataType;
  throw new Invalid(`${view.id} does not save records.`);
}

/** Creates a record. Throws Conflict if there is a record with its key. */
export async function createRecord(type: DataType, data: JsonObject, context: RecordContext): Promise<Outcome> {
  const content = fillIn(type, createForm(type), newPage(type.fields), { content: data }, context);
  const [key = ""] = listKeys(type, content);
  if (await findRecord(type, content, context)) {
    throw new Conflict(`A record with ${describeKey(type, content)} already exists.`);
  }
  const tag = nextEntityTag(await takeDeletedTag(type, key, context), context.now);
  return await save({ classId: type.id, key, tag, content }, type, context);
}

/** Replaces a record, or with `keep` changes only the given members. */
export async function changeRecord(
  type: DataType,
  data: JsonObject,
  { ifMatch, keep }: { readonly ifMatch?: string; readonly keep: boolean },
  context: RecordContext,
): Promise<Outcome> {
  const stored = await getRecord(type, data, context);
  checkEntityTag(ifMatch, stored.tag);
  const base = keep ? stored.content : newPage(type.fields);
  return await update(stored, type, fillIn(type, createForm(type), base, { content: data }, context), context);
}

/** Changes a record through a form, which accepts only the fields of its view. */
export async function submitRecord(
  type: DataType,
  view: View,
  submission: Submission,
  ifMatch: string | undefined,
  context: RecordContext,
): Promise<Outcome> {
  const given = submission.content ?? {};
  const stored = await getRecord(type, given, context);
  checkEntityTag(ifMatch, stored.tag);
  const content = Object.fromEntries(Object.entries(given).filter(([name]) => !type.key.includes(name)));
  return await update(stored, type, fillIn(type, view, stored.content, { ...submission, content }, context), context);
}

/** Deletes a record. Keeps its entity tag, so that a new record with the same key gets other tags. */
export async function deleteRecord(
  type: DataType,
  keys: JsonObject,
  ifMatch: string | undefined,
  { tx, now }: RecordContext,
): Promise<void> {
  const { key, tag } = await getRecord(type, keys, { tx });
  checkEntityTag(ifMatch, tag);
  await tx.deleteRecord(type.id, key);
  const id = toDeletedId(type, key);
  await tx.putItem({ kind: DELETED, id, owner: type.id, at: now.toISOString(), content: { tag } });
}

async function takeDeletedTag(type: DataType, key: string, { tx }: RecordContext): Promise<string | undefined> {
  const id = toDeletedId(type, key);
  const item = await tx.getItem(DELETED, id);
  if (item !== undefined) await tx.deleteItem(DELETED, id);
  return stringOrUndefined(item?.content.tag);
}

function toDeletedId({ id }: DataType, key: string): string {
  return JSON.stringify([id, key]);
}

/** Reads the record that members identify. Throws ValidationFailed if a key field is missing, and NotFound if there is no record. */
export async function getRecord(
  type: DataType,
  members: JsonObject,
  { tx }: Pick<RecordContext, "tx">,
): Promise<StoredRecord> {
  const stored = await findRecord(type, members, { tx });
  if (!stored) throw new NotFound(`There is no record with ${describeKey(type, members)}.`);
  return stored;
}

/** Finds a record by its key, or by the key in another form of its accents, with which an earlier version saved it. */
async function findRecord(
  type: DataType,
  members: JsonObject,
  { tx }: Pick<RecordContext, "tx">,
): Promise<StoredRecord | undefined> {
  for (const key of listKeys(type, members)) {
    const stored = await tx.getRecord(type.id, key);
    if (stored !== undefined) return stored;
  }
  return undefined;
}

/** Reports whether members contain all key fields of a record. */
export function hasKey(type: DataType, members: JsonObject): boolean {
  return type.key.every((name) => readKeyField(type, name, members) !== undefined);
}

/** Returns the identifier of a record for people: the value of its key, or the values of its keys as JSON. */
export function toRecordId(type: DataType, content: JsonObject): string {
  const values = type.key.map((name) => readKeyField(type, name, content) ?? "");
  return values.length === 1 ? String(values[0]) : JSON.stringify(values);
}

/** Creates a form with all fields of a data type. */
function createForm({ id, name, fields, key }: DataType): View {
  const shown = [...fields.values()].map((field) =>
    [field.name, toViewField(field, { ...(key.includes(field.name) && { required: true }) })] as const
  );
  return { id, name, fields: new Map(shown) };
}

/** Fills in a form and calculates fields. The content has the order of the definition. */
function fillIn(
  type: DataType,
  view: View,
  base: JsonObject,
  submission: Submission,
  context: RecordContext,
): JsonObject {
  const conditions = { fields: type.fields, scope: scopeWithoutCase(base, context) };
  const { content } = fillForm(view, base, submission, { complete: true, conditions });
  calculate(type.fields, content, scopeWithoutCase(content, context));
  return Object.fromEntries(
    [...type.fields.keys()].filter((name) => name in content).map((name) => [name, content[name]]),
  );
}

/** Saves a change of a record. Its key stays, because the key found the record. */
async function update(
  stored: StoredRecord,
  type: DataType,
  content: JsonObject,
  context: RecordContext,
): Promise<Outcome> {
  return await save({ ...stored, tag: nextEntityTag(stored.tag, context.now), content }, type, context);
}

async function save(record: StoredRecord, type: DataType, { tx }: RecordContext): Promise<Outcome> {
  await tx.putRecord(record);
  const { tag, content } = record;
  return { body: { id: toRecordId(type, content), etag: tag, responseData: content }, tag };
}

/** Lists the keys under which a record can be stored. New records have the first one. */
function listKeys(type: DataType, members: JsonObject): readonly string[] {
  return listTextForms(buildKey(type, members));
}

function buildKey(type: DataType, members: JsonObject): string {
  const values: Scalar[] = [];
  const missing: Issue[] = [];
  for (const name of type.key) {
    const value = readKeyField(type, name, members);
    if (value !== undefined) values.push(value);
    else {
      const place = { erroneousInputOutputFieldInPage: "." + name };
      missing.push(createIssue(`${name} is missing: it identifies the record`, place));
    }
  }
  if (missing.length > 0) throw new ValidationFailed(missing);
  return JSON.stringify(values);
}

function readKeyField(type: DataType, name: string, members: JsonObject): Scalar | undefined {
  const field = type.fields.get(name);
  const value = field && Object.hasOwn(members, name) ? toScalar(field.type, members[name]) : undefined;
  return value === "" ? undefined : value;
}

function describeKey(type: DataType, members: JsonObject): string {
  return type.key.map((name) => `${name} ${JSON.stringify(readKeyField(type, name, members))}`).join(", ");
}
