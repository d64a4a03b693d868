/** The page of a list that a request asks for. */
import { Invalid } from "../errors.ts";

/** Values of the parameters for a page. */
export interface PageValues {
  /** Number, starting at 1. */
  readonly page?: number;
  /** Maximum number of elements. */
  readonly pageSize?: number;
}

/** A page of a list. */
export interface ListPage {
  /** Number of elements before it. */
  readonly offset: number;
  /** Maximum number of its elements. */
  readonly size: number;
}

const DEFAULT_SIZE = 50;
const MAX_SIZE = 200;

/** Last element that can be read: the elements before a page are read, too. */
const MAX_END = 10_000;

/** Reads the page that a request asks for. Throws `Invalid` if it does not exist. */
export function readPage({ page = 1, pageSize = DEFAULT_SIZE }: PageValues): ListPage {
  if (page < 1) throw new Invalid("page must be at least 1");
  if (pageSize < 1 || pageSize > MAX_SIZE) throw new Invalid(`pageSize must be a number from 1 to ${MAX_SIZE}`);
  if (page * pageSize > MAX_END) {
    throw new Invalid(`Only the first ${MAX_END} elements can be read. Add conditions.`);
  }
  return { offset: (page - 1) * pageSize, size: pageSize };
}
