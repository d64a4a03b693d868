import { SvcError } from "../errors.ts";
import { isStackOverflow, type JsonValue } from "../../utils/json.ts";
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";
import type { Format, Rendered, Surface } from "./format.ts";

/** Options of `render`. */
export interface RenderOptions {
  /** Format. */
  readonly format: Format;
  /** Top-level fields to print, in this order. Default: all. */
  readonly fields?: readonly string[];
}

/** Renders a result as text. Control characters are escaped in every format. */
export async function render(
  result: JsonValue,
  options: RenderOptions,
  surface: Surface,
): Promise<Rendered> {
  const { fields } = options;
  if (fields === undefined) return await renderNested(options, result, surface);
  const { selectFields } = await import("./fields.ts");
  const selection = selectFields(result, fields);
  const { text, notes } = await renderNested(options, selection.value, surface);
  return { text, notes: [...selection.notes, ...notes] };
}

/** Explains a stack overflow, which very deeply nested results cause in all formats that indent. */
async function renderNested(options: RenderOptions, value: JsonValue, surface: Surface): Promise<Rendered> {
  try {
    return await renderFormat(options, value, surface);
  } catch (cause) {
    if (!isStackOverflow(cause)) throw cause;
    throw new SvcError("INVALID_RESPONSE", `The response is nested too deeply to be printed as ${options.format}.`, {
      cause,
      hint: "Use --format compact.",
    });
  }
}

async function renderFormat({ format, fields }: RenderOptions, value: JsonValue, surface: Surface): Promise<Rendered> {
  switch (format) {
    case "json":
      return { text: toJson(value), notes: [] };
    case "compact":
      return { text: escapeControlCharacters(JSON.stringify(value)) + "\n", notes: [] };
    case "yaml": {
      const { toYaml } = await import("./yaml.ts");
      return { text: toYaml(value), notes: [] };
    }
    case "table": {
      const { toTable } = await import("./table.ts");
      const table = toTable(value, surface, fields);
      if ("text" in table) return table;
      return { text: toJson(value), notes: [`Printed as JSON: ${table.obstacle}.`] };
    }
  }
}

function toJson(value: JsonValue): string {
  return escapeControlCharacters(JSON.stringify(value, null, 2)) + "\n";
}
