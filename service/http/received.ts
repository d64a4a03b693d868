/** What a request brings beside its path and query. */
import type { JsonValue } from "../../utils/json.ts";
import { isRead, type Operation, sendsForm } from "../../lib/operation/operation.ts";
import type { ByteStore } from "../store/bytes.ts";
import { decodeBody, parseBody, receiveBody } from "./body.ts";
import { type Form, receiveForm } from "./multipart.ts";
import { checkKey } from "./request_key.ts";

/** What came. */
export interface Received {
  /** Idempotency key of a change. */
  readonly key?: string;
  /** The body as it was sent, where it is no form. */
  readonly text?: string;
  /** The body as JSON. */
  readonly body?: JsonValue;
  /** The parts of a form. */
  readonly form?: Form;
}

/** Where files go that come with a request. */
export interface Uploads {
  /** Takes their bytes. */
  readonly bytes: ByteStore;
  /** Bytes that a file may have. */
  readonly maxFileBytes: number;
}

/** Makes what receives the requests of one operation. */
export function receiverOf(operation: Operation, uploads: Uploads): (request: Request) => Promise<Received> {
  const reads = isRead(operation);
  const hasForm = sendsForm(operation);
  const hasBody = operation.method !== "GET" && operation.method !== "DELETE" && !hasForm;
  return async (request) => {
    const key = reads ? undefined : checkKey(request.headers.get("idempotency-key") ?? undefined);
    if (hasForm) {
      const { bytes, maxFileBytes: limit } = uploads;
      return { key, form: await receiveForm(request, { bytes, limit, digest: key !== undefined }) };
    }
    if (!hasBody) return { key };
    const text = decodeBody(await receiveBody(request));
    return { key, text, body: parseBody(text) };
  };
}
