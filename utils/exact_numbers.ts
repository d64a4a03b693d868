/** Numbers that would become other ones: an account number must not change on its way. */

/** What every number that is not exact has, so that most texts need no closer look: many digits, or a large exponent. */
const SUSPECT = /\d{16}|\d[eE]\+?\d{3}/;

/** What a JSON text is looked through for: an escape, the end or the beginning of a text, a number. */
const TOKEN = /\\.|"|-?\d[\d.eE+-]*/gs;

/** What is wrong with the first number of a valid JSON text that would not be kept; undefined where all would be. */
export function numberFault(text: string): string | undefined {
  if (!SUSPECT.test(text)) return undefined;
  let isText = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '"') isText = !isText;
    else if (!isText && isInexact(token)) return `has the number ${token}, which JSON numbers do not hold exactly`;
  }
  return undefined;
}

/** What to do about such a number. */
export const NUMBER_HINT = "Write it as text: in quotes.";

/**
 * Of a fraction's digits nobody expects all to be kept, of those before the point everybody does. Zeros at the
 * beginning are not JSON, but a person at a prompt types them.
 */
function isInexact(number: string): boolean {
  const [, whole] = /^-?0*([1-9]\d*)(?:\.\d+)?$/.exec(number) ?? [];
  return !Number.isFinite(Number(number)) || (whole !== undefined && String(Number(whole)) !== whole);
}
