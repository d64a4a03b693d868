/** The forms of data records: of a new record, of a stored one, and of a record's action. */
import type { Values } from "../../lib/client/request/values.ts";
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import { readForm } from "../../lib/forms/mod.ts";
import data from "../../lib/resources/data.ts";
import { filterObjects, isJsonObject, isString, type JsonObject } from "../../utils/json.ts";
import type { FormCalls } from "./form_calls.ts";
import { type FilledForm, type FormSource, toValues } from "./form_source.ts";

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

/** The component and the type of form fields by their type in the metadata. All other fields are texts. */
const FIELD_TYPES: Readonly<Record<string, readonly [component: string, type: string]>> = {
  "Boolean": ["Checkbox", "True-False"],
  "Currency": ["Currency", "Decimal"],
  "Date only": ["Date", "Date"],
  "Date & time": ["DateTime", "Date Time"],
  "Decimal": ["Decimal", "Decimal"],
  "Email": ["Email", "Text"],
  "Embedded data (list of records)": ["EmbeddedData", "Page List"],
  "Embedded data (records by name)": ["EmbeddedData", "Page Group"],
  "Embedded data (single record)": ["EmbeddedData", "Page"],
  "Integer": ["Integer", "Integer"],
  "Percentage": ["Percentage", "Decimal"],
  "Phone": ["Phone", "Text"],
  "Text (paragraph)": ["TextArea", "Text"],
  "Time only": ["Time", "TimeOfDay"],
  "True/false": ["Checkbox", "True-False"],
  "URL": ["URL", "Text"],
};

/** Returns the form of a new record. It is built from the metadata of the data view. */
export function createRecordForm(calls: FormCalls, dataViewId: string): FormSource {
  return {
    async read() {
      const { className, fields } = await readMetadata(calls, dataViewId);
      const name = `New ${className}`;
      return { form: readForm(describeRecord(fields, {})), name, title: name, instructions: [], acceptsNoFiles: true };
    },
    async submit(filled) {
      return await calls.call("data.create", data.create, { dataViewId, data: toValues(filled).data });
    },
  };
}

/** Returns the form of a stored record. `patch` submits what has changed, `update` the whole record. */
export function createStoredRecordForm(calls: FormCalls, target: RecordTarget, verb: "patch" | "update"): FormSource {
  const { dataViewId, key } = target;
  let etag = target.ifMatch;
  let unchanged: JsonObject = {};
  return {
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
      return {
        form: readForm(describeRecord(shown, content)),
        name,
        title: name,
        instructions: [],
        acceptsNoFiles: true,
      };
    },
    async submit(filled) {
      const changes = toValues(filled).data;
      const values = { ...unchanged, ...key, ...(isJsonObject(changes) ? changes : {}) };
      return await calls.call(`data.${verb}`, data[verb], { dataViewId, ifMatch: etag, data: values });
    },
  };
}

/** Returns the form of a record's action. */
export function createRecordActionForm(calls: FormCalls, target: RecordActionTarget): FormSource {
  const { dataViewId, action, key } = target;
  let etag = target.ifMatch;
  const submit = async (filled: FilledForm, options: Values = {}) => {
    const { data: changes, ...others } = toValues(filled);
    const values = { ...others, data: { ...key, ...(isJsonObject(changes) ? changes : {}) } };
    const call = { dataViewId, action, ifMatch: etag, ...options, ...values };
    return await calls.call("data.perform-action", data.performAction, call);
  };
  return {
    async read() {
      const reply = await calls.call("data.get-action", data.getAction, { dataViewId, action, data: key });
      const { name = action } = checkAnswer(data.getAction.answer, reply);
      etag = target.ifMatch ?? reply.etag;
      const form = readForm(calls.readBody(reply), { action });
      return { form, name, title: `${name}: ${formatKey(key)}`, instructions: [], acceptsNoFiles: true };
    },
    submit: (filled) => submit(filled),
    submitWithoutAutomation: (filled) => submit(filled, { skipAutomation: true }),
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
  const own = fields.filter(({ isKey, isClassKey }) => isKey === true || isClassKey === true)
    .map(({ fieldID }) => String(fieldID));
  const declared = keys.filter(isString);
  return { className: className ?? label ?? dataViewId, keys: declared.length > 0 ? declared : own, fields };
}

function formatKey(key: JsonObject): string {
  return Object.values(key).map(String).join(", ");
}

/** Builds a response with a form for a record of a data view. */
function describeRecord(fields: readonly JsonObject[], content: JsonObject): JsonObject {
  const described = fields.map((field) => ({ field, types: FIELD_TYPES[String(field.fieldType ?? field.dataType)] }));
  const components = described.map(({ field: { fieldID, name, isRequired, isReadOnly, values }, types }) => ({
    type: Array.isArray(values) ? "Dropdown" : types?.[0] ?? "TextInput",
    config: {
      value: `@P .${fieldID}`,
      label: String(name ?? fieldID),
      required: isRequired === true,
      readOnly: isReadOnly === true,
    },
  }));
  const declared = described.map(({ field: { fieldID, maxLength, values }, types }): [string, JsonObject[]] => [
    String(fieldID),
    [{
      type: types?.[1] ?? "Text",
      ...(typeof maxLength === "number" && { maxLength }),
      ...(Array.isArray(values) && {
        datasource: { tableType: "PromptList", records: values.map((value) => ({ key: value, value })) },
      }),
    }],
  ]);
  return {
    data: { content },
    uiResources: {
      root: { type: "View", children: components },
      resources: { fields: Object.fromEntries(declared), views: {} },
    },
  };
}
