/**
 * Texts as PostgreSQL stores them. PostgreSQL refuses U+0000 and unpaired surrogates, in texts and when it reads a member of
 * JSON. They are replaced by pairs that begin with U+0001. The pairs keep the order of texts by bytes, apart from surrogates.
 */

// With the flag `u`, `\p{Cs}` matches only unpaired surrogates.
// deno-lint-ignore no-control-regex
const REFUSED = /[\0\u0001]|\p{Cs}/gu;

// deno-lint-ignore no-control-regex
const ESCAPED = /\u0001(?:\u0001|\u0002|\u0003([0-9a-f]{4}))/g;

// `JSON.stringify` escapes only unpaired surrogates. A backslash that is itself escaped is skipped.
const REFUSED_IN_JSON = /\\\\|\\u(000[01]|d[89a-f][0-9a-f]{2})/g;

const ESCAPED_IN_JSON = /\\\\|\\u0001(?:\\u000([12])|\\u0003([0-9a-f]{4}))/g;

/** Converts a text to one that PostgreSQL accepts. */
export function escapeText(text: string): string {
  return text.replace(REFUSED, (unit) => {
    if (unit === "\0") return "\u0001\u0001";
    return unit === "\u0001" ? "\u0001\u0002" : "\u0001\u0003" + unit.charCodeAt(0).toString(16);
  });
}

/** Reverses `escapeText`. */
export function unescapeText(text: string): string {
  if (!text.includes("\u0001")) return text;
  return text.replace(ESCAPED, (pair, surrogate?: string) => {
    if (surrogate !== undefined) return String.fromCharCode(parseInt(surrogate, 16));
    return pair === "\u0001\u0001" ? "\0" : "\u0001";
  });
}

/** Converts JSON that `JSON.stringify` has written: each text in it becomes one that PostgreSQL accepts. */
export function escapeJson(json: string): string {
  if (!json.includes("\\u")) return json;
  return json.replace(REFUSED_IN_JSON, (match, unit?: string) => {
    if (unit === undefined) return match;
    if (unit === "0000") return "\\u0001\\u0001";
    return unit === "0001" ? "\\u0001\\u0002" : `\\u0001\\u0003${unit}`;
  });
}

/** Reverses `escapeJson`. */
export function unescapeJson(json: string): string {
  if (!json.includes("\\u0001")) return json;
  return json.replace(ESCAPED_IN_JSON, (match, control?: string, surrogate?: string) => {
    if (surrogate !== undefined) return `\\u${surrogate}`;
    if (control === undefined) return match;
    return control === "1" ? "\\u0000" : "\\u0001";
  });
}
