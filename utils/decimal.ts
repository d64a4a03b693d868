/** Sums of decimal numbers, without rounding. */

const PLAIN = /^-?\d{1,20}(?:\.\d{1,20})?$/;

/** Reports whether a JSON number can be summed: it has no exponent, and at most 20 digits on each side of the point. */
export function isPlainDecimal(digits: string): boolean {
  return PLAIN.test(digits);
}

/** A sum of decimal numbers. */
export class DecimalSum {
  #units = 0n;
  #places = 0;

  /** Adds a number in decimal notation without an exponent, e.g. `-1.25`. */
  add(digits: string): void {
    this.#change(digits, 1n);
  }

  /** Subtracts a number in the same notation. */
  subtract(digits: string): void {
    this.#change(digits, -1n);
  }

  /** Returns the sum in the same notation, without insignificant zeros. */
  toString(): string {
    const units = String(this.#units < 0n ? -this.#units : this.#units).padStart(this.#places + 1, "0");
    const point = units.length - this.#places;
    const fraction = units.slice(point).replace(/0+$/, "");
    return (this.#units < 0n ? "-" : "") + units.slice(0, point) + (fraction === "" ? "" : `.${fraction}`);
  }

  #change(digits: string, sign: bigint): void {
    const point = digits.indexOf(".");
    const places = point < 0 ? 0 : digits.length - point - 1;
    let units = BigInt(point < 0 ? digits : digits.slice(0, point) + digits.slice(point + 1));
    if (places > this.#places) {
      this.#units *= 10n ** BigInt(places - this.#places);
      this.#places = places;
    } else if (places < this.#places) units *= 10n ** BigInt(this.#places - places);
    this.#units += sign * units;
  }
}
