import { countIndented } from "./json_depth.ts";

/** Maximum length of an indented text. The indentation of deeply nested data can be a thousand times longer than the data. */
export const MAX_INDENTED = 256 * 1024 * 1024;

/** Texts up to this length are not measured: even at the maximum depth, they do not exceed the limit. */
const SHORT = 64 * 1024;

/** Returns a value as JSON that is indented by two per level; undefined if the text would be too long. */
export function toIndentedJson(value: unknown): string | undefined {
  const text = JSON.stringify(value);
  if (text.length > SHORT && countIndented(text) > MAX_INDENTED) return undefined;
  return JSON.stringify(value, null, 2);
}
