/** A request as the values of its operation: the inverse of the client's encoding, from the same description. */
import { readBody } from "../../lib/operation/body_path.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { listParams, type Operation, type Param, takesTag } from "../../lib/operation/operation.ts";
import { isOfType, TYPE_NAMES } from "../../lib/operation/param_types.ts";
import { createIssue, Invalid, type Issue } from "../errors.ts";
import type { ReceivedFile } from "./handler.ts";
import { hasHalfPair } from "./receive.ts";
import type { Form } from "./multipart.ts";

/** The parts of a request that hold values. */
export interface RequestParts {
  /** A variable of the path, decoded. */
  segment(name: string): string | undefined;
  /** The query. */
  readonly query: URLSearchParams;
  /** The body. */
  readonly body: JsonValue | undefined;
  /** The parts of a multipart body by name. */
  readonly form?: Form;
  /** The `If-Match` header. */
  readonly ifMatch: string | undefined;
}

/** Variant and version of the application, which decide about the available parameters. */
export interface Served {
  /** Deployment variant. */
  readonly variant: string;
  /** Platform version. */
  readonly platformVersion: number;
}

/** Decodes the requests of one operation. */
export type Decode = (parts: RequestParts) => Record<string, unknown>;

type Read = (parts: RequestParts, body: JsonObject) => JsonValue | ReceivedFile | undefined;

/** Makes the decoder of an operation. It throws `Invalid` with an issue for each invalid value. */
export function createDecoder(operation: Operation, served: Served): Decode {
  const params = decodedParams(operation).map(([name, param]) => ({ name, param, read: createReader(param, served) }));
  const tagged = takesTag(operation);
  const { atLeastOne = [] } = operation;
  const anyOf = params.filter(({ name }) => atLeastOne.includes(name)).map(({ param }) => wireName(param));
  return (parts) => {
    if (parts.body !== undefined && !isJsonObject(parts.body)) {
      throw new Invalid("The body must be a JSON object.");
    }
    const values: Record<string, unknown> = {};
    const findings: Issue[] = [];
    for (const { name, param, read } of params) {
      try {
        const value = read(parts, parts.body ?? {});
        if (value !== undefined) values[name] = value;
      } catch (error) {
        findings.push(toFinding(param, error));
      }
    }
    if (findings.length > 0) throw new Invalid(findings);
    if (anyOf.length > 0 && !atLeastOne.some((name) => name in values)) {
      throw new Invalid(`At least one of ${anyOf.join(", ")} is required.`);
    }
    if (tagged && parts.ifMatch !== undefined) values.ifMatch = parts.ifMatch;
    return values;
  };
}

/** If one parameter is the whole body, parameters for parts of it exist only in the client. */
function decodedParams(operation: Operation): [string, Param][] {
  const params = listParams(operation);
  const whole = params.some(([, param]) => param.to === "body:*");
  return params.filter(([, param]) => !whole || param.to === "body:*" || !param.to.startsWith("body:"));
}

/** Reads a value and checks it. A `RangeError` says what is wrong, without the value's name. */
function createReader(param: Param, served: Served): Read {
  const find = createFinder(param);
  const refusal = param.rejected ?? findRestriction(param, served);
  return (parts, body) => {
    const value = find(parts, body) ?? param.default ?? param.assumed;
    if (value === undefined) {
      if (param.required) throw new RangeError("is required");
    } else if (refusal !== undefined) {
      throw new RangeError(refusal);
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
  const place = wireName(param);
  switch (param.to.slice(0, param.to.indexOf(":"))) {
    case "path":
      return (parts) => parts.segment(place);
    case "query":
      return place === "*" ? (parts) => wholeQuery(parts.query) : (parts) => fromQuery(param, parts.query.get(place));
    case "body":
      return place === "*" ? (parts) => parts.body : (_, body) => readBody(body, place);
    case "part":
      return (parts) => fromPart(param, parts.form?.get(place));
    default:
      return () => undefined;
  }
}

function fromPart(param: Param, part: string | ReceivedFile | undefined): JsonValue | ReceivedFile | undefined {
  return part === undefined || typeof part === "string" ? fromQuery(param, part ?? null) : part;
}

function fromQuery(param: Param, text: string | null): JsonValue | undefined {
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
      return parseJson(text);
  }
}

/** Every query parameter is a member; `dataViewParameters` holds several as JSON text. */
function wholeQuery(query: URLSearchParams): JsonObject | undefined {
  if (query.size === 0) return undefined;
  const { dataViewParameters, ...members } = Object.fromEntries(query);
  if (dataViewParameters === undefined) return members;
  const more = parseJson(dataViewParameters);
  if (!isJsonObject(more)) throw new RangeError("must be a JSON object");
  return { ...members, ...more };
}

function parseJson(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new RangeError("must be JSON", { cause });
  }
  if (hasHalfPair(text, value)) throw new RangeError("contains a lone surrogate, which is not a character");
  return value;
}

function toFinding(param: Param, error: unknown): Issue {
  if (!(error instanceof RangeError)) throw error;
  const name = WHOLE[param.to] ?? wireName(param);
  const place = param.to === "body:*" ? {} : { erroneousInputOutputIdentifier: name };
  return createIssue(`${name}: ${error.message.replace(/\.$/, "")}.`, place);
}

/** Names in issues for parameters that take a whole body or query. In a query only `dataViewParameters` can be invalid. */
const WHOLE: Readonly<Record<string, string>> = { "body:*": "The body", "query:*": "dataViewParameters" };

function wireName(param: Param): string {
  return param.to.slice(param.to.indexOf(":") + 1);
}
