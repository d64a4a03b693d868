/** Decodes a request to the values of its operation: the inverse of the encoding in the client. */
import { readBody } from "../../lib/operation/body_path.ts";
import {
  isOfType,
  listParams,
  type Operation,
  type Param,
  takesTag,
  TYPE_NAMES,
} from "../../lib/operation/operation.ts";
import { isJsonObject, type JsonObject, JsonTooDeep, type JsonValue, parseJson } from "../../utils/json.ts";
import { createIssue, Invalid, type Issue } from "../errors.ts";
import { createRequestCheck } from "./accepted.ts";
import type { ReceivedFile } from "./handler.ts";
import type { Form } from "./multipart.ts";
import { hasLoneSurrogate, MAX_DEPTH } from "./receive.ts";

/** The parts of a request that contain values. */
export interface RequestParts {
  /** Returns a variable of the path, decoded. */
  segment(name: string): string | undefined;
  readonly query: URLSearchParams;
  readonly body: JsonValue | undefined;
  /** The parts of a multipart body by name. */
  readonly form?: Form;
  /** The `If-Match` header. */
  readonly ifMatch: string | undefined;
}

/** Facts about the service, which determine the available parameters. */
export interface Served {
  /** Deployment variant of the application. */
  readonly variant: string;
  /** Platform version of the application. */
  readonly platformVersion: number;
  /** True to accept only what the published API has. */
  readonly strict?: boolean;
}

/** Decodes the requests of an operation. */
export type Decode = (parts: RequestParts) => Record<string, unknown>;

type Read = (parts: RequestParts, body: JsonObject) => JsonValue | ReceivedFile | undefined;

/** Creates the decoder of an operation. The decoder throws `Invalid` with an issue for each invalid value. */
export function createDecoder(operation: Operation, served: Served): Decode {
  const params = listDecodedParams(operation).map(([name, param]) => {
    return { name, param, read: createReader(param, served) };
  });
  const check = createRequestCheck(operation, served.strict === true);
  const tagged = takesTag(operation);
  const { atLeastOne = [] } = operation;
  const anyOf = params.filter(({ name }) => atLeastOne.includes(name)).map(({ param }) => getWireName(param));
  return (parts) => {
    if (parts.body !== undefined && !isJsonObject(parts.body)) {
      throw new Invalid("The body must be a JSON object.");
    }
    check(parts);
    const values: Record<string, unknown> = {};
    const issues: Issue[] = [];
    for (const { name, param, read } of params) {
      try {
        const value = read(parts, parts.body ?? {});
        if (value !== undefined) values[name] = value;
      } catch (error) {
        issues.push(toIssue(param, error));
      }
    }
    if (issues.length > 0) throw new Invalid(issues);
    if (anyOf.length > 0 && !atLeastOne.some((name) => name in values)) {
      throw new Invalid(`At least one of ${anyOf.join(", ")} is required.`);
    }
    if (tagged && parts.ifMatch !== undefined) values.ifMatch = parts.ifMatch;
    return values;
  };
}

/** Lists the parameters to decode. If one parameter is the whole body, those for parts of it exist only in the client. */
function listDecodedParams(operation: Operation): [string, Param][] {
  const params = listParams(operation);
  const hasWholeBody = params.some(([, param]) => param.to === "body:*");
  return params.filter(([, param]) => !hasWholeBody || param.to === "body:*" || !param.to.startsWith("body:"));
}

/** Creates the function that reads and checks a value. It throws a `RangeError` that completes a sentence about the value. */
function createReader(param: Param, served: Served): Read {
  const find = createFinder(param);
  const restriction = param.rejected ?? findRestriction(param, served);
  return (parts, body) => {
    const value = find(parts, body) ?? (served.strict ? undefined : param.default) ?? param.assumed;
    if (value === undefined) {
      if (param.required || param.default !== undefined) throw new RangeError("is required");
    } else if (restriction !== undefined) {
      throw new RangeError(restriction);
    } else if (!isOfType(param.type, value)) {
      throw new RangeError(`must be ${TYPE_NAMES[param.type]}`);
    }
    return value;
  };
}

function findRestriction(param: Param, served: Served): string | undefined {
  if (param.variant !== undefined && param.variant !== served.variant) {
    return `exists on the ${param.variant} variant only`;
  }
  if (param.since !== undefined && param.since > served.platformVersion) {
    return `exists from platform version ${param.since} on; this is version ${served.platformVersion}`;
  }
  return undefined;
}

function createFinder(param: Param): Read {
  const name = getWireName(param);
  switch (param.to.slice(0, param.to.indexOf(":"))) {
    case "path":
      return (parts) => parts.segment(name);
    case "query":
      return name === "*" ? ({ query }) => readWholeQuery(query) : ({ query }) => parseText(param, query.get(name));
    case "body":
      return name === "*" ? (parts) => parts.body : (_, body) => readBody(body, name);
    case "part":
      return ({ form }) => {
        const part = form?.get(name) ?? null;
        return part === null || typeof part === "string" ? parseText(param, part) : part;
      };
    default:
      return () => undefined;
  }
}

function parseText(param: Param, text: string | null): JsonValue | undefined {
  if (text === null) return undefined;
  switch (param.type) {
    case "string":
    case "file":
      return text;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "integer":
      return /^\d+$/.test(text) ? Number(text) : text;
    default:
      return parseValue(text);
  }
}

/** Reads each query parameter as a member. `dataViewParameters` contains several members as JSON. */
function readWholeQuery(query: URLSearchParams): JsonObject | undefined {
  if (query.size === 0) return undefined;
  const { dataViewParameters, ...members } = Object.fromEntries(query);
  if (dataViewParameters === undefined) return members;
  const more = parseValue(dataViewParameters);
  if (!isJsonObject(more)) throw new RangeError("must be a JSON object");
  return { ...members, ...more };
}

function parseValue(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = parseJson(text, { maxLevels: MAX_DEPTH });
  } catch (cause) {
    if (cause instanceof JsonTooDeep) throw new RangeError(`is nested more than ${MAX_DEPTH} deep`, { cause });
    throw new RangeError("must be JSON", { cause });
  }
  if (hasLoneSurrogate(text, value)) throw new RangeError("contains a lone surrogate, which is not a character");
  return value;
}

function toIssue(param: Param, error: unknown): Issue {
  if (!(error instanceof RangeError)) throw error;
  const name = WHOLE[param.to] ?? getWireName(param);
  const place = param.to === "body:*" ? {} : { erroneousInputOutputIdentifier: name };
  return createIssue(`${name}: ${error.message.replace(/\.$/, "")}.`, place);
}

/** Names in issues for parameters that take a whole body or query. In a query only `dataViewParameters` can be invalid. */
const WHOLE: Readonly<Record<string, string>> = { "body:*": "The body", "query:*": "dataViewParameters" };

function getWireName(param: Param): string {
  return param.to.slice(param.to.indexOf(":") + 1);
}
