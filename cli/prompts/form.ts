/** Reads the fields of a form from the view that describes it. */
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isString,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";

/** The kind of input that a field takes. Prompts cannot fill in `other`. */
export type FieldKind =
  | "text"
  | "integer"
  | "decimal"
  | "boolean"
  | "date"
  | "dateTime"
  | "choice"
  | "list"
  | "attachment"
  | "other";

/** A value that can be selected. */
export interface Choice {
  /** Submitted value. */
  readonly value: string;
  /** Displayed text. */
  readonly label: string;
}

/** A data view whose rows can be selected. */
export interface Reference {
  /** Data view ID. */
  readonly dataView: string;
  /** Column with the value. */
  readonly value: string;
  /** Column with the text. */
  readonly text: string;
  /** Parameters of the data view. A value such as `@P .City` is that of a field. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A field of a form. */
export interface FormField {
  /** Path of the field, e.g. `Contact.Name`. */
  readonly key: string;
  /** Names of the embedded pages, then of the field. */
  readonly path: readonly string[];
  /** Display name. */
  readonly label: string;
  /** Kind of input. */
  readonly kind: FieldKind;
  /** True if it must have a value. */
  readonly isRequired: boolean;
  /** True if it is only shown. */
  readonly isReadOnly: boolean;
  /** Allowed values; empty if any value is allowed. */
  readonly choices: readonly Choice[];
  /** Source of the choices, if the form does not contain them. */
  readonly reference?: Reference;
  /** Fields of the rows of a list. */
  readonly columns: readonly FormField[];
  /** Maximum number of characters. */
  readonly maxLength?: number;
  /** Smallest number. */
  readonly min?: number;
  /** Largest number. */
  readonly max?: number;
}

const KINDS_BY_TYPE: Readonly<Record<string, FieldKind>> = {
  "True-False": "boolean",
  "Integer": "integer",
  "Decimal": "decimal",
  "Date": "date",
  "Date Time": "dateTime",
  "Page": "other",
  "Page List": "list",
  "Page Group": "other",
};

/** Returns the fields of a form, each once, in the order of the form. A page is represented by its members. */
export function readFields(uiResources: JsonObject): FormField[] {
  const resources = toObject(uiResources.resources);
  const declared = toObject(resources.fields);
  const views = toObject(resources.views);
  const visited = new Set<JsonObject>();

  function read(node: JsonValue | undefined, fields: JsonObject): FormField[] {
    if (!isJsonObject(node) || visited.has(node)) return [];
    visited.add(node);
    const config = toObject(node.config);
    if (config.visibility === false) return [];
    const children = Array.isArray(node.children) ? node.children : [];
    const path = parsePath(config.value);
    const field = path && findField(fields, path) || {};
    if (path !== undefined && (field.type === "Page List" || field.type === "Page Group")) {
      const members = children.flatMap((child) => read(child, toObject(field.fields)));
      return [describe(path, config, field, field.type === "Page List" ? members : [])];
    }
    const isAttachment = field.displayAs === "pxAttachContent" || node.type === "Attachment";
    const inner = isAttachment ? [] : [
      ...(node.type === "reference" && isString(config.name) ? read(first(views[config.name]), fields) : []),
      ...children.flatMap((child) => read(child, fields)),
    ];
    if (path === undefined) return inner;
    const own = describe(path, config, field, []);
    if (isAttachment) return [{ ...own, kind: "attachment" }];
    return inner.length === 0 ? [own] : inner.map((member) => ({ ...member, label: `${own.label}: ${member.label}` }));
  }

  const found = new Map<string, FormField>();
  for (const field of read(uiResources.root, declared)) {
    if (!found.has(field.key)) found.set(field.key, field);
  }
  return [...found.values()];
}

/** Returns the value at the path of a field. */
export function findValue(content: JsonObject, path: readonly string[]): JsonValue | undefined {
  const [name = "", ...inner] = path;
  const value = Object.hasOwn(content, name) ? content[name] : undefined;
  return inner.length === 0 ? value : findValue(toObject(value), inner);
}

function describe(
  path: readonly string[],
  config: JsonObject,
  field: JsonObject,
  columns: readonly FormField[],
): FormField {
  const source = toObject(field.datasource);
  const choices = readChoices(source.records);
  const reference = readReference(source);
  const ownKind = KINDS_BY_TYPE[text(field.type) ?? ""] ?? "text";
  return {
    key: path.join("."),
    path,
    label: readLabel(config.label, field.label) ?? path.join(" "),
    kind: choices.length > 0 || reference ? "choice" : ownKind === "list" && columns.length === 0 ? "other" : ownKind,
    isRequired: config.required === true,
    isReadOnly: config.readOnly === true || field.isDeclarativeTarget === true,
    choices,
    reference,
    columns,
    maxLength: number(field.maxLength),
    min: number(field.min),
    max: number(field.max),
  };
}

/** Parses a reference such as `@P .Address.City`. */
export function parsePath(value: JsonValue | undefined): string[] | undefined {
  const match = typeof value === "string" ? /^@\w+\s+\.([\w.]+)$/.exec(value) : null;
  return match?.[1]?.split(".");
}

function findField(fields: JsonObject, path: readonly string[]): JsonObject | undefined {
  const [name = "", ...inner] = path;
  const field = Object.hasOwn(fields, name) ? first(fields[name]) : undefined;
  return inner.length === 0 ? field : field && findField(toObject(field.fields), inner);
}

function readChoices(records: JsonValue | undefined): Choice[] {
  return filterObjects(records).map(({ key, value }) => ({
    value: String(key ?? value),
    label: String(value ?? key),
  }));
}

function readReference(source: JsonObject): Reference | undefined {
  const { tableType, name, propertyForValue, propertyForDisplayText, parameters } = source;
  const value = parsePath(propertyForValue)?.join(".");
  if (tableType !== "DataPage" || !isNonEmptyString(name) || value === undefined) return undefined;
  return {
    dataView: name,
    value,
    text: parsePath(propertyForDisplayText)?.join(".") ?? value,
    parameters: Object.fromEntries(filterObjects(parameters).map(({ name, value }) => [String(name), String(value)])),
  };
}

/** Returns the label of the form, or that of the field if the form only refers to it (`@FL .Field`). */
function readLabel(shown: JsonValue | undefined, own: JsonValue | undefined): string | undefined {
  const label = text(shown);
  if (label?.startsWith("@L ")) return label.slice("@L ".length);
  return label === undefined || label.startsWith("@") ? text(own) : label;
}

function first(value: JsonValue | undefined): JsonObject | undefined {
  return filterObjects(value)[0];
}

/** Returns a value if it is an object, otherwise an empty object. */
export function toObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function text(value: JsonValue | undefined): string | undefined {
  return isNonEmptyString(value) ? value : undefined;
}

function number(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
