/** Descriptions of what operations answer, from which types and run-time checks derive. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import type { Flatten, ListShape, ObjectShape, ValueOf } from "../../utils/shape.ts";

/** The answer of an operation: JSON of a shape, or one of the other kinds. */
export type Answer = keyof OtherAnswers | JsonAnswer;

/** JSON of a shape, and what the client does about services that write it differently. */
export interface JsonAnswer {
  /** Shape of the whole answer. */
  readonly shape: ObjectShape | ListShape;
  /** Rule that fills in missing members from elsewhere. */
  readonly fill?: "id" | "case" | "assignment" | "participant" | "page";
  /** Accepts an empty body as an empty object or list. */
  readonly mayBeEmpty?: true;
  /** Member with the list of the answer. Some services use another name, or respond with the list alone. */
  readonly list?: string;
  /** Excludes the entity tag of the response: it belongs to another resource. */
  readonly untagged?: true;
  /** Says that each element of the list tells the outcome for one case or element. */
  readonly outcomes?: "case" | "element";
}

/** Answers that are not JSON of a shape. */
export interface OtherAnswers {
  /** Bytes. */
  content: Content;
  /** A text. */
  text: string;
  /** Any JSON value. */
  any: JsonValue;
  /** Nothing. */
  nothing: undefined;
}

/** Bytes that are read as they arrive. */
export interface Content {
  /** Media type, e.g. `application/pdf`. */
  readonly type: string;
  /** File name, if the service gives one. It may contain anything: never use it as a path. */
  readonly name?: string | undefined;
  /** Number of bytes, if it is known in advance. */
  readonly size?: number | undefined;
  /** The bytes. They can be read once. The stream fails if the transfer is cut short. */
  readonly stream: ReadableStream<Uint8Array>;
}

const OTHER_ANSWERS: { readonly [K in keyof OtherAnswers]: true } = {
  content: true,
  text: true,
  any: true,
  nothing: true,
};

/** Reports whether a value describes an answer. */
export function isAnswer(value: unknown): value is Answer {
  return isOtherAnswer(value) || (isJsonObject(value) && isJsonObject(value.shape));
}

/** Reports whether a value names an answer that is not JSON of a shape. */
export function isOtherAnswer(value: unknown): value is keyof OtherAnswers {
  return typeof value === "string" && Object.hasOwn(OTHER_ANSWERS, value);
}

/** The body as the service sent it. */
export interface Raw<Body> {
  /**
   * The body as the service sent it, with members that the type does not name. It is not enumerable. Optional members and
   * the members of list elements are not checked, because services differ in how they write them.
   */
  readonly raw: Body;
}

/**
 * The type of an answer, by its description.
 *
 * @internal
 */
export type AnswerType<A, Content = JsonObject> = A extends keyof OtherAnswers ? OtherAnswers[A]
  : A extends { shape: infer S } ? S extends { list: unknown } ? ValueOf<S, Content> & Raw<JsonValue>
    : Flatten<ValueOf<S, Content> & Raw<A extends { list: string } ? JsonValue : JsonObject>>
  : never;
