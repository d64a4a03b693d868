/** The content of a case, as a view shows it. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import type { Field, View } from "../../application/model/application.ts";
import { VALUE_KINDS } from "../../application/model/field.ts";
import type { CaseWork } from "../case_work.ts";

/** The fields of a view, with the facts that every view carries. */
export function contentOf(work: CaseWork, view: View, content: JsonObject = work.stored.content): JsonObject {
  const { stored, type } = work;
  const shown: JsonObject = {
    classID: type.id,
    pxObjClass: type.id,
    pyID: stored.businessId,
    pyLabel: stored.content.pyLabel,
    pyStatusWork: stored.status,
    pxUrgencyWork: stored.urgency,
    pxCreateOperator: stored.createdBy,
    pxCreateDateTime: stored.createdAt,
    pxUpdateOperator: stored.updatedBy,
    pxUpdateDateTime: stored.updatedAt,
  };
  for (const { field } of view.fields.values()) shown[field.name] = shownValue(field, content[field.name]);
  return shown;
}

/** The fields of a view, by name. */
export function fieldsOf(view: View): ReadonlyMap<string, Field> {
  return new Map([...view.fields].map(([name, { field }]) => [name, field]));
}

/** Values of a class, each as it is shown. */
export function shownValues(fields: ReadonlyMap<string, Field>, content: JsonObject, classId: string): JsonObject {
  const shown: JsonObject = { classID: classId };
  for (const field of fields.values()) shown[field.name] = shownValue(field, content[field.name]);
  return shown;
}

/** No text is an empty one, no rows are an empty list; a number, a choice of yes or no and a page are just not there. */
function shownValue(field: Field, value: JsonValue | undefined): JsonValue | undefined {
  const { type, embedded } = field;
  if (embedded !== undefined && isJsonObject(value)) return shownValues(embedded.fields, value, embedded.classId);
  if (embedded !== undefined && Array.isArray(value)) {
    return value.map((row) => isJsonObject(row) ? shownValues(embedded.fields, row, embedded.classId) : row);
  }
  if (value !== undefined) return value;
  if (type === "List") return [];
  return type === "Page" || type === "Boolean" || VALUE_KINDS[type] === "number" ? undefined : "";
}
