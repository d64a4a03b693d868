import { toIndentedJson } from "../../utils/indented_json.ts";
import type { JsonValue } from "../../utils/json.ts";
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";
import type { FieldChoice, Selection } from "./fields.ts";
import type { DataFormat, Rendered, Surface } from "./format.ts";
import type { TableOptions } from "./table.ts";
import { createTooLongError } from "./too_long.ts";

/** Options of `render`. */
export interface RenderOptions {
  /** Format. */
  readonly format: DataFormat;
  /** Fields to print. Default: all. */
  readonly fields?: FieldChoice;
  /** Formats the cells of a table. Default: as JSON has the values. */
  readonly formatCell?: TableOptions["formatCell"];
}

/** Renders a result as text. Control characters are escaped in every format. */
export async function render(
  result: JsonValue,
  options: RenderOptions,
  surface: Surface,
): Promise<Rendered> {
  if (options.fields === undefined) return await renderFormat(options, result, surface);
  const { selectFields } = await import("./fields.ts");
  const selection = selectFields(result, options.fields);
  const { text, notes } = await renderFormat(options, selection.value, surface, selection);
  return { text, notes: [...selection.notes, ...notes] };
}

async function renderFormat(
  { format, formatCell }: RenderOptions,
  value: JsonValue,
  surface: Surface,
  selection?: Selection,
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
      const table = toTable(value, surface, { selection, formatCell });
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
