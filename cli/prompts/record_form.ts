/** The forms of data records: of a new record, and of a record's action. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import data from "../../lib/resources/data.ts";
import { filterObjects, isJsonObject, isString, type JsonObject } from "../../utils/json.ts";
import type { FormSource } from "./fill_form.ts";
import type { FormCalls } from "./form_calls.ts";

/** The action of a record. */
export interface RecordActionTarget {
  /** Data view ID. */
  readonly dataViewId: string;
  /** Action ID. */
  readonly action: string;
  /** Fields that identify the record. */
  readonly key: JsonObject;
  /** Entity tag that must still be current. Default: that of the form. */
  readonly ifMatch?: string;
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
    loadChoices: (reference) => calls.loadChoices(reference),
    openFile: (path) => calls.openFile(path),
    async read() {
      const reply = await calls.call("data.get-metadata", data.getMetadata, { dataViewId });
      const { className, label } = checkAnswer(data.getMetadata.answer, reply);
      const name = `New ${className ?? label ?? dataViewId}`;
      const fields = filterObjects(isJsonObject(reply.body) ? reply.body.fields : []);
      return { uiResources: toUiResources(fields), content: {}, name, title: name, acceptsNoFiles: true };
    },
    async submit({ content }) {
      return await calls.call("data.create", data.create, { dataViewId, data: content });
    },
  };
}

/** Returns the form of a record's action. */
export function createRecordActionForm(calls: FormCalls, target: RecordActionTarget): FormSource {
  const { dataViewId, action, key } = target;
  let etag = target.ifMatch;
  return {
    loadChoices: (reference) => calls.loadChoices(reference),
    openFile: (path) => calls.openFile(path),
    async read() {
      const reply = await calls.call("data.get-action", data.getAction, { dataViewId, action, data: key });
      const { data: content = {}, uiResources = {}, name = action } = checkAnswer(data.getAction.answer, reply);
      etag = target.ifMatch ?? reply.etag;
      const title = `${name}: ${Object.values(key).map(String).join(", ")}`;
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

/** Reads the names of the fields that identify the records of a data view. */
export async function readKeys(calls: FormCalls, dataViewId: string): Promise<readonly string[]> {
  const reply = await calls.call("data.get-metadata", data.getMetadata, { dataViewId });
  return (checkAnswer(data.getMetadata.answer, reply).keys ?? []).filter(isString);
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
