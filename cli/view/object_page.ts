/** Pages of results that are not cases: tables for lists, and labelled values for other objects. */
import type { Selection } from "../../lib/output/fields.ts";
import type { Rendered, Surface } from "../../lib/output/format.ts";
import { toTable } from "../../lib/output/table.ts";
import { isJsonObject, isObjectList, type JsonObject, type JsonValue, type Rows } from "../../utils/json.ts";
import { formatValue, isEmptyValue, isTechnical, toLabel } from "./format_value.ts";
import { layOutPage, type Row, type Section } from "./page.ts";

/** Builds the page of a list: a table, or one section per element if they cannot be shown as a table. */
export function buildListPage(
  { rows, member }: Rows,
  value: JsonValue,
  surface: Surface,
  selection: Selection | undefined,
): Rendered {
  if (rows.length === 0) return { text: member === undefined ? "None.\n" : `${toLabel(member)}: none.\n`, notes: [] };
  const shown = selection === undefined ? rows.map(omitTechnical) : rows;
  const table = toTable(selection === undefined ? [...shown] : value, surface, { selection, formatCell: formatValue });
  const hasMore = isJsonObject(value) && value.hasMoreResults === true;
  const notes = hasMore && selection === undefined ? ["More results follow."] : [];
  if ("text" in table) return { text: table.text, notes: [...notes, ...table.notes] };
  return { text: layOutPage(shown.flatMap(buildObjectPage), surface), notes };
}

/** Builds the page of an object: its values, then a section for each object and list in it. */
export function buildObjectPage(object: JsonObject): Section[] {
  const members = Object.entries(object).filter(([name]) => name !== "links");
  const plain = members.filter(([, value]) => !isSection(value));
  const sections = members.filter(([, value]) => isSection(value)).flatMap(([name, value]): Section[] => {
    const heading = toLabel(name);
    if (isObjectList(value)) return [{ heading, rows: listElements(value) }];
    return [{ heading, rows: isJsonObject(value) ? listMembers(value) : [] }];
  });
  return [{ rows: plain.map(([name, value]) => ({ label: toLabel(name), value: formatValue(value) })) }, ...sections];
}

/** Omits what only programs need: links, the entity tag, and the ID if it is there twice. */
export function omitTechnical(object: JsonObject): JsonObject {
  const hasTwoIds = object.ID !== undefined && object.ID === object.id;
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => name !== "links" && name !== "etag" && !(hasTwoIds && name === "id")),
  );
}

function isSection(value: JsonValue | undefined): boolean {
  return !isEmptyValue(value) && (isJsonObject(value) || isObjectList(value));
}

function listMembers(object: JsonObject): Row[] {
  return Object.entries(object).filter(([name]) => !isTechnical(name))
    .map(([name, value]) => ({ label: toLabel(name), value: formatValue(value) }));
}

function listElements(list: readonly JsonObject[]): Row[] {
  const table = toTable([...list], { color: false }, { formatCell: formatValue });
  if ("text" in table) return [{ label: "", lines: table.text.trimEnd().split("\n") }];
  return list.flatMap(listMembers);
}
