/** Checks that a request has only what its operation accepts. */
import { listParams, type Operation } from "../../lib/operation/operation.ts";
import { isJsonObject, type JsonValue } from "../../utils/json.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { truncate } from "../../utils/text/wording.ts";
import { createIssue, Invalid } from "../errors.ts";

/** The parts of a request that are checked. */
interface CheckedParts {
  readonly query: URLSearchParams;
  readonly body: JsonValue | undefined;
}

/** Checks a request. Throws `Invalid` for a value or a name that is not accepted. */
type CheckRequest = (parts: CheckedParts) => void;

/** The accepted members of an object, with the members of each. Undefined: the member may contain anything. */
interface Members extends Map<string, Members | undefined> {}

/**
 * Creates the check of an operation. Values of query parameters get the spelling of their choices, because some clients
 * write `file` for `File`. A strict check refuses unknown query parameters and members of the body.
 */
export function createRequestCheck(operation: Operation, strict: boolean): CheckRequest {
  const own = listParams(operation).flatMap(([, { to, choices }]) =>
    choices !== undefined && to.startsWith("query:") ? [{ name: to.slice("query:".length), values: choices }] : []
  );
  const others = Object.entries(operation.accepts?.query ?? {}).flatMap(([name, values]) =>
    values === "text" ? [] : [{ name, values: values === "boolean" ? ["true", "false"] : values }]
  );
  const choices = [...own, ...others];
  const parameters = strict ? listQueryParameters(operation) : undefined;
  const members = strict ? listMembers(operation) : undefined;
  return ({ query, body }) => {
    for (const { name, values } of choices) {
      const given = query.get(name);
      if (given !== null) query.set(name, choose(name, given, values));
    }
    const unknown = parameters && [...query.keys()].find((name) => !parameters.has(name));
    if (parameters !== undefined && unknown !== undefined) throw refuse("The query", "parameter", unknown, parameters);
    if (members !== undefined) checkMembers(body, members, "");
  };
}

function choose(name: string, given: string, values: readonly string[]): string {
  const found = values.find((value) => value.toLowerCase() === given.toLowerCase());
  if (found !== undefined) return found;
  const all = values.join(", ").replace(/, (\w+)$/, " or $1");
  throw new Invalid(`${name} must be ${all}, not '${truncate(given, 50)}'`);
}

/** Lists the query parameters of an operation. Returns undefined if it takes any: the keys of a record. */
function listQueryParameters(operation: Operation): Set<string> | undefined {
  const names = listPlaces(operation, "query:");
  return names.includes("*") ? undefined : new Set([...names, ...Object.keys(operation.accepts?.query ?? {})]);
}

/** Lists the members of the body. Returns undefined if it takes any. */
function listMembers(operation: Operation): Members | undefined {
  const { body: more = [] } = operation.accepts ?? {};
  const own = listPlaces(operation, "body:");
  if (more === "anything" || (more.length === 0 && (own.includes("*") || own.length === 0))) return undefined;
  const members: Members = new Map();
  for (const path of [...own, ...more]) {
    if (path !== "*") addMember(members, path.split(/(?:\[0?\])?\./));
  }
  return members;
}

function addMember(members: Members, [name = "", ...path]: readonly string[]): void {
  const known = members.get(name);
  const inner: Members | undefined = path.length === 0 ? known : known ?? new Map();
  members.set(name, inner);
  if (inner !== undefined && path.length > 0) addMember(inner, path);
}

function listPlaces(operation: Operation, kind: string): string[] {
  return listParams(operation).flatMap(([, { to }]) => to.startsWith(kind) ? to.slice(kind.length) : []);
}

/** Checks the members of a body. Values of a wrong type are left to the decoder. */
function checkMembers(value: JsonValue | undefined, members: Members, path: string): void {
  if (Array.isArray(value)) {
    value.forEach((element, index) => checkMembers(element, members, `${path}(${index + 1})`));
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (!members.has(name)) throw refuse(path || "The body", "member", name, members);
      const inner = members.get(name);
      if (inner !== undefined) checkMembers(member, inner, path === "" ? name : `${path}.${name}`);
    }
  }
}

function refuse(owner: string, kind: string, name: string, known: ReadonlySet<string> | Members): Invalid {
  const short = truncate(name, 50);
  const sentence = `${owner} has no ${kind} '${short}'${suggestAlternatives(name, known.keys(), Infinity)}`;
  return new Invalid([createIssue(sentence, { erroneousInputOutputIdentifier: short })]);
}
