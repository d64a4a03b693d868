/** The logic of a filter, e.g. `F1 AND (F2 OR NOT F3)`: names of conditions, AND before OR. */
import { clip } from "../../lib/wording.ts";
import { ServiceError } from "../errors.ts";

/** A logic as a tree. */
export type Logic =
  | { readonly condition: string }
  | { readonly not: Logic }
  | { readonly and: readonly Logic[] }
  | { readonly or: readonly Logic[] };

/** Parentheses in one another, and NOTs in a row. */
const DEPTH_LIMIT = 50;

/** Names of conditions in one logic: each makes the database's expression deeper, which has an end. */
const NAMES_LIMIT = 500;

/** How often one may be named: each time it is compared anew, with all of its values. */
const MENTIONS_LIMIT = 20;

/** Reads a logic; 400 where it is none. */
export function parseLogic(text: string): Logic {
  const tokens = text.match(/[()]|[^\s()]+/g) ?? [];
  let next = 0;
  let names = 0;
  const mentions = new Map<string, number>();

  function either(depth: number): Logic {
    const parts = [both(depth)];
    while (takes("OR")) parts.push(both(depth));
    return combined("or", parts);
  }

  function both(depth: number): Logic {
    const parts = [one(depth)];
    while (takes("AND")) parts.push(one(depth));
    return combined("and", parts);
  }

  function one(depth: number): Logic {
    if (depth > DEPTH_LIMIT) throw invalid(`it is nested more than ${DEPTH_LIMIT} deep`);
    if (takes("NOT")) return { not: one(depth + 1) };
    if (!takes("(")) return { condition: name() };
    const inner = either(depth + 1);
    if (!takes(")")) throw invalid(`")" is missing before ${shown()}`);
    return inner;
  }

  function name(): string {
    const token = tokens[next];
    if (token === undefined || /^(AND|OR|[()])$/i.test(token)) {
      throw invalid(`a condition is missing before ${shown()}`);
    }
    if (++names > NAMES_LIMIT) {
      throw new ServiceError(400, `The filter logic may name at most ${NAMES_LIMIT} conditions.`);
    }
    const mentioned = (mentions.get(token) ?? 0) + 1;
    if (mentioned > MENTIONS_LIMIT) {
      const which = clip(token, 50);
      throw new ServiceError(
        400,
        `The filter logic may name a condition at most ${MENTIONS_LIMIT} times, and names ${which} more often.`,
      );
    }
    mentions.set(token, mentioned);
    next++;
    return token;
  }

  function takes(token: string): boolean {
    if (tokens[next]?.toUpperCase() !== token) return false;
    next++;
    return true;
  }

  function shown(): string {
    return tokens[next] === undefined ? "its end" : `"${tokens[next]}"`;
  }

  function invalid(reason: string): ServiceError {
    return new ServiceError(400, `The filter logic ${JSON.stringify(text)} cannot be read: ${reason}.`);
  }

  const logic = either(0);
  if (next < tokens.length) throw invalid(`AND or OR is missing before ${shown()}`);
  return logic;
}

function combined(word: "and" | "or", parts: readonly Logic[]): Logic {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  return word === "and" ? { and: parts } : { or: parts };
}
