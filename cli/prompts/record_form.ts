/** The forms of data records: of a new record, and of a record's action. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import data from "../../lib/resources/data.ts";
import { filterObjects, isJsonObject, isString, type JsonObject } from "../../utils/json.ts";
import type { FormSource } from "./fill_form.ts";
import type { FormCalls } from "./form_calls.ts";

/** A stored record. */
export interface RecordTarget {
  /** Data view ID. */
  readonly dataViewId: string;
  /** Fields that identify the record. */
  readonly key: JsonObject;
  /** Entity tag that must still be current. Default: that of the form. */
  readonly ifMatch?: string;
}

/** The action of a record. */
export interface RecordActionTarget extends RecordTarget {
  /** Action ID. */
  readonly action: string;
}

/** Types of form fields by those of the metadata. */
const FIELD_TYPES: Readonly<Record<string, string>> = {
  Boolean: "True-False",
  Integer: "Integer",
  Decimal: "Decimal",
  Currency: "Decimal",
  Date: "Date",
  DateTime: "Date Time",
  Page: "Page",
  List: "Page",
  PageGroup: "Page Group",
};

/** Returns the form of a new record. It is built from the metadata of the data view. */
export function createRecordForm(calls: FormCalls, dataViewId: string): FormSource {
  return {
    fields: calls,
    async read() {
      const { className, fields } = await readMetadata(calls, dataViewId);
      const name = `New ${className}`;
      return { uiResources: toUiResources(fields), content: {}, name, title: name, acceptsNoFiles: true };
    },
    async submit({ content }) {
      return await calls.call("data.create", data.create, { dataViewId, data: content });
    },
  };
}

/** Returns the form of a stored record. `patch` submits what has changed, `update` the whole record. */
export function createStoredRecordForm(calls: FormCalls, target: RecordTarget, verb: "patch" | "update"): FormSource {
  const { dataViewId, key } = target;
  let etag = target.ifMatch;
  let unchanged: JsonObject = {};
  return {
    fields: calls,
    async read() {
      const { className, fields } = await readMetadata(calls, dataViewId);
      const reply = await calls.call("data.get", data.get, { dataViewId, params: key });
      etag = target.ifMatch ?? reply.etag;
      const content: JsonObject = { ...checkAnswer(data.get.answer, reply) };
      if (verb === "update") {
        const names = fields.filter(({ isReadOnly }) => isReadOnly !== true).map(({ fieldID }) => String(fieldID));
        unchanged = Object.fromEntries(Object.entries(content).filter(([name]) => names.includes(name)));
      }
      const name = `${className} ${formatKey(key)}`;
      const shown = fields.map((field) => String(field.fieldID) in key ? { ...field, isReadOnly: true } : field);
      return { uiResources: toUiResources(shown), content, name, title: name, acceptsNoFiles: true };
    },
    async submit({ content }) {
      const values = { dataViewId, ifMatch: etag, data: { ...unchanged, ...key, ...content } };
      return await calls.call(`data.${verb}`, data[verb], values);
    },
  };
}

/** Returns the form of a record's action. */
export function createRecordActionForm(calls: FormCalls, target: RecordActionTarget): FormSource {
  const { dataViewId, action, key } = target;
  let etag = target.ifMatch;
  return {
    fields: calls,
    async read() {
      const reply = await calls.call("data.get-action", data.getAction, { dataViewId, action, data: key });
      const { data: content = {}, uiResources = {}, name = action } = checkAnswer(data.getAction.answer, reply);
      etag = target.ifMatch ?? reply.etag;
      const title = `${name}: ${formatKey(key)}`;
      return { uiResources, content, name, title, acceptsNoFiles: true };
    },
    async submit({ submission }) {
      const values = { ...submission, data: { ...key, ...submission.data } };
      return await calls.call("data.perform-action", data.performAction, {
        dataViewId,
        action,
        ifMatch: etag,
        ...values,
      });
    },
  };
}

/** The metadata of a data view, as far as forms use it. */
export interface RecordMetadata {
  /** Display name of the records. */
  readonly className: string;
  /** Names of the fields that identify a record. */
  readonly keys: readonly string[];
  /** Descriptions of the fields. */
  readonly fields: readonly JsonObject[];
}

/** Reads the metadata of a data view. */
export async function readMetadata(calls: FormCalls, dataViewId: string): Promise<RecordMetadata> {
  const reply = await calls.call("data.get-metadata", data.getMetadata, { dataViewId });
  const { className, label, keys = [] } = checkAnswer(data.getMetadata.answer, reply);
  const fields = filterObjects(isJsonObject(reply.body) ? reply.body.fields : []);
  return { className: className ?? label ?? dataViewId, keys: keys.filter(isString), fields };
}

function formatKey(key: JsonObject): string {
  return Object.values(key).map(String).join(", ");
}

/** Describes the fields of a data view as the resources of a form. */
function toUiResources(fields: readonly JsonObject[]): JsonObject {
  const components = fields.map(({ fieldID, name, isRequired, isReadOnly }) => ({
    type: "TextInput",
    config: {
      value: `@P .${fieldID}`,
      label: String(name ?? fieldID),
      required: isRequired === true,
      readOnly: isReadOnly === true,
    },
  }));
  const declared = fields.map(({ fieldID, dataType, maxLength, values }): [string, JsonObject[]] => [
    String(fieldID),
    [{
      type: FIELD_TYPES[String(dataType)] ?? "Text",
      ...(typeof maxLength === "number" && { maxLength }),
      ...(Array.isArray(values) && {
        datasource: { tableType: "PromptList", records: values.map((value) => ({ key: value, value })) },
      }),
    }],
  ]);
  return {
    root: { type: "View", children: components },
    resources: { fields: Object.fromEntries(declared), views: {} },
  };
}
