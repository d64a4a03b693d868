/** Reads the required fields of a form from the view that describes it. */
import type { ExactNumber } from "../../utils/exact_number.ts";
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isScalar,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";

/** The kind of input that a field takes. */
export type FieldKind = "text" | "integer" | "decimal" | "boolean" | "date" | "dateTime" | "choice" | "other";

/** A value that can be selected. */
export interface Choice {
  /** Submitted value. */
  readonly value: string;
  /** Displayed text. */
  readonly label: string;
}

/** The value of a field. */
export type FieldValue = string | number | ExactNumber | boolean;

/** A required field of a form. */
export interface FormField {
  /** Names of the embedded pages, then of the field. */
  readonly path: readonly string[];
  /** Display name. */
  readonly label: string;
  /** Kind of input. */
  readonly kind: FieldKind;
  /** Allowed values; empty if any value is allowed. */
  readonly choices: readonly Choice[];
  /** Maximum number of characters. */
  readonly maxLength?: number;
  /** Smallest number. */
  readonly min?: number;
  /** Largest number. */
  readonly max?: number;
  /** Current value. */
  readonly value?: FieldValue;
}

const KINDS_BY_TYPE: Readonly<Record<string, FieldKind>> = {
  "True-False": "boolean",
  "Integer": "integer",
  "Decimal": "decimal",
  "Date": "date",
  "Date Time": "dateTime",
  "Page": "other",
  "Page List": "other",
};

/** Returns the required fields of a form, each once, in the order of the form. */
export function requiredFields(uiResources: JsonObject, content: JsonObject): FormField[] {
  const resources = object(uiResources.resources);
  const views = object(resources.views);
  const found = new Map<string, FormField>();
  const visited = new Set<JsonObject>();
  const walk = (node: JsonValue | undefined): void => {
    if (!isJsonObject(node) || visited.has(node)) return;
    visited.add(node);
    const config = object(node.config);
    const path = parsePath(config.value);
    const field = path && findField(object(resources.fields), path);
    // The components inside a list show its rows and are not fields of the form.
    const isList = path !== undefined && field?.type !== "Page";
    if (path && config.required === true && config.readOnly !== true && !found.has(path.join("."))) {
      found.set(path.join("."), describe(path, config, field ?? {}, findValue(content, path)));
    }
    if (node.type === "reference" && typeof config.name === "string") walk(first(views[config.name]));
    if (!isList && Array.isArray(node.children)) node.children.forEach(walk);
  };
  walk(uiResources.root);
  // A page is filled in by its members if they are required too.
  const paths = [...found.keys()];
  return [...found].filter(([path]) => !paths.some((other) => other.startsWith(path + "."))).map(([, field]) => field);
}

function describe(
  path: readonly string[],
  config: JsonObject,
  field: JsonObject,
  value: JsonValue | undefined,
): FormField {
  const choices = readChoices(object(field.datasource).records);
  return {
    path,
    label: readLabel(config.label, field.label) ?? path.join(" "),
    kind: choices.length > 0 ? "choice" : KINDS_BY_TYPE[text(field.type) ?? ""] ?? "text",
    choices,
    maxLength: number(field.maxLength),
    min: number(field.min),
    max: number(field.max),
    value: isScalar(value) ? value : undefined,
  };
}

/** Parses a reference such as `@P .Address.City`. */
function parsePath(value: JsonValue | undefined): string[] | undefined {
  const match = typeof value === "string" ? /^@\w+\s+\.([\w.]+)$/.exec(value) : null;
  return match?.[1]?.split(".");
}

function findField(fields: JsonObject, path: readonly string[]): JsonObject | undefined {
  const [name = "", ...inner] = path;
  const field = Object.hasOwn(fields, name) ? first(fields[name]) : undefined;
  return inner.length === 0 ? field : field && findField(object(field.fields), inner);
}

function findValue(content: JsonObject, path: readonly string[]): JsonValue | undefined {
  const [name = "", ...inner] = path;
  const value = Object.hasOwn(content, name) ? content[name] : undefined;
  return inner.length === 0 ? value : findValue(object(value), inner);
}

function readChoices(records: JsonValue | undefined): Choice[] {
  return filterObjects(records).map(({ key, value }) => ({
    value: String(key ?? value),
    label: String(value ?? key),
  }));
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

function object(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function text(value: JsonValue | undefined): string | undefined {
  return isNonEmptyString(value) ? value : undefined;
}

function number(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
