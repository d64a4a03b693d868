/** What the form of an action asks for, read from the view that the service describes it with. */
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isScalar,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";

/** How a value is asked for. */
export type FieldKind = "text" | "integer" | "decimal" | "boolean" | "date" | "dateTime" | "choice" | "other";

/** A value to choose. */
export interface Choice {
  /** What is submitted. */
  readonly value: string;
  /** What is shown. */
  readonly label: string;
}

/** What a field can be filled in with. */
export type FieldValue = string | number | boolean;

/** A required field of a form. */
export interface FormField {
  /** Names on the way to it: of embedded pages, then its own. */
  readonly path: readonly string[];
  /** Name for people. */
  readonly label: string;
  /** How it is asked for. */
  readonly kind: FieldKind;
  /** What it may be, where it is chosen. */
  readonly choices: readonly Choice[];
  /** Greatest number of characters. */
  readonly maxLength?: number;
  /** Least number. */
  readonly min?: number;
  /** Greatest number. */
  readonly max?: number;
  /** Its present value. */
  readonly value?: FieldValue;
}

const KIND_OF_TYPE: Readonly<Record<string, FieldKind>> = {
  "True-False": "boolean",
  "Integer": "integer",
  "Decimal": "decimal",
  "Date": "date",
  "Date Time": "dateTime",
  "Page": "other",
  "Page List": "other",
};

/** The required fields of the form that an answer shows, in the order of the form; each is asked for once. */
export function requiredFields(uiResources: JsonObject, content: JsonObject): FormField[] {
  const resources = object(uiResources.resources);
  const views = object(resources.views);
  const found = new Map<string, FormField>();
  const visited = new Set<JsonObject>();
  const walk = (node: JsonValue | undefined): void => {
    if (!isJsonObject(node) || visited.has(node)) return;
    visited.add(node);
    const config = object(node.config);
    const path = pathOf(config.value);
    const field = path && fieldAt(object(resources.fields), path);
    // The components inside a list show its rows: they are not fields of the form.
    const isList = path !== undefined && field?.type !== "Page";
    if (path && config.required === true && config.readOnly !== true && !found.has(path.join("."))) {
      found.set(path.join("."), describe(path, config, field ?? {}, valueAt(content, path)));
    }
    if (node.type === "reference" && typeof config.name === "string") walk(first(views[config.name]));
    if (!isList && Array.isArray(node.children)) node.children.forEach(walk);
  };
  walk(uiResources.root);
  // A page of which members are asked for is filled in by them.
  const paths = [...found.keys()];
  return [...found].filter(([path]) => !paths.some((other) => other.startsWith(path + "."))).map(([, field]) => field);
}

function describe(
  path: readonly string[],
  config: JsonObject,
  field: JsonObject,
  value: JsonValue | undefined,
): FormField {
  const choices = choicesOf(object(field.datasource).records);
  return {
    path,
    label: labelOf(config.label, field.label) ?? path.join(" "),
    kind: choices.length > 0 ? "choice" : KIND_OF_TYPE[text(field.type) ?? ""] ?? "text",
    choices,
    maxLength: number(field.maxLength),
    min: number(field.min),
    max: number(field.max),
    value: isScalar(value) ? value : undefined,
  };
}

/** `@P .Address.City` as its names. */
function pathOf(value: JsonValue | undefined): string[] | undefined {
  const match = typeof value === "string" ? /^@\w+\s+\.([\w.]+)$/.exec(value) : null;
  return match?.[1]?.split(".");
}

function fieldAt(fields: JsonObject, path: readonly string[]): JsonObject | undefined {
  const [name = "", ...inner] = path;
  const field = Object.hasOwn(fields, name) ? first(fields[name]) : undefined;
  return inner.length === 0 ? field : field && fieldAt(object(field.fields), inner);
}

function valueAt(content: JsonObject, path: readonly string[]): JsonValue | undefined {
  const [name = "", ...inner] = path;
  const value = Object.hasOwn(content, name) ? content[name] : undefined;
  return inner.length === 0 ? value : valueAt(object(value), inner);
}

function choicesOf(records: JsonValue | undefined): Choice[] {
  return filterObjects(records).map(({ key, value }) => ({
    value: String(key ?? value),
    label: String(value ?? key),
  }));
}

/** The label of the form, unless it only points to the field's own (`@FL .Field`). */
function labelOf(shown: JsonValue | undefined, own: JsonValue | undefined): string | undefined {
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
