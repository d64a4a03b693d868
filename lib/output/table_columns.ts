/** Chooses and orders the columns that people need, for a list on a terminal. */
import { truncateToWidth } from "../../utils/text/display_width.ts";
import type { Column } from "./table_layout.ts";

/** Columns in the order of their use, and notes about the others. */
export interface ChosenColumns {
  /** The columns to show. */
  readonly columns: readonly Column[];
  /** Notes for the user, one line each. */
  readonly notes: readonly string[];
}

/** Names of fields by their use, the most useful first. Fields of the application come after these. */
const USEFUL: readonly RegExp[] = [
  /^(?:pyID|businessID)$/,
  /^(?:id|pzInsKey)$/i,
  /^(?:pyLabel|label|fileName)$/,
  /^(?:name|title)$/,
  /^(?:status|pyStatusWork|state)$/,
];

/** Names of fields that programs need. Times and operators come before other fields of the platform. */
const USELESS: readonly RegExp[] = [
  /^px(?:Create|Update)|^(?:created|lastUpdated?)(?:By|Time|ByName)$|^createTime$/,
  /^p[xyz][A-Z]/,
  /^(?:pxObjClass|classID|className|etag)$/,
];

/** Names of texts that people read. */
const READABLE = /^(?:pyLabel|label|fileName|name|title|task|text|message|pyMessage)$/;

/** Limits of a note: names, and the width of a value. */
const MAX_NAMES = 6;
const MAX_VALUE_WIDTH = 30;

/** Reports whether a field identifies an object. */
export function isIdentifyingName(name: string): boolean {
  return USEFUL.slice(0, 2).some((pattern) => pattern.test(name));
}

/** Reports whether a field is a text that people read. */
export function isReadableName(name: string): boolean {
  return READABLE.test(name);
}

/**
 * Orders columns by their use. Drops those that are empty, that have the same value in all rows, or that repeat another
 * identifier or a field of the platform.
 */
export function chooseColumns(all: readonly Column[], rowCount: number): ChosenColumns {
  const hasShortId = all.some(({ name }) => USEFUL[0]?.test(name));
  const ordered = all.map((column) => ({ column, rank: rank(column.name, hasShortId) }))
    .sort((a, b) => a.rank - b.rank).map(({ column }) => column);
  const empty = ordered.filter(({ cells }) => cells.every((cell) => cell === ""));
  const filled = ordered.filter((column) => !empty.includes(column));
  const repeated = filled.filter((column, i) => filled.slice(0, i).some((other) => isRepeated(column, other)));
  const distinct = filled.filter((column) => !repeated.includes(column));
  const constant = rowCount < 2
    ? []
    : distinct.filter(({ cells, isIdentifying }) => !isIdentifying && cells.every((cell) => cell === cells[0]));
  const columns = distinct.filter((column) => !constant.includes(column));
  if (columns.length === 0) return { columns: ordered, notes: [] };
  const hidden = [...empty, ...repeated].map(({ name }) => name);
  return {
    columns,
    notes: [
      ...(constant.length === 0 ? [] : [`The same in all rows: ${listSome(constant.map(describeConstant))}.`]),
      ...(hidden.length === 0 ? [] : [`Empty and repeated columns hidden: ${listSome(hidden)}.`]),
    ],
  };
}

/** A handle comes last if there is a short ID, which commands accept, too. */
function rank(name: string, hasShortId: boolean): number {
  const use = USEFUL.findIndex((pattern) => pattern.test(name));
  if (use === 1 && hasShortId) return USEFUL.length + USELESS.length + 1;
  if (use >= 0) return use;
  const kind = USELESS.findLastIndex((pattern) => pattern.test(name));
  return USEFUL.length + kind + 1;
}

/** Fields of the application are never dropped: two of them can have the same values by chance. */
function isRepeated({ name, cells }: Column, other: Column): boolean {
  const isSameName = name.toLowerCase() === other.name.toLowerCase();
  if (!isSameName && !isIdentifyingName(name) && !/^p[xyz][A-Z]/.test(name)) return false;
  return cells.every((cell, row) => cell === other.cells[row]);
}

function describeConstant({ name, cells: [cell = ""] }: Column): string {
  return `${name} ${truncateToWidth(cell, MAX_VALUE_WIDTH)}`;
}

/** Lists the first names, and how many follow. */
export function listSome(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return more < 2 ? names.join(", ") : `${names.slice(0, MAX_NAMES).join(", ")} and ${more} more`;
}
