/** The `Idempotency-Key` of a request, and what makes two requests the same. */
import { createHash } from "node:crypto";
import { isKey, KEY_FORM } from "../../lib/operation/idempotency_key.ts";
import { Invalid } from "../errors.ts";
import type { Form } from "./multipart.ts";

/** What tells a request from another one with the same key. */
export interface RequestFacts {
  /** HTTP method. */
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** The body as it was sent, where it is no form. */
  readonly text: string | undefined;
  /** The parts of a form: its boundary, and with it the body, differs from attempt to attempt. */
  readonly form: Form | undefined;
}

/** The key, if the request has one; 400 for what cannot be one. */
export function checkKey(key: string | undefined): string | undefined {
  if (key === undefined || isKey(key)) return key;
  throw new Invalid(`Idempotency-Key must be ${KEY_FORM}.`);
}

/**
 * A digest that only the same request has. Its entity tag is no part of it: who repeats a change that was done reads
 * another tag than the first time.
 */
export function digestOf({ method, target, text = "", form }: RequestFacts): string {
  const hash = createHash("sha256");
  hash.update(`${method} ${target}\n`); // Neither can hold a line's end.
  hash.update(form === undefined ? text : textOf(form));
  return hash.digest("base64url");
}

function textOf(form: Form): string {
  const parts = [...form].map(([name, part]) => {
    return typeof part === "string" ? [name, part] : [name, part.name, part.type, String(part.size), part.digest];
  });
  return JSON.stringify(parts.sort(([a = ""], [b = ""]) => a < b ? -1 : 1));
}
