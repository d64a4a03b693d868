/** Parses the head of an HTTP/1.1 request. */
import { Buffer } from "node:buffer";
import { Invalid } from "../errors.ts";
import { RequestError } from "../http/status.ts";

/** Maximum size of the request line and the headers in bytes. */
export const MAX_HEAD_BYTES = 32 * 1024;

/** Framing of a body: its length, or `chunked`. */
export type BodyFraming = number | "chunked";

/** The request line and the headers of a request. */
export interface RequestHead {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly headers: [name: string, value: string][];
  readonly framing: BodyFraming;
  /** True if the client can send another request on the same connection. */
  readonly isPersistent: boolean;
  /** True if the client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP\/1\.([01])$/;

/** Characters that a header value cannot contain. */
// deno-lint-ignore no-control-regex -- control characters are what it looks for
const BAD_VALUE = /[\0-\x08\x0a-\x1f\x7f]/;

/** Methods that a service never serves, and that `Request` refuses. */
const REFUSED_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);

/** Finds the end of a head. Returns the position after the empty line, or -1. */
export function findHeadEnd(bytes: Uint8Array, start: number, end: number): number {
  const found = Buffer.from(bytes.buffer, bytes.byteOffset, end).indexOf("\r\n\r\n", start, "latin1");
  return found < 0 ? -1 : found + 4;
}

/** Parses a head, which ends with an empty line. Throws `Invalid` or a `RequestError` for a malformed one. */
export function parseRequestHead(bytes: Uint8Array): RequestHead {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const [first = "", ...lines] = text.slice(0, -4).split("\r\n");
  const [, method = "", target = "", minor] = REQUEST_LINE.exec(first) ?? [];
  if (method === "") throw new Invalid("The request line is not that of an HTTP/1.1 request.");
  if (REFUSED_METHODS.has(method)) throw new RequestError("MethodNotAllowed", `The method ${method} is not supported.`);
  const headers = lines.map(parseHeader);
  const { host, framing, connection, expect } = readFraming(headers);
  if (minor === "1" && host === undefined) throw new Invalid("The Host header is missing.");
  return {
    method,
    target: toOriginForm(target),
    headers,
    framing,
    isPersistent: minor === "1" && !hasToken(connection, "close"),
    expectsContinue: minor === "1" && expect?.toLowerCase() === "100-continue",
  };
}

function parseHeader(line: string): [string, string] {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0));
  const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "");
  if (!TOKEN.test(name) || BAD_VALUE.test(value)) throw new Invalid("A header line is malformed.");
  return [name, value];
}

interface Framing {
  readonly host: string | undefined;
  readonly framing: BodyFraming;
  readonly connection: string | undefined;
  readonly expect: string | undefined;
}

/** Reads the headers that concern the connection. Each may occur once: a repetition could be read in two ways. */
function readFraming(headers: readonly [string, string][]): Framing {
  const found = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (!CONNECTION_HEADERS.has(key)) continue;
    const before = found.get(key);
    if (before !== undefined && key !== "connection") throw new Invalid(`The header ${key} occurs more than once.`);
    found.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  const connection = { host: found.get("host"), connection: found.get("connection"), expect: found.get("expect") };
  const length = found.get("content-length");
  const encoding = found.get("transfer-encoding");
  if (encoding !== undefined) {
    if (length !== undefined || encoding.toLowerCase() !== "chunked") {
      throw new Invalid("The body must have either a Content-Length or the transfer encoding chunked.");
    }
    return { ...connection, framing: "chunked" };
  }
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw new Invalid("The Content-Length is not a number.");
  return { ...connection, framing: Number(length ?? 0) };
}

const CONNECTION_HEADERS = new Set(["host", "content-length", "transfer-encoding", "connection", "expect"]);

function hasToken(list: string | undefined, token: string): boolean {
  return list !== undefined && list.toLowerCase().split(",").some((item) => item.trim() === token);
}

/** Removes the scheme and the host of a target in absolute form. */
function toOriginForm(target: string): string {
  if (target.startsWith("/") || target === "*") return target;
  const [, rest] = /^https?:\/\/[^/?#]*(.*)$/i.exec(target) ?? [];
  if (rest === undefined) throw new Invalid("The request target is not a path.");
  return rest.startsWith("/") ? rest : `/${rest}`;
}
