/** An answer of the service as it came: what it says of itself, and its body. */
import type { Answers, Content } from "../answers/answer_types.ts";
import type { JsonValue } from "../../utils/json.ts";
import type { OperationRef } from "../operation/operation.ts";
import { bodyOf } from "./body.ts";

/** What an answer says of itself beside its text. */
export interface ReplyHead {
  /** The operation that it answers, e.g. `cases.get`. */
  readonly operation: string;
  /** Shape of the answer that the operation promises. */
  readonly answer: keyof Answers;
  /** HTTP status. */
  readonly status: number;
  /** Reason phrase of the status. */
  readonly reason: string;
  /** Media type of the body. */
  readonly type?: string;
  /** Entity tag. */
  readonly etag?: string;
  /** The service's identifier of the request. */
  readonly requestId?: string;
  /** Milliseconds from the request to the end of the answer; of content, to its beginning. */
  readonly milliseconds: number;
  /** Profile of the service, for hints. */
  readonly profile?: string;
}

/** An answer of the service. Its text becomes JSON when somebody asks: a workflow's parent only passes it on. */
export class Reply {
  /** Status and headers. */
  readonly head: ReplyHead;
  /** Body as it was received; empty where it is content. */
  readonly text: string;
  /** Body where it is content: not read yet. */
  readonly content?: Content;
  #body?: JsonValue;

  /** An answer whose text has been read, or whose content has not. */
  constructor(head: ReplyHead, text: string, content?: Content) {
    this.head = head;
    this.text = text;
    this.content = content;
  }

  /** Entity tag. */
  get etag(): string | undefined {
    return this.head.etag;
  }

  /** Body; undefined where none was promised. Throws `INVALID_RESPONSE` where one was that is empty or not JSON. */
  get body(): JsonValue | undefined {
    return this.#body ??= bodyOf(this.head.answer, this.text, this.head);
  }
}

/** What a response says of itself. */
export function headOf(
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
    type: headers.get("content-type") ?? undefined,
    etag: headers.get("etag") || undefined, // A proxy that strips tags may leave the name.
    requestId: headers.get("x-request-id") ?? undefined,
    milliseconds,
    profile,
  };
}
