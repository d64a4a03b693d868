/** Names of files: callers may send anything, and programs that read the names may take them for paths. */

/** Bytes that common file systems allow. */
const LIMIT = 255;

/** Bytes that an extension may have. */
const EXTENSION_LIMIT = 32;

/** Control characters, and the marks that reverse the direction of text. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** A name in two parts. */
export interface NameParts {
  /** Name that users see. */
  readonly name: string;
  /** Extension without its dot, or an empty string. */
  readonly extension: string;
}

/** A name that is harmless as a file's: no folders, no control characters, not too long. What is added stays whole. */
export function cleanFileName(given: string, addition = ""): string {
  const whole = harmless(given);
  const parts = splitName(whole);
  // A very long suffix is not an extension.
  const { name, extension } = byteLength(parts.extension) > EXTENSION_LIMIT ? { name: whole, extension: "" } : parts;
  return joinName({ name: withRoomFor(addition + extension, name) + addition, extension });
}

/** A new name for a file, without its extension, which stays: it says what the bytes are. */
export function renamed(given: string, extension: string): string {
  const name = harmless(given);
  const end = `.${extension.toLowerCase()}`;
  const hasEnd = extension !== "" && name.length > end.length && name.toLowerCase().endsWith(end);
  return withRoomFor(extension, hasEnd ? name.slice(0, -end.length) : name);
}

/** A title without control characters, not too long. */
export function cleanTitle(given: string): string {
  return shorten(visible(given), LIMIT);
}

/** A name, taken apart at its last dot. */
export function splitName(name: string): NameParts {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? { name, extension: "" } : { name: name.slice(0, dot), extension: name.slice(dot + 1) };
}

/** A name, put together. */
export function joinName({ name, extension }: NameParts): string {
  return extension === "" ? name : `${name}.${extension}`;
}

function harmless(given: string): string {
  const name = visible(given.replace(/^.*[\\/]/s, ""));
  return name === "" || name === "." || name === ".." ? "file" : name;
}

function visible(text: string): string {
  return text.toWellFormed().replace(UNSAFE, "").trim();
}

function withRoomFor(extension: string, name: string): string {
  return shorten(name, LIMIT - 1 - byteLength(extension));
}

function shorten(text: string, limit: number): string {
  let end = 0;
  let bytes = 0;
  for (const character of text) {
    bytes += byteLength(character);
    if (bytes > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
