/** Responses of the service: head and body. */
import type { Answer, Content } from "../../operation/answer.ts";
import type { JsonValue } from "../../../utils/json.ts";
import type { OperationRef } from "../../operation/operation.ts";
import { parseBody } from "./parse_body.ts";

/** Status and headers of a response. */
export interface ReplyHead {
  /** Operation, e.g. `cases.get`. */
  readonly operation: string;
  /** Answer that the operation promises. */
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
  /** Identifier that the service gave the request. */
  readonly requestId?: string;
  /** Milliseconds from the request to the end of the response, or to the start of its content. */
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

/** Reads the head of a response. */
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
    etag: headers.get("etag") || undefined, // A proxy that strips tags may leave an empty header.
    requestId: headers.get("x-request-id") ?? undefined,
    milliseconds,
    profile,
  };
}
