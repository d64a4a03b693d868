/** Cleans the names of files. Callers can send any text, and programs may use the names as paths. */

/** Maximum bytes of a name in common file systems. */
const MAX_BYTES = 255;

/** Maximum bytes of an extension. */
const MAX_EXTENSION_BYTES = 32;

/** Control characters, marks that reverse the direction of text, and invisible tags. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** A name and its extension. */
export interface NameParts {
  /** Name that users see. */
  readonly name: string;
  /** Extension without its dot, or an empty string. */
  readonly extension: string;
}

/** Cleans a file name: no folders, no control characters, not too long. The addition is never shortened. */
export function cleanFileName(given: string, addition = ""): string {
  const whole = removeFolders(given);
  const parts = splitName(whole);
  // A very long suffix is not an extension.
  const { name, extension } = countBytes(parts.extension) > MAX_EXTENSION_BYTES
    ? { name: whole, extension: "" }
    : parts;
  return joinName({ name: shortenFor(addition + extension, name) + addition, extension });
}

/** Cleans a new name for a file and removes its extension. A file keeps its extension, which tells its type. */
export function cleanNewName(given: string, extension: string): string {
  const name = removeFolders(given);
  const end = `.${extension.toLowerCase()}`;
  const hasEnd = extension !== "" && name.length > end.length && name.toLowerCase().endsWith(end);
  return shortenFor(extension, hasEnd ? name.slice(0, -end.length) : name);
}

/** Cleans a title: no control characters, not too long. */
export function cleanTitle(given: string): string {
  return shorten(removeControls(given), MAX_BYTES);
}

/** Splits a name at its last dot. */
export function splitName(name: string): NameParts {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? { name, extension: "" } : { name: name.slice(0, dot), extension: name.slice(dot + 1) };
}

/** Joins a name and its extension. */
export function joinName({ name, extension }: NameParts): string {
  return extension === "" ? name : `${name}.${extension}`;
}

function removeFolders(given: string): string {
  const name = removeControls(given.replace(/^.*[\\/]/s, ""));
  return name === "" || name === "." || name === ".." ? "file" : name;
}

function removeControls(text: string): string {
  return text.toWellFormed().replace(UNSAFE, "").trim();
}

function shortenFor(extension: string, name: string): string {
  return shorten(name, MAX_BYTES - 1 - countBytes(extension));
}

function shorten(text: string, limit: number): string {
  let end = 0;
  let bytes = 0;
  for (const character of text) {
    bytes += countBytes(character);
    if (bytes > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
