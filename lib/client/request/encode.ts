/** Encodes calls: the description of an operation tells which value goes where. */
import { writeBody } from "../../operation/body_path.ts";
import { SvcError } from "../../errors.ts";
import { isJsonObject, isScalar, type JsonObject, type JsonValue, stringOrUndefined } from "../../../utils/json.ts";
import { type CheckedValue, checkValues, jsonText, nameParam, type Values } from "./values.ts";
import {
  type FileInput,
  isOfType,
  listParams,
  type Operation,
  type Param,
  readsTagFirst,
  type TagSource,
} from "../../operation/operation.ts";
import { DEFAULT_STYLE, type RequestStyle } from "../../operation/request_style.ts";

/** A request below the API root. */
export interface EncodedRequest {
  /** HTTP method. */
  readonly method: string;
  /** Path with query, percent-encoded. */
  readonly path: string;
  /** JSON body. */
  readonly body?: JsonObject | undefined;
  /** Parts of a multipart body. */
  readonly parts?: readonly Part[] | undefined;
  /** Entity tag to send. */
  readonly ifMatch?: string | undefined;
  /** Path at which the entity tag must be read first. */
  readonly tagPath?: string | undefined;
  /** Path at which the entity tag can be read if the service demands it. */
  readonly demandedTagPath?: string | undefined;
}

/** A part of a multipart body. */
export type Part = readonly [name: string, value: string | FileInput];

/**
 * Encodes values as the request of an operation. Throws `INVALID_ARGS` for invalid values. The style of the service is
 * read only if the request depends on it.
 */
export function encodeRequest(
  operation: Operation,
  values: Values,
  getStyle: () => RequestStyle = () => DEFAULT_STYLE,
): EncodedRequest {
  const checked = checkValues(operation, values);
  const segments = new Map<string, string>();
  const query: [string, string][] = [];
  const parts: Part[] = [];
  let body: JsonObject | undefined = operation.emptyBody ? {} : undefined;
  for (const [name, param] of listParams(operation)) {
    const value = checked.get(name);
    const colon = param.to.indexOf(":");
    const place = param.to.slice(colon + 1);
    switch (param.to.slice(0, colon)) {
      case "path":
        segments.set(place, encodeSegment(nameParam(operation, name), String(value), param.reserved));
        break;
      case "query":
        if (value !== undefined) {
          query.push(...encodeQuery(nameParam(operation, name), findQueryName(param, place, getStyle), value));
        }
        break;
      case "body":
        body = withValue(body ?? {}, place, value);
        break;
      case "part":
        if (value !== undefined) parts.push([place, isOfType("file", value) ? value : String(value)]);
        break;
    }
  }
  const ifMatch = stringOrUndefined(values.ifMatch);
  return {
    method: operation.method,
    path: fill(operation.path, segments) + queryText(query),
    ...(body && { body }),
    // Small parts go first, so that a server that streams the body knows them before the file.
    ...(parts.length > 0 && { parts: parts.toSorted(([, a], [, b]) => Number(isFile(a)) - Number(isFile(b))) }),
    ...(ifMatch !== undefined && { ifMatch }),
    ...(ifMatch === undefined && operation.tagFrom &&
      chooseTagPath(operation, getStyle(), buildTagPath(operation.tagFrom, segments, checked))),
  };
}

/** Returns the name of a query parameter. `*` stands for one parameter per member. */
function findQueryName({ jsonQuery }: Param, place: string, getStyle: () => RequestStyle): string {
  return jsonQuery !== undefined && getStyle().recordKeys === "json" ? jsonQuery : place;
}

function chooseTagPath(operation: Operation, { tags }: RequestStyle, path: string): Partial<EncodedRequest> {
  if (readsTagFirst(operation, tags)) return { tagPath: path };
  return tags === "never" ? {} : { demandedTagPath: path };
}

function isFile(value: Part[1]): value is FileInput {
  return typeof value !== "string";
}

function buildTagPath(
  { path, scalarsOf }: TagSource,
  segments: ReadonlyMap<string, string>,
  checked: ReadonlyMap<string, CheckedValue>,
): string {
  const record = scalarsOf === undefined ? undefined : checked.get(scalarsOf);
  if (!isJsonObject(record)) return fill(path, segments);
  const scalars = Object.fromEntries(Object.entries(record).filter(([, member]) => mayBeKey(member)));
  return fill(path, segments) + queryText([["dataViewParameters", JSON.stringify(scalars)]]);
}

/** Maximum length of a key. Longer texts would make an address that servers and proxies reject. */
const KEY_LIMIT = 255;

function mayBeKey(member: JsonValue | undefined): boolean {
  return isScalar(member) && !(typeof member === "string" && member.length > KEY_LIMIT);
}

function withValue(body: JsonObject, place: string, value: CheckedValue | undefined): JsonObject {
  if (value === undefined) return body;
  const json: JsonValue = toJson(value);
  if (place === "*") return isJsonObject(json) ? json : body;
  writeBody(body, place, json);
  return body;
}

/** Copies a value as JSON: the interface of a calculation request has no index signature. */
function toJson(value: CheckedValue): JsonValue {
  if (isOfType("file", value)) throw new SvcError("INTERNAL_ERROR", "A file is described as part of a JSON body.");
  return typeof value === "object" && !Array.isArray(value) ? { ...value } : value;
}

function encodeQuery(called: string, place: string, value: CheckedValue): [string, string][] {
  const pairs = place === "*" ? givenMembers(value) : [[place, value] as const];
  const query = pairs.map(([name, member]): [string, string] => [name, queryValue(member)]);
  if (query.flat().every((text) => text.isWellFormed())) return query;
  throw new SvcError("INVALID_ARGS", `${called} contains a lone surrogate, which an address cannot contain.`, {
    hint: "Write the complete character.",
  });
}

/** Omits members that are undefined, as a JSON body does. */
function givenMembers(value: CheckedValue): [name: string, member: unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

function queryValue(value: unknown): string {
  return typeof value === "object" ? jsonText(value) : String(value);
}

function queryText(query: readonly [string, string][]): string {
  const pairs = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? "" : "?" + pairs.join("&");
}

function fill(template: string, segments: ReadonlyMap<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const segment = segments.get(name);
    if (segment === undefined) throw new SvcError("INTERNAL_ERROR", `{${name}} of ${template} has no value.`);
    return segment;
  });
}

/** Rejected as segments of a path: a URL parser resolves dots and drops empty segments. */
const NO_SEGMENTS = ["", ".", ".."];

/** Encodes one segment of a path. */
function encodeSegment(name: string, value: string, reserved: readonly string[] = []): string {
  if (NO_SEGMENTS.includes(value) || reserved.includes(value) || !value.isWellFormed()) {
    throw new SvcError("INVALID_ARGS", `${name} cannot be ${JSON.stringify(value)}.`, {
      hint: "Pass the identifier as the service printed it.",
    });
  }
  return encodeURIComponent(value);
}
