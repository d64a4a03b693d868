/**
 * References to answers that only a change would give. In the sandbox such an answer is a stand-in; wherever it is
 * written down, in a call or in a text, it becomes a mark with a random number in it, which no value of anybody has.
 */
import type { Values } from "../../lib/client/values.ts";
import { formatMemberPath, isJsonObject, type JsonValue } from "../../utils/json.ts";
import { type Operation, type Param, paramsOf } from "../../lib/operation/operation.ts";
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";

/** A member of an answer that is not known yet. */
export interface Reference {
  /** The step that would give the answer. */
  readonly step: number;
  /** What a person reads, e.g. `«step 1: nextAssignmentInfo.ID»`. */
  readonly text: string;
}

/** The references of one plan. */
export class References {
  readonly #prefix = `svc-${crypto.randomUUID()}-`;
  readonly #mark = new RegExp(`${this.#prefix}(\\d+)-([0-9a-f]*)-`, "g");

  /** With what the marks of a step's answer begin. The sandbox adds the member that is meant. */
  of(step: number): string {
    return `${this.#prefix}${step}-`;
  }

  /** The references in a value, in the order of its members. */
  in(value: unknown): Reference[] {
    const text = JSON.stringify(value) ?? "";
    return [...text.matchAll(this.#mark)].map(([, step, path]) => referenceTo(Number(step), path));
  }

  /** A text with its references as a person reads them. */
  readable(text: string): string {
    return text.replaceAll(this.#mark, (_, step, path) => referenceTo(Number(step), path).text);
  }

  /** A value with its references as a person reads them. */
  shown(value: JsonValue): JsonValue {
    if (typeof value === "string") return this.readable(value);
    if (Array.isArray(value)) return value.map((one) => this.shown(one));
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value);
    const [[name, member] = []] = members;
    if (member === WHOLE && this.#isReference(name)) return this.readable(name);
    return Object.fromEntries(members.map(([name, member]) => {
      return [this.readable(name), member === undefined ? member : this.shown(member)];
    }));
  }

  /**
   * Values of which a request can be made: a reference in the place of an object or a list becomes one. Undefined where a
   * reference stands for what a request cannot do without, such as a number.
   */
  encodable(operation: Operation, values: Values): Values | undefined {
    const params = new Map(paramsOf(operation));
    const entries = Object.entries(values).map(([name, value]) => {
      return [name, this.#isReference(value) ? inPlaceOf(params.get(name), value) : value] as const;
    });
    return entries.some(([, value]) => value === NOTHING) ? undefined : Object.fromEntries(entries);
  }

  #isReference(value: unknown): value is string {
    return typeof value === "string" && value.replace(this.#mark, "") === "" && value !== "";
  }
}

/** The value of the only member of an object that a reference stands for. */
const WHOLE = "*";

/** What stands for a value that is none. */
const NOTHING = Symbol("nothing");

function inPlaceOf(param: Param | undefined, mark: string): unknown {
  switch (param?.type) {
    case "object":
      return { [mark]: WHOLE };
    case "array":
    case "list":
      return [mark];
    case "integer":
    case "boolean":
    case "calculation":
    case "file":
      return NOTHING;
    default:
      return mark;
  }
}

function referenceTo(step: number, hex = ""): Reference {
  const path = escapeControlCharacters(membersIn(hex).map(placePath).join("").replace(/^\./, ""));
  return { step, text: path === "" ? `«step ${step}»` : `«step ${step}: ${path}»` };
}

/** The members that lead to what is meant. A script can read a mark, and so change one: then they are none. */
function membersIn(hex: string): string[] {
  try {
    const members: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.fromHex(hex)));
    return Array.isArray(members) ? members.map(String) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** A member of an object, or an element of an array. */
function placePath(name: string): string {
  return /^\d+$/.test(name) ? `[${name}]` : formatMemberPath(name);
}
