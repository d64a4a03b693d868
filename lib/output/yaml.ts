import { Document, Scalar, type ScalarTag, visit } from "yaml";
import { isNumber, type JsonValue } from "../../utils/json.ts";
import { escapeControlCharacters, hasControlCharacters } from "../../utils/text/control_characters.ts";

/** Renders a value as a YAML document. Readers of YAML 1.1 and 1.2 read the same value back. */
export function toYaml(value: JsonValue): string {
  const document = new Document(value, {
    aliasDuplicateObjects: false,
    compat: "yaml-1.1",
    customTags: (tags) => [NUMBER, ...tags],
  });
  visit(document, {
    Scalar(_key, node, { length: depth }) {
      if (typeof node.value !== "string") return;
      const isUnindented = depth === 1 && node.value.includes("\n"); // YAML 1.1 does not allow a block without indentation.
      if (isUnindented || isAmbiguous(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeControlCharacters(document.toString({ lineWidth: 0 })).replace(NONCHARACTERS, escapeNoncharacter);
}

const NUMBER: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  test: /(?!)/, // Without a test, the library would prefer its own tags.
  identify: isNumber,
  resolve: (text) => text,
  stringify: ({ value }) => formatNumber(String(value)),
};

/** Formats a number with an exponent as YAML 1.1 requires it: with a point and a sign, as in `1.0e+400`. */
function formatNumber(digits: string): string {
  const [, mantissa, sign, exponent] = /^(.*)e([+-]?)(\d+)$/i.exec(digits) ?? [];
  if (mantissa === undefined) return digits;
  return `${mantissa}${mantissa.includes(".") ? "" : ".0"}e${sign || "+"}${exponent}`;
}

/** Texts that may not be read as text without quotes, and lines that a block of text may not preserve. */
const AMBIGUOUS = [
  /^[^\p{L}\p{N}]/u,
  /^\d[\d\s_.,:xXoOa-fA-FtTzZ+-]*$/,
  /^(?:y|yes|n|no|on|off|true|false|null|nan|inf)$/i,
  /\s$|\s\n|[\t\r]/,
  /[\ufffe\uffff]/,
];

/** Reports whether versions of YAML could read a text differently. Only in double quotes can it contain escapes. */
function isAmbiguous(text: string): boolean {
  return hasControlCharacters(text) || AMBIGUOUS.some((pattern) => pattern.test(text.replace(/\n$/, "")));
}

/** Characters that YAML 1.1 does not allow. They occur only in double quotes. */
const NONCHARACTERS = /[\ufffe\uffff]/g;

function escapeNoncharacter(character: string): string {
  return "\\u" + character.charCodeAt(0).toString(16);
}
