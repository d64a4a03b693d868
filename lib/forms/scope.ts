/** Resolves the references and conditions of a part of a form at the place where it is drawn. */
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isString,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";
import { isTrue, parseExpression } from "./expression.ts";
import type { FormNode } from "./nodes.ts";
import { getAt, getObject, isSamePath, parsePath, type Path } from "./path.ts";
import type { Resources } from "./resources.ts";

/** The form that is drawn: its response, and the entries. */
export interface DrawnForm {
  readonly resources: Resources;
  /** `data` of the response. */
  readonly data: JsonObject;
  /** Current content. */
  readonly content: JsonObject;
  /** Results of conditions, in the structure of the content. */
  readonly conditions: JsonObject;
  /** Class of the content. */
  readonly classId?: string | undefined;
  /** Reports whether the row at a path is not stored yet. */
  isNewRow(path: Path): boolean;
  /** Reports whether the row at a path is new, or has entered values. */
  isChangedRow(path: Path): boolean;
  /** Issues by the path of their property. */
  readonly errors: ReadonlyMap<string, readonly string[]>;
  /** Time zone of the person. */
  readonly timeZone?: string | undefined;
}

/** Facts that are collected while a form is drawn. */
export interface DrawLog {
  /** Things that could not be understood. */
  readonly warnings: Set<string>;
  /** Paths of the properties that are shown or referred to. */
  readonly used: Set<string>;
  /** True if a condition is evaluated by the service. */
  usesConditions: boolean;
  /** Number of components that were drawn. */
  count?: number;
}

/** The place at which a part is drawn. */
export interface Scope {
  readonly form: DrawnForm;
  readonly log: DrawLog;
  /** Path of the current page. */
  readonly path: Path;
  /** Class of the current page. */
  readonly classId?: string | undefined;
  /** Other classes under which parts of the current page may be declared. */
  readonly otherClasses?: readonly string[];
  readonly isVisible: boolean;
  readonly isReadOnly: boolean;
  /** Properties that the calling reference gives to the view. */
  readonly inherited: JsonObject;
  /** Views that contain this place. */
  readonly drawn: ReadonlySet<JsonObject>;
  /** Number of components that contain this place. */
  readonly depth?: number;
}

/** Draws components at a place. */
export type Draw = (nodes: JsonValue | undefined, scope: Scope) => FormNode[];

// A label without text may have lost the space after its prefix.
const REFERENCE = /^@(?:([A-Z_]+)\s([^]*)|(F?L))$/;

/** Splits a reference such as `@P .City` into its prefix and the rest. Returns undefined for a literal. */
export function parseReference(value: JsonValue | undefined): { prefix: string; rest: string } | undefined {
  const [, named, rest = "", label] = isString(value) ? REFERENCE.exec(value) ?? [] : [];
  const prefix = named ?? label;
  return prefix === undefined ? undefined : { prefix, rest: rest.trim() };
}

/** The references that lead to a property. */
const PATH_PREFIXES: readonly (string | undefined)[] = [undefined, "P", "USER", "ATTACHMENT", "ASSOCIATED"];

/** Returns the path that a value such as `@P .Home.City` or `.City` refers to; undefined if it refers to no content. */
export function resolvePath(value: JsonValue | undefined, { path }: Scope): Path | undefined {
  const reference = parseReference(value);
  if (!isString(value) || !PATH_PREFIXES.includes(reference?.prefix)) return undefined;
  const text = reference?.rest ?? value;
  if (text.startsWith(".")) {
    const inner = parsePath(text);
    return inner && [...path, ...inner];
  }
  const absolute = reference === undefined ? undefined : parseContext(text);
  return absolute && absolute.length > 0 ? absolute : undefined;
}

/** Parses the path below `caseInfo.content`. Returns undefined for a path that leads elsewhere. */
export function parseContext(text: string): Path | undefined {
  const [, rest] = /^(?:(?:data\.)?(?:caseInfo|dataInfo)\.)?content((?:[.[(][^]*)?)$/.exec(text) ?? [];
  return rest === undefined ? undefined : parsePath(`content${rest}`)?.slice(1);
}

/** Returns the value that a member of a part's configuration stands for. Literals stand for themselves. */
export function resolveValue(value: JsonValue | undefined, scope: Scope): JsonValue | undefined {
  const reference = parseReference(value);
  switch (reference?.prefix) {
    case undefined:
      return value;
    case "L":
      return reference?.rest;
    case "FL":
      return resolveLabel(reference?.rest ?? "", scope);
    case "PARAGRAPH":
      return scope.form.resources.findParagraph(reference?.rest ?? "");
    case "E":
    case "W":
      return evaluateCondition(value, scope, false);
    case "P":
    case "USER":
    case "ATTACHMENT":
      return readProperty(value, scope);
    default:
      return undefined;
  }
}

/** Returns the value of the property to which a value such as `@P .Home.City` or `.City` refers. */
export function readProperty(value: JsonValue | undefined, scope: Scope): JsonValue | undefined {
  const path = resolvePath(value, scope);
  if (path === undefined) return getAt(scope.form.data, parsePath(parseReference(value)?.rest ?? "") ?? [""]);
  scope.log.used.add(JSON.stringify(path));
  return getAt(scope.form.content, path);
}

/** Returns the text that a member stands for; empty without one. */
export function resolveText(value: JsonValue | undefined, scope: Scope): string {
  const resolved = resolveValue(value, scope);
  return resolved === undefined || resolved === null || typeof resolved === "object" ? "" : String(resolved).trim();
}

/** Returns the label of the property that `@FL .A.B` names, or else the name of the property. */
function resolveLabel(rest: string, scope: Scope): string {
  const path = resolvePath(`@P ${rest}`, scope);
  if (path === undefined) return "";
  const field = findField(path, scope);
  return [field?.label, field?.caption, path.findLast(isString)].find(isNonEmptyString) ?? "";
}

/** Returns the declaration of the property at a path. */
export function findField(path: Path, scope: Scope): JsonObject | undefined {
  const name = path.findLast(isString);
  return name === undefined
    ? undefined
    : scope.form.resources.findField(name, ...findClasses(path.slice(0, path.lastIndexOf(name)), scope));
}

/** Returns the class of the page at a path. */
export function findClass(path: Path, scope: Scope): string | undefined {
  return findClasses(path, scope)[0];
}

/** Returns the classes under which parts of the page at a path may be declared, the best first. */
export function findClasses(path: Path, scope: Scope): string[] {
  const { form, path: own, classId, otherClasses = [] } = scope;
  const named = getObject(form.content, path).classID;
  if (isSamePath(path, own)) return [named, classId, ...otherClasses].filter(isNonEmptyString);
  if (path.length === 0) return [named, form.classId].filter(isNonEmptyString);
  const parent = path.slice(0, -1);
  const name = path.at(-1);
  if (typeof name === "number") return [named, ...findClasses(parent, scope)].filter(isNonEmptyString);
  const declared = form.resources.findField(String(name), ...findClasses(parent, scope));
  return [named, declared?.pageClass].filter(isNonEmptyString);
}

/** Evaluates a condition. Returns the fallback if it is missing or cannot be evaluated. */
export function evaluateCondition(value: JsonValue | undefined, scope: Scope, fallback: boolean): boolean {
  if (value === undefined || value === null || value === "") return fallback;
  if (!isString(value)) return isTrue(value);
  const parts = value.split(/\s*&&\s*(?=@[EW]\s)/);
  return parts.every((part) => evaluatePart(part.trim(), scope, fallback));
}

function evaluatePart(text: string, scope: Scope, fallback: boolean): boolean {
  if (text === "true" || text === "false") return text === "true";
  const reference = parseReference(text);
  switch (reference?.prefix) {
    case undefined:
      return text.startsWith(".") || text.startsWith("!")
        ? evaluateExpression(text, scope, fallback)
        : evaluateWhen(text, scope, fallback);
    case "W":
      return evaluateWhen(reference?.rest ?? "", scope, fallback);
    case "E":
    case "FIELD":
      return evaluateExpression(reference?.rest ?? "", scope, fallback);
    case "P":
      return isTrue(resolveValue(text, scope));
    default:
      return fallback;
  }
}

function evaluateExpression(text: string, scope: Scope, fallback: boolean): boolean {
  const expression = parseExpression(text);
  if (expression === undefined) {
    scope.log.warnings.add(`A condition of this form cannot be evaluated: ${text}`);
    return fallback;
  }
  return isTrue(expression((names) => {
    const path = [...scope.path, ...names];
    scope.log.used.add(JSON.stringify(path));
    return getAt(scope.form.content, path);
  }));
}

function evaluateWhen(name: string, scope: Scope, fallback: boolean): boolean {
  scope.log.usesConditions = true;
  const result = findConditions(scope)[name];
  return result === undefined || result === null ? fallback : isTrue(result);
}

/** Returns the results of conditions for the current page. */
function findConditions({ form, path }: Scope): JsonObject {
  return getObject(findContext(form.conditions, path).summary_of_when_conditions__);
}

/** Returns the choices that the service has sent for the properties of the current page. */
export function findSentChoices({ form, path }: Scope, property: string): JsonObject[] {
  return filterObjects(getObject(findContext(form.conditions, path).summary_of_associated_lists__)[property]);
}

/** Returns the context of a page. A row that the service does not know has the context of the row template. */
function findContext(conditions: JsonObject, path: Path): JsonObject {
  const own = getAt(conditions, path);
  if (isJsonObject(own)) return own;
  const [name, row] = path.slice(-2);
  if (typeof name !== "string" || typeof row !== "number") return {};
  return getObject(conditions, [...path.slice(0, -2), `${name}Temp`, 0]);
}
