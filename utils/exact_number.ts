/** Numbers that keep their decimal digits. */

// TypeScript does not declare these parts of ECMAScript yet.
const rawJson: unknown = Reflect.get(JSON, "rawJSON");

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * A number that a `number` cannot represent, such as an integer above 2^53 or `1e400`. Responses contain one wherever a
 * `number` would alter the value. It can be sent again: `JSON.stringify` writes its digits.
 */
export class ExactNumber {
  /** The number as JSON text. */
  readonly digits: string;

  /** Creates a number from JSON text. Throws `TypeError` for any other text. */
  constructor(digits: string) {
    if (!JSON_NUMBER.test(digits)) throw new TypeError(`${JSON.stringify(digits)} is not a JSON number.`);
    this.digits = digits;
  }

  /** Returns the digits. */
  toString(): string {
    return this.digits;
  }

  /** Returns the nearest `number`. */
  valueOf(): number {
    return Number(this.digits);
  }

  /** Returns the value that makes `JSON.stringify` write the digits. A runtime that cannot do this writes them as text. */
  toJSON(): unknown {
    return typeof rawJson === "function" ? rawJson(this.digits) : this.digits;
  }
}

/** Reports whether a `number` represents the value of a JSON number: it prints as the same decimal number. */
export function isExact(digits: string): boolean {
  const nearest = String(Number(digits));
  return nearest === digits || toScientific(nearest) === toScientific(digits);
}

/** Returns a decimal number without insignificant zeros, e.g. `12e-1` for `1.20`. */
function toScientific(number: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (whole === "" || significant === "") return whole === "" ? number : "0";
  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${scale}`;
}
