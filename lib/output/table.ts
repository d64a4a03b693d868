import {
  findRows,
  isJsonObject,
  isNumber,
  isObjectList,
  isScalar,
  type JsonObject,
  type JsonValue,
  type Rows,
} from "../../utils/json.ts";
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import { displayWidth } from "../../utils/text/display_width.ts";
import type { Selection } from "./fields.ts";
import type { Rendered, Surface } from "./format.ts";
import { chooseColumns, isIdentifyingName, isReadableName, listSome } from "./table_columns.ts";
import { type Column, layOutFitting, layOutPlain } from "./table_layout.ts";

/** Rows with different fields could otherwise have far more cells than values. */
const MAX_FIELDS = 500;

/** The reason why a result cannot be shown as a table, as the end of a sentence. */
export interface TableObstacle {
  /** The reason. */
  readonly obstacle: string;
  /** Advice on how to get a table. It begins with a space, or is empty. */
  readonly advice?: string;
}

/** Options of a table. */
export interface TableOptions {
  /** Selection that the value comes from. */
  readonly selection?: Selection;
  /** Formats the value of a cell. Default: the value as JSON has it. */
  readonly formatCell?: (value: JsonValue) => string;
  /** Names of columns whose texts are numbers, such as amounts of money. */
  readonly numeric?: readonly string[];
}

/** Finds the list of objects that a result is about: the result itself, or the only list in an object without an ID. */
export function findTableRows(value: JsonValue): Rows | undefined {
  const rows = findRows(value);
  if (rows !== undefined || !isJsonObject(value) || value.id !== undefined || value.ID !== undefined) return rows;
  const lists = Object.entries(value).filter(([, list]) => isObjectList(list) && list.length > 0);
  const [member, list] = lists[0] ?? [];
  return lists.length === 1 && isObjectList(list) ? { rows: list, member } : undefined;
}

/** Renders a result as a table: fitted to a terminal, complete and plain in a pipe. */
export function toTable(
  value: JsonValue,
  surface: Surface,
  { selection, formatCell = formatScalars, numeric = [] }: TableOptions = {},
): Rendered | TableObstacle {
  const list = selection === undefined ? findTableRows(value) : selection.list ?? findRows(value);
  const rows = list?.rows ?? toRow(value, selection);
  if (rows === undefined) return { obstacle: "the response is neither an object nor a list of objects" };
  if (rows.length === 0) return { obstacle: "the list is empty" };
  const columns = selection?.list?.columns;
  const isListNamed = selection !== undefined && list !== undefined && columns === undefined;
  const isSelected = selection !== undefined && !isListNamed;
  const advice = isListNamed ? "" : " Select columns with --fields.";
  const names = [...new Set(columns ?? rows.flatMap(Object.keys))];
  if (names.length > MAX_FIELDS) {
    const obstacle = `the response has ${names.length} fields, and a table can have ${MAX_FIELDS}`;
    return { obstacle: advice === "" ? obstacle : `${obstacle} (select some with --fields)` };
  }
  const shown = names.filter((name) =>
    rows.some((row) => isFlat(row[name])) || !rows.some((row) => isNested(row[name]))
  );
  const nested = names.filter((name) => !shown.includes(name) || rows.some((row) => isFilled(row[name])));
  if (shown.length === 0) return { obstacle: "all fields of the response are nested" };
  if (isSelected && nested.length > 0) {
    return { obstacle: `${nested.join(", ")} ${nested.length === 1 ? "is" : "are"} nested` };
  }
  if (!isSelected && nested.length > 0 && shown.every((name) => isIdentifyingName(name) || name === "etag")) {
    const obstacle = `only ${shown.join(" and ")} would be left, because the other fields are nested`;
    return { obstacle, advice: adviseOnList(value, list) };
  }
  if (!isSelected && !shown.some((name) => rows.every((row) => Object.hasOwn(row, name)))) {
    return { obstacle: "its rows have no field in common" };
  }
  const identifying = shown.some(isIdentifyingName) ? shown.filter(isIdentifyingName) : shown.slice(0, 1);
  const all = shown.map((name) => {
    const isNumeric = numeric.includes(name) || isNumericColumn(rows.map((row) => row[name]));
    return createColumn(name, rows, formatCell, { isNumeric, isIdentifying: identifying.includes(name) });
  });
  const others = listOthers(value, list);
  const general = [
    ...(nested.length === 0 ? [] : [`Nested fields hidden: ${nested.join(", ")}.${adviseOnList(value, list)}`]),
    ...(others.length === 0 ? [] : [`Outside the list: ${listSome(others)}.`]),
  ];
  if (surface.columns === undefined) return { text: layOutPlain(all, rows.length), notes: general };
  const isChosen = list === undefined || isSelected;
  const chosen = isChosen ? { columns: all, notes: [] } : chooseColumns(all, rows.length);
  const { color, links } = surface;
  const { text, hidden } = layOutFitting(chosen.columns, rows.length, surface.columns, {
    color,
    links,
    isSingle: list === undefined,
  });
  const cut = hidden.map(({ name }) => name).join(", ");
  return {
    text,
    notes: [
      ...general,
      ...chosen.notes,
      ...(cut === "" ? [] : [`Columns hidden to fit the terminal: ${cut}.${advice}`]),
    ],
  };
}

/** Returns an object as a row, in which a case has its fields. Selected fields stay as they are. */
function toRow(value: JsonValue, selection: Selection | undefined): JsonObject[] | undefined {
  if (!isJsonObject(value)) return undefined;
  return [selection === undefined ? flattenCase(value) : value];
}

/** Returns a case with its fields beside the members of the envelope. Other objects stay as they are. */
function flattenCase(object: JsonObject): JsonObject {
  const content = findContent(object);
  if (content === undefined) return object;
  const { data: _, uiResources: __, ...envelope } = object;
  const fields = Object.entries(content).filter(([name]) => name === "pyLabel" || !/^p[xyz][A-Z]|^classID$/.test(name));
  return { ...envelope, ...Object.fromEntries(fields) };
}

function findContent({ data }: JsonObject): JsonObject | undefined {
  const info = isJsonObject(data) ? data.caseInfo : undefined;
  return isJsonObject(info) && isJsonObject(info.content) ? info.content : undefined;
}

/** A list of objects beside other members can be shown as a table of its own. */
function adviseOnList(value: JsonValue, shown: Rows | undefined): string {
  if (!isJsonObject(value) || shown !== undefined) return "";
  const content = findContent(value);
  const prefix = content === undefined ? "" : "data.caseInfo.content.";
  const list = Object.entries(content ?? value).find(([, member]) => isObjectList(member) && member.length > 0)?.[0];
  return list === undefined ? "" : ` Show ${list} as a table with --fields ${prefix}${list}.`;
}

/** Lists the members beside the list that is shown: scalars with their value. */
function listOthers(value: JsonValue, list: Rows | undefined): string[] {
  if (!isJsonObject(value) || list?.member === undefined) return [];
  return Object.entries(value).filter(([name]) => name !== list.member)
    .map(([name, member]) => isScalar(member) ? `${name} ${escapeToOneLine(String(member))}` : name);
}

function isFlat(value: JsonValue | undefined): boolean {
  return isScalar(value) || (Array.isArray(value) && value.length > 0 && value.every(isScalar));
}

function isNested(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && !isFlat(value);
}

/** Reports whether a nested value has content that a cell cannot show. */
function isFilled(value: JsonValue | undefined): boolean {
  return isNested(value) && !(Array.isArray(value) && value.length === 0);
}

function createColumn(
  name: string,
  rows: readonly JsonObject[],
  formatCell: (value: JsonValue) => string,
  { isNumeric, isIdentifying }: Pick<Column, "isNumeric" | "isIdentifying">,
): Column {
  const title = escapeToOneLine(name);
  const format = name === "etag" ? formatScalars : formatCell; // Entity tags are copied, although some look like times.
  const cells = rows.map(({ [name]: value }) =>
    isFlat(value) && value !== undefined ? escapeToOneLine(format(value)) : ""
  );
  const width = cells.reduce((widest, cell) => Math.max(widest, displayWidth(cell)), displayWidth(title));
  return { name, title, cells, isNumeric, width, isIdentifying, isReadable: isReadableName(name) };
}

/** Reports whether the values of a column are numbers. Some may be missing. */
export function isNumericColumn(values: readonly (JsonValue | undefined)[]): boolean {
  const filled = values.filter((value) => value !== undefined && value !== null && value !== "");
  return filled.length > 0 && filled.every(isNumber);
}

function formatScalars(value: JsonValue): string {
  return Array.isArray(value) ? value.map(String).join(", ") : String(value);
}
