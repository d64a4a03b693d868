import type { Values } from "../../lib/client/request/values.ts";
import { formatMemberPath, isJsonObject, type JsonValue } from "../../utils/json.ts";
import { listParams, type Operation, type Param } from "../../lib/operation/operation.ts";
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";

/** A value that is unknown until its step runs. */
export interface Placeholder {
  /** Step whose response would contain the value. */
  readonly step: number;
  /** Readable form, e.g. `«step 1: nextAssignmentInfo.ID»`. */
  readonly text: string;
}

/**
 * The placeholders of one plan. In the sandbox a placeholder is an object. Wherever a script writes it, in a call or in a
 * text, it becomes a mark that contains a random number, so that no real value can look like one.
 */
export class Placeholders {
  readonly #prefix = `svc-${crypto.randomUUID()}-`;
  readonly #mark = new RegExp(`${this.#prefix}(\\d+)-([0-9a-f]*)-`, "g");

  /** Returns the prefix of the marks of a step. The sandbox appends the member. */
  markPrefix(step: number): string {
    return `${this.#prefix}${step}-`;
  }

  /** Finds the placeholders in a value, in the order of its members. */
  find(value: unknown): Placeholder[] {
    const text = JSON.stringify(value) ?? "";
    return [...text.matchAll(this.#mark)].map(([, step, path]) => toPlaceholder(Number(step), path));
  }

  /** Replaces the marks in a text with their readable form. */
  describe(text: string): string {
    return text.replaceAll(this.#mark, (_, step, path) => toPlaceholder(Number(step), path).text);
  }

  /** Replaces the marks in a value with their readable form. */
  describeValue(value: JsonValue): JsonValue {
    if (typeof value === "string") return this.describe(value);
    if (Array.isArray(value)) return value.map((one) => this.describeValue(one));
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value);
    const [[name, member] = []] = members;
    if (member === WHOLE && this.#isMark(name)) return this.describe(name);
    return Object.fromEntries(members.map(([name, member]) => {
      return [this.describe(name), member === undefined ? member : this.describeValue(member)];
    }));
  }

  /**
   * Converts the values of a call so that they can be encoded: a placeholder for an object or a list becomes one. Returns
   * undefined if a placeholder has no valid encoding, e.g. for a number.
   */
  toEncodable(operation: Operation, values: Values): Values | undefined {
    const params = new Map(listParams(operation));
    const entries = Object.entries(values).map(([name, value]) => {
      return [name, this.#isMark(value) ? toEncodableMark(params.get(name), value) : value] as const;
    });
    return entries.some(([, value]) => value === NOT_ENCODABLE) ? undefined : Object.fromEntries(entries);
  }

  #isMark(value: unknown): value is string {
    return typeof value === "string" && value.replace(this.#mark, "") === "" && value !== "";
  }
}

/** Value of the only member of an object that a placeholder replaces entirely. */
const WHOLE = "*";

const NOT_ENCODABLE = Symbol("not encodable");

function toEncodableMark(param: Param | undefined, mark: string): unknown {
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
      return NOT_ENCODABLE;
    default:
      return mark;
  }
}

function toPlaceholder(step: number, hex = ""): Placeholder {
  const path = escapeControlCharacters(decodeMembers(hex).map(formatMember).join("").replace(/^\./, ""));
  return { step, text: path === "" ? `«step ${step}»` : `«step ${step}: ${path}»` };
}

/** Decodes the path of a mark. A script may have altered the mark; an invalid path is empty. */
function decodeMembers(hex: string): string[] {
  try {
    const members: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.fromHex(hex)));
    return Array.isArray(members) ? members.map(String) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function formatMember(name: string): string {
  return /^\d+$/.test(name) ? `[${name}]` : formatMemberPath(name);
}
