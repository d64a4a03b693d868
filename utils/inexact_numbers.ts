// Every inexact number has many digits or a large exponent, so most texts need no closer look.
const SUSPECT = /\d{16}|\d[eE]\+?\d{3}/;

// An escape, a quotation mark or a number.
const TOKEN = /\\.|"|-?\d[\d.eE+-]*/gs;

/** Describes the first number of a valid JSON text that a double cannot represent. Returns undefined if it has only exact numbers. */
export function describeInexactNumber(text: string): string | undefined {
  if (!SUSPECT.test(text)) return undefined;
  let isText = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '"') isText = !isText;
    else if (!isText && isInexact(token)) return `has the number ${token}, which JSON numbers cannot represent exactly`;
  }
  return undefined;
}

/** Hint for an inexact number. */
export const INEXACT_NUMBER_HINT = "Write it as text: in quotes.";

/** Reports whether digits before the decimal point are lost. Leading zeros are accepted: people type them at prompts. */
function isInexact(number: string): boolean {
  const [, whole] = /^-?0*([1-9]\d*)(?:\.\d+)?$/.exec(number) ?? [];
  return !Number.isFinite(Number(number)) || (whole !== undefined && String(Number(whole)) !== whole);
}
