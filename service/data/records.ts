/** Data records: created, replaced, changed and deleted through the data view that saves them. */
import { type JsonObject, stringOrUndefined } from "../../utils/json.ts";
import type { DataType, DataView, View } from "../application/model/application.ts";
import { type Scalar, toScalar } from "../application/expressions/comparisons.ts";
import { viewField } from "../application/compile/fields.ts";
import { calculate, newPage } from "../cases/content/content.ts";
import { scopeWithoutCase } from "../cases/context.ts";
import { fillForm, type Submission } from "../cases/content/forms.ts";
import { type ErrorDetail, finding, ServiceError, validationFailure } from "../errors.ts";
import type { HandlerContext, Outcome } from "../http/handler.ts";
import type { StoredRecord } from "../store/store.ts";
import { checkEntityTag, nextEntityTag } from "../cases/entity_tags.ts";

/** The kind under which the last tags of deleted records are kept. */
const DELETED = "deleted-record";

/** What a record's operations know of the call. */
export type RecordContext = Pick<HandlerContext, "tx" | "caller" | "now">;

/** The data type whose records a data view saves; 400 where it saves none. */
export function savedType(view: DataView): DataType {
  if (view.dataType && view.savable) return view.dataType;
  throw new ServiceError(400, `${view.id} does not save records.`);
}

/** Creates a record; 409 where its key is taken. */
export async function createRecord(type: DataType, data: JsonObject, context: RecordContext): Promise<Outcome> {
  const content = fill(type, formOf(type), newPage(type.fields), { content: data }, context);
  const key = keyOf(type, content);
  if (await context.tx.getRecord(type.id, key)) {
    throw new ServiceError(409, `There is a record with ${describe(type, content)} already.`);
  }
  const tag = nextEntityTag(await takeDeletedTag(type, key, context), context.now);
  return await save({ classId: type.id, key, tag, content }, type, context);
}

/** Replaces a record, or changes members of it and keeps the others; the record's tag is needed. */
export async function changeRecord(
  type: DataType,
  data: JsonObject,
  { ifMatch, keep }: { readonly ifMatch?: string; readonly keep: boolean },
  context: RecordContext,
): Promise<Outcome> {
  const stored = await requireRecord(type, data, context);
  checkEntityTag(ifMatch, stored.tag, true);
  const base = keep ? stored.content : newPage(type.fields);
  return await update(stored, type, fill(type, formOf(type), base, { content: data }, context), context);
}

/** Changes a record through a form, which takes the fields of its view alone. */
export async function submitRecord(
  type: DataType,
  view: View,
  submission: Submission,
  ifMatch: string | undefined,
  context: RecordContext,
): Promise<Outcome> {
  const given = submission.content ?? {};
  const stored = await requireRecord(type, given, context);
  checkEntityTag(ifMatch, stored.tag);
  const content = Object.fromEntries(Object.entries(given).filter(([name]) => !type.key.includes(name)));
  return await update(stored, type, fill(type, view, stored.content, { ...submission, content }, context), context);
}

/** Deletes a record. */
export async function deleteRecord(
  type: DataType,
  keys: JsonObject,
  ifMatch: string | undefined,
  context: RecordContext,
): Promise<void> {
  const stored = await requireRecord(type, keys, context);
  checkEntityTag(ifMatch, stored.tag);
  await context.tx.deleteRecord(type.id, stored.key);
  const id = deletedId(type, stored.key);
  await context.tx.putItem({
    kind: DELETED,
    id,
    owner: type.id,
    at: context.now.toISOString(),
    content: { tag: stored.tag },
  });
}

/** The last tag of a record that was deleted: one that takes its place has none of its tags. */
async function takeDeletedTag(type: DataType, key: string, { tx }: RecordContext): Promise<string | undefined> {
  const id = deletedId(type, key);
  const item = await tx.getItem(DELETED, id);
  if (item !== undefined) await tx.deleteItem(DELETED, id);
  return stringOrUndefined(item?.content.tag);
}

function deletedId({ id }: DataType, key: string): string {
  return JSON.stringify([id, key]);
}

/** The record that members identify; 422 where a key field is missing, 404 where there is none. */
export async function requireRecord(type: DataType, members: JsonObject, { tx }: RecordContext): Promise<StoredRecord> {
  const stored = await tx.getRecord(type.id, keyOf(type, members));
  if (!stored) throw new ServiceError(404, `There is no record with ${describe(type, members)}.`);
  return stored;
}

/** Whether members identify a record: all key fields are there. */
export function identifies(type: DataType, members: JsonObject): boolean {
  return type.key.every((name) => keyValue(type, name, members) !== undefined);
}

/** A record's identifier for people: the value of its key, or the values of its keys as JSON. */
export function recordId(type: DataType, content: JsonObject): string {
  const values = type.key.map((name) => keyValue(type, name, content) ?? "");
  return values.length === 1 ? String(values[0]) : JSON.stringify(values);
}

/** A form with all fields of a data type. */
function formOf({ id, name, fields, key }: DataType): View {
  const shown = [...fields.values()].map((field) =>
    [field.name, viewField(field, { ...(key.includes(field.name) && { required: true }) })] as const
  );
  return { id, name, fields: new Map(shown) };
}

function fill(
  type: DataType,
  view: View,
  base: JsonObject,
  submission: Submission,
  context: RecordContext,
): JsonObject {
  const content = fillForm(view, base, submission, { complete: true });
  calculate(type.fields, content, scopeWithoutCase(content, context));
  // In the order of the definition, whatever was sent first: people read it so.
  return Object.fromEntries(
    [...type.fields.keys()].filter((name) => name in content).map((name) => [name, content[name]]),
  );
}

/** The key fields were what found the record, so they are the same after it. */
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
  return { body: { id: recordId(type, content), etag: tag, responseData: content }, tag };
}

function keyOf(type: DataType, members: JsonObject): string {
  const values: Scalar[] = [];
  const missing: ErrorDetail[] = [];
  for (const name of type.key) {
    const value = keyValue(type, name, members);
    if (value !== undefined) values.push(value);
    else {
      const place = { erroneousInputOutputFieldInPage: "." + name };
      missing.push(finding(`${name} is needed: it identifies the record`, place));
    }
  }
  if (missing.length > 0) throw validationFailure(missing);
  return JSON.stringify(values);
}

function keyValue(type: DataType, name: string, members: JsonObject): Scalar | undefined {
  const field = type.fields.get(name);
  const value = field && Object.hasOwn(members, name) ? toScalar(field.type, members[name]) : undefined;
  return value === "" ? undefined : value;
}

function describe(type: DataType, members: JsonObject): string {
  return type.key.map((name) => `${name} ${JSON.stringify(keyValue(type, name, members))}`).join(", ");
}
