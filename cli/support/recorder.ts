/** Records the exchanges of a command, redacted. */
import type { Fetch } from "../../lib/auth/settings.ts";
import { sendRequest } from "../../lib/http/send_request.ts";
import { type JsonObject, type JsonValue, parseJson } from "../../utils/json.ts";
import { Placeholders } from "./placeholders.ts";
import { redactBody, redactData, type RedactionOptions } from "./redact_body.ts";

/** Headers that are recorded. The others may contain credentials, or name the machines between client and service. */
const HEADERS = [
  ...["accept", "cache-control", "content-type", "etag", "expires", "if-match", "idempotent-replayed", "location"],
  ...["retry-after", "x-origin-channel"],
];

/** Largest text of a body that is recorded. */
const MAX_BODY = 5_000_000;

/** Parameters of a query whose values are names in the API. */
const TECHNICAL_PARAMETER =
  /^(?:viewType|pageName|pageClass|type|actionID|runningMode|refreshFor|operation|mode|filterBy|page|pageNumber|maxResults.*|.*[sS]ize|.*Index|exclude.*|include.*|skip.*|cleanup.*)$/;

/** Collections of people and of names in a path. */
const NAMED_BY_PEOPLE = ["followers", "users", "tags"];

/** Records the exchanges of a command. What is recorded is redacted at once. */
export class Recorder {
  /** Placeholders of what was replaced. */
  readonly placeholders = new Placeholders();
  /** The exchanges. */
  readonly exchanges: JsonObject[] = [];
  readonly #options: RedactionOptions;

  constructor(options: RedactionOptions) {
    this.#options = options;
  }

  /** Sends a request, and records it with its response. */
  readonly fetch: Fetch = async (url, init) => {
    const exchange: JsonObject = { request: this.#describeRequest(url, init) };
    this.exchanges.push(exchange);
    try {
      const response = await sendRequest(url, init, { once: init.method !== "GET" });
      exchange.response = await this.#describeResponse(response, isTokenRequest(init));
      return response;
    } catch (error) {
      exchange.failure = error instanceof Error ? error.name : "unknown";
      throw error;
    }
  };

  /** Redacts a command line: the names of the command and of flags stay, and values are replaced. */
  redactLine(words: readonly string[]): string {
    return ["svc", ...words.map((word, i) => i < 2 && /^[a-z-]+$/.test(word) ? word : this.#redactWord(word))].join(
      " ",
    );
  }

  #redactWord(word: string): string {
    const [, flag = "", value = ""] = /^(--?[\w-]+=?)?([^]*)$/.exec(word) ?? [];
    return flag + (isHandle(value) ? this.placeholders.maskIds(value) : this.#redactNamed(value));
  }

  #describeRequest(url: string, init: RequestInit): JsonObject {
    const request = { method: init.method ?? "GET", path: this.redactPath(url) };
    if (isTokenRequest(init)) return { ...request, body: "(credentials)" };
    const { body } = init;
    return {
      ...request,
      headers: this.#describeHeaders(new Headers(init.headers)),
      ...(typeof body === "string" && { body: this.#describeText(body) }),
      ...(body !== undefined && body !== null && typeof body !== "string" && { body: "(a file)" }),
    };
  }

  async #describeResponse(response: Response, hasToken: boolean): Promise<JsonObject> {
    const { status, headers } = response;
    const type = headers.get("content-type") ?? "no content type";
    const described = { status, headers: this.#describeHeaders(headers) };
    if (hasToken && response.ok) return { ...described, body: "(a token)" };
    if (!/\bjson\b/i.test(type)) return { ...described, body: `(${type})` };
    return { ...described, body: this.#describeText(await response.clone().text()) };
  }

  #describeHeaders(headers: Headers): JsonObject {
    const known = HEADERS.flatMap((name): [string, string][] => {
      const value = headers.get(name);
      if (value === null) return [];
      return [[name, name === "location" ? this.redactPath(value) : this.placeholders.maskIds(value)]];
    });
    return Object.fromEntries(known);
  }

  #describeText(text: string): JsonValue {
    if (text.length > MAX_BODY) return `(${text.length} characters)`;
    try {
      return redactBody(parseJson(text), this.placeholders, this.#options);
    } catch {
      return text === "" ? "" : `(not JSON: ${text.length} characters)`;
    }
  }

  /** Redacts an address: leaves the host out, and replaces what people have named or entered. */
  redactPath(address: string): string {
    const { pathname, searchParams } = new URL(address, "http://host");
    const segments = pathname.split("/").map(decodeSegment);
    const path = segments.map((segment, i) =>
      NAMED_BY_PEOPLE.includes(segments[i - 1] ?? "") ? this.#redactNamed(segment) : this.#redactSegment(segment)
    );
    const query = [...searchParams].map(([name, value]) => `${name}=${this.#redactParameter(name, value)}`).join("&");
    return path.join("/") + (query === "" ? "" : `?${query}`);
  }

  #redactNamed(text: string): string {
    return text.includes("@") ? this.placeholders.person(text) : this.placeholders.text(text);
  }

  /** Names in the API and in the application, and handles, are kept. */
  #redactSegment(text: string): string {
    const isName = /^[\w.$-]*$/.test(text) || text.startsWith("@baseclass!");
    return isName || isHandle(text) ? this.placeholders.maskIds(text) : this.#redactNamed(text);
  }

  #redactParameter(name: string, value: string): string {
    if (TECHNICAL_PARAMETER.test(name) || isHandle(value)) return this.placeholders.maskIds(value);
    try {
      return JSON.stringify(redactData(parseJson(value), this.placeholders));
    } catch {
      return this.#redactNamed(value);
    }
  }
}

/** Reports whether a text is the handle of a case, an assignment, an attachment and so on. */
function isHandle(text: string): boolean {
  return /^(?:[A-Z][A-Z\d-]* )*[A-Z][A-Z\d]*-\d+(?:![\w .]+)?$/i.test(text);
}

/** The requests for tokens contain the credentials of the client, and their responses a token. */
function isTokenRequest({ body }: RequestInit): boolean {
  return body instanceof URLSearchParams;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
