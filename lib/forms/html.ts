/** Converts rich text from HTML to plain text and back. */

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** Converts HTML to plain text: a line for each paragraph, list item and line break. */
export function htmlToText(html: string): string {
  return html
    .replaceAll(/<(script|style)\b[^]*?<\/\1\s*>/gi, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/<li\b[^>]*>/gi, "\n- ")
    .replaceAll(/<br\s*\/?>|<\/(?:p|div|h[1-6]|tr|ul|ol)\s*>/gi, "\n")
    .replaceAll(/<\/?[A-Za-z][^>]*>|<!--[^]*?-->/g, "")
    .replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, decodeEntity)
    .split("\n").map((line) => line.trim()).join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** Converts plain text to HTML: a paragraph for each line. Text that is HTML stays as it is. */
export function textToHtml(text: string): string {
  if (text === "" || /^\s*<[A-Za-z][^>]*>/.test(text)) return text;
  return text.split(/\r?\n/).map((line) => `<p>${escapeHtml(line)}</p>`).join("");
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function decodeEntity(entity: string, decimal?: string, hexadecimal?: string, name = ""): string {
  const code = decimal !== undefined ? Number(decimal) : hexadecimal !== undefined ? parseInt(hexadecimal, 16) : NaN;
  if (Number.isNaN(code)) return ENTITIES[name.toLowerCase()] ?? entity;
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}
