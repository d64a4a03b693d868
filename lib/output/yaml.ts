import { MAX_INDENTED } from "../../utils/indented_json.ts";
import { isJsonObject, isNumber, type JsonValue } from "../../utils/json.ts";
import { escapeControlCharacters, hasControlCharacters } from "../../utils/text/control_characters.ts";
import { createTooLongError } from "./too_long.ts";

/** Maximum length of a name in front of a colon. */
const MAX_NAME = 1024;

/** Renders a value as a YAML document. Readers of YAML 1.1 and 1.2 read the same value back. */
export function toYaml(value: JsonValue): string {
  const writer = new Writer();
  writer.write(value, "", "");
  return writer.end();
}

/** Writes a document line by line. */
class Writer {
  readonly #lines: string[] = [];
  #length = 0;

  /** Writes a value. Its first line begins with `start`, and all others with `indent`. */
  write(value: JsonValue, start: string, indent: string): void {
    if (Array.isArray(value) && value.length > 0) {
      value.forEach((element, i) => this.write(element, (i === 0 ? start : indent) + "- ", indent + "  "));
    } else if (isJsonObject(value) && hasMembers(value)) {
      let line = start;
      for (const [name, member] of Object.entries(value)) {
        if (member === undefined) continue;
        this.#writeMember(name, member, line, indent);
        line = indent;
      }
    } else if (typeof value === "string" && value.includes("\n") && indent !== "" && !isAmbiguous(value)) {
      const isEnded = value.endsWith("\n");
      this.#add(start + (isEnded ? "|" : "|-"));
      const lines = (isEnded ? value.slice(0, -1) : value).split("\n");
      for (const line of lines) this.#add(line === "" ? "" : indent + line);
    } else {
      this.#add(start + formatScalar(value));
    }
  }

  /** Returns the document. */
  end(): string {
    return this.#lines.join("");
  }

  #writeMember(name: string, value: JsonValue, start: string, indent: string): void {
    const key = formatText(name);
    const inner = indent + "  ";
    if (key.length > MAX_NAME) {
      this.#add(`${start}? ${key}`);
      this.write(value, indent + ": ", inner);
    } else if (isNested(value)) {
      this.#add(`${start}${key}:`);
      this.write(value, inner, inner);
    } else {
      this.write(value, `${start}${key}: `, inner);
    }
  }

  #add(line: string): void {
    this.#length += line.length + 1;
    if (this.#length > MAX_INDENTED) throw createTooLongError("yaml");
    this.#lines.push(line + "\n");
  }
}

function isNested(value: JsonValue): boolean {
  return Array.isArray(value) ? value.length > 0 : isJsonObject(value) && hasMembers(value);
}

function hasMembers(object: object): boolean {
  return Object.values(object).some((member) => member !== undefined);
}

function formatScalar(value: JsonValue): string {
  if (typeof value === "string") return formatText(value);
  if (isNumber(value)) return formatNumber(String(value));
  return typeof value === "object" && value !== null ? (Array.isArray(value) ? "[]" : "{}") : String(value);
}

/** Formats a number with an exponent as YAML 1.1 requires it: with a point and a sign, as in `1.0e+400`. */
function formatNumber(digits: string): string {
  const [, mantissa, sign, exponent] = /^(.*)e([+-]?)(\d+)$/i.exec(digits) ?? [];
  if (mantissa === undefined) return digits;
  return `${mantissa}${mantissa.includes(".") ? "" : ".0"}e${sign || "+"}${exponent}`;
}

/** Formats a text on one line. */
function formatText(text: string): string {
  if (!text.includes("\n") && !isAmbiguous(text)) return text;
  return escapeControlCharacters(JSON.stringify(text)).replace(NONCHARACTERS, escapeCharacter);
}

/** Texts that some version of YAML may not read as text without quotes, and lines that a block may not preserve. */
const AMBIGUOUS = [
  /^[^\p{L}\p{N}]/u,
  /^[eE]?\d[\d\s_.,:xXoOa-fA-FtTzZ+-]*$/,
  /^(?:y|yes|n|no|on|off|true|false|null|nan|inf)$/i,
  /\s$|[^\S\n]\n|[\t\r]/,
  /:(?:\s|$)|\s#/,
  /[\ufffe\uffff]|\p{Surrogate}/u,
];

function isAmbiguous(text: string): boolean {
  const line = text.endsWith("\n") ? text.slice(0, -1) : text;
  return line === "" || hasControlCharacters(text) || AMBIGUOUS.some((pattern) => pattern.test(line));
}

/** Characters that YAML 1.1 does not allow. */
const NONCHARACTERS = /[\ufffe\uffff]/g;

function escapeCharacter(character: string): string {
  return "\\u" + character.charCodeAt(0).toString(16);
}
