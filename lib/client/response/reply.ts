/** An answer of the service as it came: what it says of itself, and its body. */
import type { Answer, Content } from "../../operation/answer.ts";
import type { JsonValue } from "../../../utils/json.ts";
import type { OperationRef } from "../../operation/operation.ts";
import { parseBody } from "./parse_body.ts";

/** What an answer says of itself beside its text. */
export interface ReplyHead {
  /** The operation that it answers, e.g. `cases.get`. */
  readonly operation: string;
  /** What the operation promises. */
  readonly answer: Answer;
  /** HTTP status. */
  readonly status: number;
  /** Reason phrase of the status. */
  readonly reason: string;
  /** Media type of the body. */
  readonly type?: string;
  /** Headers. */
  readonly headers: Headers;
  /** Entity tag. */
  readonly etag?: string;
  /** The service's identifier of the request. */
  readonly requestId?: string;
  /** Milliseconds from the request to the end of the answer; of content, to its beginning. */
  readonly milliseconds: number;
  /** Profile of the service, for hints. */
  readonly profile?: string;
}

/** A response. Its text is parsed on demand: the host of a workflow only passes it on. */
export class Reply {
  /** Status and headers. */
  readonly head: ReplyHead;
  /** Body that is content: not read yet. */
  readonly content?: Content;
  #text?: string;
  #body?: JsonValue;

  /** Creates a response from its text, its content, or a body. */
  constructor(head: ReplyHead, { text, content, body }: { text?: string; content?: Content; body?: JsonValue }) {
    this.head = head;
    this.content = content;
    this.#text = text;
    this.#body = body;
  }

  /** Entity tag. */
  get etag(): string | undefined {
    return this.head.etag;
  }

  /** Body as text; empty if it is content. */
  get text(): string {
    return this.#text ??= this.#body === undefined ? "" : JSON.stringify(this.#body);
  }

  /** Body; undefined if the operation promises none. Throws `INVALID_RESPONSE` for a promised body that is not JSON. */
  get body(): JsonValue | undefined {
    return this.#body ??= parseBody(this.head.answer, this.text, this.head);
  }
}

/** What a response says of itself. */
export function readHead(
  { name, operation }: OperationRef,
  { status, statusText: reason, headers }: Response,
  milliseconds: number,
  profile: string,
): ReplyHead {
  return {
    operation: name,
    answer: operation.answer,
    status,
    reason,
    headers,
    type: headers.get("content-type") ?? undefined,
    etag: headers.get("etag") || undefined, // A proxy that strips tags may leave the name.
    requestId: headers.get("x-request-id") ?? undefined,
    milliseconds,
    profile,
  };
}
