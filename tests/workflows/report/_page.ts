/** Reads a page of HTML as a reader does: its headings, and the text below each. */
import assert from "node:assert/strict";

/** Elements that have no end. */
const VOID: readonly string[] = ["meta", "line", "rect"];

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** Parts of a page. */
export interface Page {
  /** Names of its elements, each once. */
  readonly elements: readonly string[];
  /** Headings of the first and second level. */
  readonly headings: readonly string[];
  /** Text of the sections by their headings, with single spaces. */
  readonly sections: Readonly<Record<string, string>>;
}

/** Reads a page, and checks that its elements are nested correctly. */
export function readPage(html: string): Page {
  const open: string[] = [];
  const elements = new Set<string>();
  for (const [, end, name = "", last] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*?)?(\/?)>/g)) {
    elements.add(name);
    if (end) assert.equal(open.pop(), name);
    else if (!last && !VOID.includes(name)) open.push(name);
  }
  assert.deepEqual(open, []);
  const sections = [...html.matchAll(/<section>\s*<h2>(.*?)<\/h2>([^]*?)<\/section>/g)];
  return {
    elements: [...elements],
    headings: [...html.matchAll(/<h[12]>(.*?)<\/h[12]>/g)].map(([, heading = ""]) => readText(heading)),
    sections: Object.fromEntries(sections.map(([, heading = "", body = ""]) => [readText(heading), readText(body)])),
  };
}

function readText(html: string): string {
  const shown = html.replace(/<(title|caption)>[^<]*<\/\1>/g, "").replace(/<\/?(?:code|a|b|span)\b[^>]*>/g, "");
  const text = shown.replace(/<[^>]*>/g, " ").replace(/&(#?\w+);/g, (_, name) => ENTITIES[name] ?? "?");
  return text.replace(/\s+/g, " ").trim();
}
