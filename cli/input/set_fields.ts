/** `--set`: values of single fields, as an alternative to JSON. */
import { SvcError } from "../../lib/errors.ts";
import { cloneJson, isJsonObject, isScalar, type JsonObject, type JsonValue, parseJson } from "../../utils/json.ts";

/** A part of the path to a field. */
interface Segment {
  /** Name of a field or a page. */
  readonly name: string;
  /** Row of a list, from 0, or a new row. */
  readonly row?: number | "new";
}

/** The value of a field. */
export interface FieldSetting {
  /** Path as the user wrote it, e.g. `Documents[0].Title`. */
  readonly written: string;
  readonly path: readonly Segment[];
  readonly value: JsonValue;
}

/** The file of an attachment field. */
export interface FileSetting {
  /** Name of the field. */
  readonly written: string;
  /** Path of the file. */
  readonly file: string;
}

const SEGMENT = /^([A-Za-z_]\w*)(?:\[(\d+|\+)\])?$/;

/** Parses a value of `--set`, e.g. `Fee=12.50` or `Plan=@plan.pdf`. Throws `INVALID_ARGS`. */
export function parseSetting(text: string): FieldSetting | FileSetting {
  const [, written = "", value] = /^([^=]*)=([^]*)$/.exec(text) ?? [];
  if (value === undefined) {
    throw invalid(`--set ${text} has no value.`, "Write --set name=value, or --set name=null to clear a field.");
  }
  const path = written.split(".").map((part) => parseSegment(part, written));
  return value.startsWith("@")
    ? { written, file: value.slice(1) }
    : { written, path, value: parseValue(written, value) };
}

function parseSegment(part: string, written: string): Segment {
  const [, name, row] = SEGMENT.exec(part) ?? [];
  if (name === undefined) {
    throw invalid(
      `--set cannot set '${written}', which is not a field.`,
      "Write for example Fee=12.50 or Rooms[0].Name=Hall.",
    );
  }
  return row === undefined ? { name } : { name, row: row === "+" ? "new" : Number(row) };
}

/**
 * Numbers, `true`, `false`, `null`, and what begins with a quote, brace or bracket are JSON. Other values are text. A number
 * with an exponent is text, because 1e3 is more often a name than a number.
 */
function parseValue(written: string, text: string): JsonValue {
  const isLiteral = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false|null)$/.test(text);
  if (!isLiteral && !/^["{[]/.test(text)) return text;
  try {
    return parseJson(text, { keepText: true });
  } catch (cause) {
    const hint = `Quote text that begins like JSON: --set '${written}=${JSON.stringify(text)}'`;
    throw new SvcError("INVALID_ARGS", `The value of --set ${written} is not valid JSON.`, { cause, hint });
  }
}

/** Describes settings that clear a field, for the user. */
export function describeCleared(settings: readonly FieldSetting[]): string[] {
  return settings.filter(({ value }) => value === null)
    .map(({ written }) =>
      `--set ${written}=null clears ${written}. To set the text null, write --set '${written}="null"'.`
    );
}

/** Adds a hint to the error of a rejected value: how to write it as text. Values that look like JSON are sent as JSON. */
export function explainTypes(error: SvcError, texts: readonly string[]): SvcError {
  const settings = texts.map(parseSetting).filter((setting) => "path" in setting);
  const rejected = settings.filter(({ path, value }) => {
    const field = "." + path.map(({ name }) => name).join(".");
    const places = (error.details ?? []).map(({ erroneousInputOutputFieldInPage: page = "" }) =>
      String(page).replaceAll(/\(\w+\)/g, "")
    );
    return typeof value !== "string" && isScalar(value) && places.includes(field);
  });
  if (rejected.length === 0) return error;
  const quoted = rejected.map(({ written, value }) => `--set '${written}="${value}"'`).join(" ");
  return error.with({ hint: `If the field takes text, quote the value: ${quoted}.` });
}

/** Members to set in one place: in the content itself, in a page, or in a row. */
interface Group {
  /** The setting that began the group. */
  readonly written: string;
  /** The pages and rows that lead to the place. It is empty for the content itself. */
  readonly place: readonly Segment[];
  readonly members: JsonObject;
}

/** Groups settings by place, in order. A setting whose member a new row already has begins another new row. */
function groupByPlace(settings: readonly FieldSetting[]): Group[] {
  const groups: Group[] = [];
  for (const { written, path, value } of settings) {
    const last = path.at(-1);
    if (last?.row !== undefined) {
      if (!isJsonObject(value)) throw invalid(`--set ${written} needs a JSON object or the name of a field.`);
      groups.push({ written, place: path, members: value });
      continue;
    }
    const place = path.slice(0, -1);
    const name = last?.name ?? "";
    const open = groups.findLast((group) => JSON.stringify(group.place) === JSON.stringify(place));
    const isNext = place.some(({ row }) => row === "new") && open !== undefined && Object.hasOwn(open.members, name);
    if (open === undefined || isNext) groups.push({ written, place, members: { [name]: value } });
    else open.members[name] = value;
  }
  return groups;
}

/** Adds settings to content. Throws `INVALID_ARGS` for a row that does not follow the rows before it. */
export function setInContent(content: JsonObject, settings: readonly FieldSetting[]): JsonObject {
  const result = cloneJson(content);
  for (const { written, place, members } of groupByPlace(settings)) {
    Object.assign(findPage(result, place, written), members);
  }
  return result;
}

function findPage(page: JsonObject, [segment, ...rest]: readonly Segment[], written: string): JsonObject {
  if (segment === undefined) return page;
  const { name, row } = segment;
  const current = page[name];
  if (row === undefined) return findPage(page[name] = isJsonObject(current) ? current : {}, rest, written);
  const rows = page[name] = Array.isArray(current) ? current : [];
  const index = row === "new" ? rows.length : row;
  if (index > rows.length) {
    throw invalid(`--set ${written} leaves out rows.`, `The next row is ${name}[${rows.length}]; [+] is a new row.`);
  }
  const present = rows[index];
  return findPage(rows[index] = isJsonObject(present) ? present : {}, rest, written);
}

/** A submission of settings. */
export interface SettingsSubmission {
  /** Fields outside pages and rows. */
  readonly data: JsonObject;
  /** Changes of pages and rows. Other members and rows remain as they are. */
  readonly pageInstructions: JsonObject[];
}

/** Converts settings to a submission that changes single rows, not the whole list. */
export function toSubmission(settings: readonly FieldSetting[]): SettingsSubmission {
  const groups = groupByPlace(settings);
  return {
    data: Object.assign({}, ...groups.filter(({ place }) => place.length === 0).map(({ members }) => members)),
    pageInstructions: groups.filter(({ place }) => place.length > 0).map(toInstruction),
  };
}

function toInstruction({ written, place, members: content }: Group): JsonObject {
  const last = place.at(-1);
  const outer = place.slice(0, -1).map(({ name, row }) => {
    if (row === "new") throw invalid(`--set ${written} changes a page of a new row.`, "Pass the row as JSON: [+]={…}.");
    return row === undefined ? `.${name}` : `.${name}(${row + 1})`;
  });
  const target = [...outer, `.${last?.name}`].join("");
  if (last?.row === "new") return { instruction: "APPEND", target, content };
  return { instruction: "UPDATE", target, ...(last?.row !== undefined && { listIndex: last.row + 1 }), content };
}

function invalid(message: string, hint?: string): SvcError {
  return new SvcError("INVALID_ARGS", message, { hint });
}
