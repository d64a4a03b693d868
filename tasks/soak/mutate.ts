import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import type { SeededRandom } from "../support/seeded_random.ts";
import type { RecordedCall } from "./record_calls.ts";

/** Identifiers and texts that code may treat in a special way. */
const TEXTS: readonly [string, ...string[]] = [
  "",
  " ",
  ".",
  "..",
  "%00",
  "\u0000",
  "\u202e",
  "\ud800",
  "ß",
  "💥",
  "%",
  "_",
  "*",
  "?",
  "/",
  "\\",
  "'",
  '"',
  "!",
  "#",
  "' OR 1=1 --",
  "; DROP TABLE cases",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "NaN",
  "true",
  "0",
  "-1",
  "1e400",
  "9007199254740993",
  "2026-13-45",
  "2026-01-02T03:04:05Z",
  "{{ operator.name }}",
  "(a+)+$",
  ".Fee",
  ".Documents(1)",
  ".Documents(-1).Title",
  "content",
  "CITY-PERMIT-WORK P-1",
  "CITY-PERMIT-WORK P-999999",
  "ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE",
  "City-Permit-Work-Permit",
  "D_Permits",
  "clerk@city",
  "x".repeat(300),
  "x".repeat(20_000),
];

const VALUES: readonly [JsonValue, ...JsonValue[]] = [
  null,
  true,
  false,
  0,
  -1,
  0.1,
  1e21,
  Number.MAX_SAFE_INTEGER,
  1e308,
  [],
  {},
  [[]],
  [null],
  [{}],
  { "": "" },
  { constructor: { prototype: {} } },
];

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;

const CONTENT_TYPES = [
  "",
  "text/plain",
  "application/json; charset=utf-16",
  "application/xml",
  "multipart/form-data",
  "multipart/form-data; boundary=",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  "/",
] as const;

/** Nesting of a body that is deeper than any real one. */
const DEPTHS = [100, 3000, 20_000] as const;

/** Nesting of a value that `JSON.stringify` can write. */
const VALUE_DEPTHS = [5, 100, 1000] as const;

const MAX_REPETITIONS = 3000;
const MAX_MUTATIONS = 3;

/** `fetch` refuses addresses of more than 65,534 characters. */
const MAX_PATH = 60_000;

/** Chance that a value becomes a text of the list, and not another value. */
const TEXT_CHANCE = 0.6;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Changes a request in up to three places. `others` supplies values that are valid elsewhere. */
export function mutate(call: RecordedCall, others: readonly RecordedCall[], random: SeededRandom): RecordedCall {
  let changed = call;
  const count = 1 + Math.floor(random.next() * MAX_MUTATIONS);
  for (let n = 0; n < count; n++) {
    const isJson = changed.body.length > 0 && changed.headers["content-type"]?.startsWith("application/json");
    const mutators = isJson
      ? [
        mutatePath,
        mutateQuery,
        mutateHeaders,
        mutateJson,
        mutateJson,
        mutateJson,
        mutateJson,
        mutateBytes,
        borrow,
      ] as const
      : [mutatePath, mutatePath, mutateQuery, mutateQuery, mutateHeaders, mutateBytes, borrow] as const;
    const next = random.pick<Mutator>(mutators)(changed, random, others);
    if (next.path.length <= MAX_PATH) changed = next;
  }
  return changed;
}

type Mutator = (call: RecordedCall, random: SeededRandom, others: readonly RecordedCall[]) => RecordedCall;

function mutatePath(call: RecordedCall, random: SeededRandom): RecordedCall {
  const [path = "", query] = splitOnce(call.path, "?");
  const segments = path.split("/").slice(1);
  const place = pickIndex(segments, random);
  const segment = segments[place] ?? "";
  const [choice, text] = [random.next(), random.pick(TEXTS)];
  if (choice < 0.6) segments[place] = encodeURIComponent(text.toWellFormed());
  else if (choice < 0.7) segments[place] = segment + encodeURIComponent(text.toWellFormed());
  else if (choice < 0.8) segments[place] = segment.slice(0, Math.floor(random.next() * segment.length));
  else if (choice < 0.9) segments.splice(place, 1);
  else segments.splice(place, 0, segment);
  return { ...call, path: "/" + segments.join("/") + (query === undefined ? "" : `?${query}`) };
}

function mutateQuery(call: RecordedCall, random: SeededRandom): RecordedCall {
  const [path = "", query = ""] = splitOnce(call.path, "?");
  const pairs = query === "" ? [] : query.split("&");
  const text = encodeURIComponent(random.pick(TEXTS).toWellFormed());
  const place = pickIndex(pairs, random);
  const [name = ""] = (pairs[place] ?? "viewType=").split("=");
  const choice = random.next();
  if (choice < 0.2) pairs.splice(place, 1);
  else if (choice < 0.6) pairs[place] = `${name}=${text}`;
  else if (choice < 0.8) pairs.push(`${name}=${text}`);
  else pairs.push(`${text}=${text}`);
  return { ...call, path: pairs.length === 0 ? path : `${path}?${pairs.join("&")}` };
}

function mutateHeaders(call: RecordedCall, random: SeededRandom): RecordedCall {
  const headers = { ...call.headers };
  const choice = random.next();
  const value = toHeader(random.pick(TEXTS));
  if (choice < 0.25) headers["if-match"] = value;
  else if (choice < 0.35) delete headers["if-match"];
  else if (choice < 0.6) headers["content-type"] = random.pick(CONTENT_TYPES);
  else if (choice < 0.8) headers["idempotency-key"] = value;
  else if (choice < 0.9) headers.accept = value;
  else return { ...call, method: random.pick(METHODS) };
  return { ...call, headers };
}

function mutateBytes(call: RecordedCall, random: SeededRandom): RecordedCall {
  const { body } = call;
  const place = Math.floor(random.next() * body.length);
  const byte = Math.floor(random.next() * 256);
  const choice = random.next();
  if (choice < 0.3) return { ...call, body: body.slice(0, place) };
  if (choice < 0.6) return { ...call, body: concatenate(body.slice(0, place), [byte], body.slice(place)) };
  if (choice < 0.9) return { ...call, body: concatenate(body.slice(0, place), [byte], body.slice(place + 1)) };
  return { ...call, body: encoder.encode("[".repeat(random.pick(DEPTHS))) };
}

/** Sends the body or the headers of another request. */
function borrow(call: RecordedCall, random: SeededRandom, others: readonly RecordedCall[]): RecordedCall {
  const other = others[pickIndex(others, random)] ?? call;
  return random.chance(0.7) ? { ...call, body: other.body } : { ...call, headers: other.headers };
}

function mutateJson(call: RecordedCall, random: SeededRandom, others: readonly RecordedCall[]): RecordedCall {
  let value: JsonValue;
  try {
    value = JSON.parse(decoder.decode(call.body));
  } catch {
    return mutateBytes(call, random); // An earlier mutation has damaged it.
  }
  return { ...call, body: encoder.encode(JSON.stringify(mutateValue(value, random, others))) };
}

/** Changes one place of a JSON value: deeper places are as likely as others. */
function mutateValue(value: JsonValue, random: SeededRandom, others: readonly RecordedCall[]): JsonValue {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.7)) return mutateList(value, random, others);
  const names = isJsonObject(value) ? Object.keys(value) : [];
  if (isJsonObject(value) && names.length > 0 && random.chance(0.85)) return mutateObject(value, names, random, others);
  return createValue(value, random);
}

function mutateList(list: readonly JsonValue[], random: SeededRandom, others: readonly RecordedCall[]): JsonValue {
  const place = pickIndex(list, random);
  const element = list[place] ?? null;
  const choice = random.next();
  if (choice < 0.1) return list.toSpliced(place, 1);
  if (choice < 0.2) return list.toSpliced(place, 0, element);
  if (choice < 0.22) return Array<JsonValue>(Math.floor(random.next() * MAX_REPETITIONS)).fill(element);
  return list.with(place, mutateValue(element, random, others));
}

function mutateObject(
  value: JsonObject,
  names: readonly string[],
  random: SeededRandom,
  others: readonly RecordedCall[],
): JsonValue {
  const name = names[pickIndex(names, random)] ?? "";
  const { [name]: member = null, ...rest } = value;
  const choice = random.next();
  if (choice < 0.15) return rest;
  if (choice < 0.25) return Object.fromEntries([...Object.entries(rest), [random.pick(TEXTS), member]]);
  if (choice < 0.35) return Object.fromEntries([...Object.entries(value), [random.pick(TEXTS), random.pick(VALUES)]]);
  return { ...value, [name]: mutateValue(member, random, others) };
}

function createValue(value: JsonValue, random: SeededRandom): JsonValue {
  const choice = random.next();
  if (choice < 0.05) return [value];
  if (choice < 0.1) return { value };
  if (choice < 0.12) return nest(random.pick(VALUE_DEPTHS));
  return random.chance(TEXT_CHANCE) ? random.pick(TEXTS) : random.pick(VALUES);
}

function nest(depth: number): JsonValue {
  let value: JsonValue = null;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
}

/** Headers consist of visible bytes. */
function toHeader(text: string): string {
  return text.slice(0, 4000).replaceAll(/[^\x20-\x7e]/g, "?");
}

function concatenate(...parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)));
}

function pickIndex({ length }: { readonly length: number }, random: SeededRandom): number {
  return Math.floor(random.next() * length);
}

function splitOnce(text: string, separator: string): [string, string?] {
  const place = text.indexOf(separator);
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)];
}
