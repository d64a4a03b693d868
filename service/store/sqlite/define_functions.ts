/** SQL functions that queries call. Every connection that runs queries defines them. */
import type { DatabaseSync } from "node:sqlite";
import { DecimalSum } from "../../../utils/decimal.ts";
import { defineSearchText } from "./derived.ts";
import { defineChecksum } from "./tables.ts";

/**
 * Returns the condition that stops a query at its time limit. For speed, it checks the time only once in 64 rows: if the last
 * bits of `number` are 0.
 */
export function withinTime(number: string): string {
  return `iif(${number} & 63, 1, within_time())`;
}

/** Defines the functions. `checkTime` throws if the running query has to stop. */
export function defineFunctions(db: DatabaseSync, checkTime: () => void): void {
  defineChecksum(db);
  defineSearchText(db);
  // Without BigInt, a call with an unsafe integer would fail.
  const options = { deterministic: true, useBigIntArguments: true };
  db.function("fold", options, (text) => {
    checkTime();
    return toLowerCase(text);
  });
  db.function("contains", options, (text, part) => {
    checkTime(); // A search in long texts takes time.
    return text === null || part === null ? null : Number(contains(String(text), String(part)));
  });
  db.function("sum_decimals", { deterministic: true }, (list) => sumDecimals(String(list)));
  db.function("within_time", () => {
    checkTime();
    return 1;
  });
}

/** Adds the numbers in a JSON array of texts. */
function sumDecimals(list: string): number {
  const numbers: unknown = JSON.parse(list);
  const sum = new DecimalSum();
  if (Array.isArray(numbers)) numbers.forEach((number) => sum.add(String(number)));
  return Number(sum.toString());
}

/** Converts a text to lower case. The function lower() of SQLite supports only ASCII. */
export function toLowerCase<T>(value: T): T | string {
  return typeof value === "string" ? value.toLowerCase() : value;
}

/**
 * Reports whether a text contains another, in linear time (Knuth-Morris-Pratt). The searches of SQLite and JavaScript take
 * quadratic time for malicious texts.
 */
export function contains(text: string, part: string): boolean {
  const borders = findBorders(part);
  let found = 0;
  for (let place = 0; place < text.length && found < part.length; place++) {
    found = extendMatch(part, borders, found, text.charCodeAt(place));
  }
  return found === part.length;
}

/** Computes, for each prefix of a text by length, the length of its longest proper prefix that is also its suffix. */
function findBorders(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  for (let length = 2; length <= text.length; length++) {
    borders[length] = extendMatch(text, borders, borders[length - 1] ?? 0, text.charCodeAt(length - 1));
  }
  return borders;
}

/** Returns the length of the matched prefix after the next character. */
function extendMatch(text: string, borders: Int32Array, before: number, next: number): number {
  let found = before;
  while (found > 0 && text.charCodeAt(found) !== next) found = borders[found] ?? 0;
  return text.charCodeAt(found) === next ? found + 1 : 0;
}
