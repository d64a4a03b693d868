/** The fields of a case: as its form or page shows them, or by their names if the response has neither. */
import { type FormNode, type FormQuestion, readForm } from "../../lib/forms/mod.ts";
import { isNumericColumn, toTable } from "../../lib/output/table.ts";
import { filterObjects, isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { EMPTY, formatValue, isEmptyValue, isTechnical, toLabel } from "./format_value.ts";
import type { Row, Section } from "./page.ts";

/** Options of `listFields`. */
export interface FieldOptions {
  /** Leaves out fields without a value. */
  readonly omitsEmpty?: boolean;
}

/** Lists the fields that a response with a case shows. Groups with a heading are sections of their own. */
export function listFields(
  body: JsonObject,
  content: JsonObject,
  { omitsEmpty = false }: FieldOptions = {},
): Section[] {
  const heading = "Fields";
  if (!isJsonObject(body.uiResources)) return [{ heading, rows: listContentRows(content) }];
  const { nodes } = readForm(body);
  const drawn = new Set<string>();
  const sections = toSections(heading, nodes, drawn);
  if (drawn.size === 0) return [{ heading, rows: listContentRows(content) }];
  if (!omitsEmpty) return sections;
  return sections.map(({ heading, rows }) => ({ heading, rows: rows.filter(({ value }) => value !== EMPTY) }));
}

interface FieldSection {
  readonly heading: string;
  readonly rows: Row[];
}

function toSections(heading: string, nodes: readonly FormNode[], drawn: Set<string>): FieldSection[] {
  const rows: Row[] = [];
  const groups: FieldSection[] = [];
  for (const node of nodes) {
    if (!node.isVisible) continue;
    if (node.type === "group") {
      const sections = toSections(node.label || heading, node.children, drawn);
      if (node.label === "") rows.push(...sections.shift()?.rows ?? []);
      groups.push(...sections);
    } else if (node.type === "note") {
      if (!node.isProblem) rows.push({ label: "", value: node.text });
    } else if (!drawn.has(node.path)) {
      drawn.add(node.path);
      rows.push(describe(node));
      if (node.type === "reference") groups.push(...toSections(node.label, node.details, drawn));
    }
  }
  return [{ heading, rows }, ...groups];
}

function describe(question: FormQuestion): Row {
  const { label } = question;
  switch (question.type) {
    case "field":
      return { label, value: question.text || (isEmptyValue(question.value) ? EMPTY : formatValue(question.value)) };
    case "reference":
      return { label, value: question.chosen.map(({ text }) => text).join(", ") || EMPTY };
    case "attachment":
      return { label, value: question.files.join(", ") || EMPTY };
    case "list": {
      if (question.dataView !== undefined) return { label, value: `Rows of ${question.dataView}` };
      const { rows, columns } = question;
      if (rows.length === 0) return { label, value: EMPTY };
      if (columns.length === 0) return { label, value: pluralize(rows.length, "row") };
      const cells = rows.map((row) => Object.fromEntries(columns.map(({ label }, i) => [label, row.cells[i] ?? ""])));
      return {
        label,
        lines: renderTable(cells, columns.filter(({ isNumeric }) => isNumeric).map(({ label }) => label)),
      };
    }
  }
}

/** Lists the fields that a response about a record shows. Returns nothing for a page without fields of its own. */
export function listRecordFields(body: JsonObject): Section[] {
  const { shown, content } = readForm(body);
  const hasFields = shown.some((question) => question.type !== "list" || question.dataView === undefined);
  return hasFields ? listFields(body, content) : [];
}

/** Lists the content that is not empty. The names of its properties are its labels. */
function listContentRows(content: JsonObject, page?: string): Row[] {
  return Object.keys(content).filter((name) => !isTechnical(name) && !isEmptyValue(content[name]))
    .flatMap((name) => describeValue(page === undefined ? toLabel(name) : `${page}: ${toLabel(name)}`, content[name]));
}

function describeValue(label: string, value: JsonValue | undefined): Row[] {
  if (isJsonObject(value) && !hasName(value)) return listContentRows(value, label);
  const rows = filterObjects(value);
  if (rows.length === 0) return [{ label, value: formatValue(value) }];
  const names = [...new Set(rows.flatMap(Object.keys))].filter((name) => !isTechnical(name));
  const cells = rows.map((row) => Object.fromEntries(names.map((name) => [toLabel(name), formatValue(row[name])])));
  const numeric = names.filter((name) => isNumericColumn(rows.map((row) => row[name]))).map(toLabel);
  return [{ label, lines: renderTable(cells, numeric) }];
}

/** An object with a name of its own, such as an attachment, is a value. Others are shown by their members. */
function hasName(value: JsonObject): boolean {
  return Object.keys(value).some((member) => /^(?:ID|id|name|pyLabel|fileName)$/.test(member));
}

function renderTable(cells: readonly JsonObject[], numeric: readonly string[]): string[] {
  const table = toTable([...cells], { color: false }, { numeric });
  return "text" in table ? table.text.trimEnd().split("\n") : [];
}
