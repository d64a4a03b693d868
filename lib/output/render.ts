import { toIndentedJson } from "../../utils/indented_json.ts";
import { findRows, type JsonValue, type Rows } from "../../utils/json.ts";
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";
import type { DataFormat, Rendered, Surface } from "./format.ts";
import type { TableOptions } from "./table.ts";
import { createTooLongError } from "./too_long.ts";

/** Options of `render`. */
export interface RenderOptions {
  /** Format. */
  readonly format: DataFormat;
  /** Top-level fields to print, in this order. Default: all. */
  readonly fields?: readonly string[];
  /** Formats the cells of a table. Default: as JSON has the values. */
  readonly formatCell?: TableOptions["formatCell"];
}

/** Renders a result as text. Control characters are escaped in every format. */
export async function render(
  result: JsonValue,
  options: RenderOptions,
  surface: Surface,
): Promise<Rendered> {
  const { fields } = options;
  if (fields === undefined) return await renderFormat(options, result, surface);
  const { selectFields } = await import("./fields.ts");
  const selection = selectFields(result, fields, await findRowsOf(options.format, result));
  const { text, notes } = await renderFormat(options, selection.value, surface);
  return { text, notes: [...selection.notes, ...notes] };
}

/** In a table, `--fields` can name the fields of its rows, also if the list is not the only member of the response. */
async function findRowsOf(format: DataFormat, result: JsonValue): Promise<Rows | undefined> {
  return format === "table" ? (await import("./table.ts")).findTableRows(result) : findRows(result);
}

async function renderFormat(
  { format, fields, formatCell }: RenderOptions,
  value: JsonValue,
  surface: Surface,
): Promise<Rendered> {
  switch (format) {
    case "json": {
      const text = toJson(value);
      if (!surface.color) return { text, notes: [] };
      const { colorJson } = await import("./color_json.ts");
      return { text: colorJson(text), notes: [] };
    }
    case "compact":
      return { text: escapeControlCharacters(JSON.stringify(value)) + "\n", notes: [] };
    case "yaml": {
      const { toYaml } = await import("./yaml.ts");
      return { text: toYaml(value), notes: [] };
    }
    case "table": {
      const { toTable } = await import("./table.ts");
      const table = toTable(value, surface, { fields, formatCell });
      if ("text" in table) return table;
      return { text: toJson(value), notes: [`Printed as JSON: ${table.obstacle}.${table.advice ?? ""}`] };
    }
  }
}

function toJson(value: JsonValue): string {
  const text = toIndentedJson(value);
  if (text === undefined) throw createTooLongError("json");
  return escapeControlCharacters(text) + "\n";
}
