/** The fields of a case, with the labels of a form if the response contains one. */
import { toTable } from "../../lib/output/table.ts";
import { filterObjects, isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { EMPTY, formatMoney, formatValue, isEmptyValue, isTechnical, toLabel } from "./format_value.ts";
import type { Row } from "./page.ts";

/** A field as a form declares it. */
type Declaration = JsonObject | undefined;

/** Lists the fields of a form with their values. Without a form, lists the content that is not empty. */
export function listFormRows(content: JsonObject, uiResources: JsonValue | undefined): Row[] {
  const fields = readDeclarations(uiResources);
  const shown = Object.keys(fields).filter((name) => !isTechnical(name) && name !== "");
  if (shown.length === 0) return listContentRows(content, undefined);
  return shown.flatMap((name) => describe(name, declare(fields, name), content[name]));
}

/** Lists the content that is not empty, with labels where a form declares them. */
export function listContentRows(content: JsonObject, uiResources: JsonValue | undefined): Row[] {
  const fields = readDeclarations(uiResources);
  return Object.keys(content).filter((name) => !isTechnical(name) && !isEmptyValue(content[name]))
    .flatMap((name) => describe(name, declare(fields, name), content[name]));
}

function readDeclarations(uiResources: JsonValue | undefined): JsonObject {
  const resources = isJsonObject(uiResources) ? uiResources.resources : undefined;
  return isJsonObject(resources) && isJsonObject(resources.fields) ? resources.fields : {};
}

function describe(name: string, field: Declaration, value: JsonValue | undefined, page?: string): Row[] {
  const own = typeof field?.label === "string" && field.label !== "" ? field.label : toLabel(name);
  const label = page === undefined ? own : `${page}: ${own}`;
  const fields = isJsonObject(field?.fields) ? field.fields : {};
  if (isPage(field, value)) {
    const content = isJsonObject(value) ? value : {};
    const declared = Object.keys(fields);
    const names = declared.length > 0 ? declared : Object.keys(content).filter((one) => !isEmptyValue(content[one]));
    return names.filter((member) => !isTechnical(member))
      .flatMap((member) => describe(member, declare(fields, member), content[member], label));
  }
  const rows = filterObjects(value);
  if (rows.length > 0) return [{ label, lines: renderRows(rows, fields) }];
  return [{ label, value: formatField(field, value) }];
}

/** An object with a name of its own, such as an attachment, is a value. Others are shown by their members. */
function isPage(field: Declaration, value: JsonValue | undefined): boolean {
  if (field?.displayAs === "pxAttachContent" || Array.isArray(value)) return false;
  if (isJsonObject(field?.fields)) return field.type !== "Page List";
  return isJsonObject(value) && !Object.keys(value).some((member) => /^(?:ID|id|name|pyLabel|fileName)$/.test(member));
}

function renderRows(rows: readonly JsonObject[], fields: JsonObject): string[] {
  const declared = Object.keys(fields);
  const names = (declared.length > 0 ? declared : [...new Set(rows.flatMap(Object.keys))])
    .filter((name) => !isTechnical(name));
  const cells = rows.map((row) =>
    Object.fromEntries(names.map((name) => {
      const field = declare(fields, name);
      const [{ label } = { label: name }] = describe(name, field, "");
      return [label, formatField(field, row[name])];
    }))
  );
  const table = toTable(cells, { color: false });
  return "text" in table ? table.text.trimEnd().split("\n") : [];
}

function formatField(field: Declaration, value: JsonValue | undefined): string {
  if (isEmptyValue(value)) return EMPTY;
  if (field?.displayAs === "pxCurrency") return formatMoney(value);
  const source = isJsonObject(field?.datasource) ? field.datasource : {};
  const choice = filterObjects(source.records).find(({ key, value: text }) => String(key ?? text) === String(value));
  return choice === undefined ? formatValue(value) : formatValue(choice.value ?? choice.key);
}

function declare(fields: JsonObject, name: string): Declaration {
  return Object.hasOwn(fields, name) ? filterObjects(fields[name])[0] : undefined;
}
