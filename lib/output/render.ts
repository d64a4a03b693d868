/** A result as text: the fields that were asked for, in the format that was asked for. */
import { SvcError } from "../errors.ts";
import { isStackOverflow, type JsonValue } from "../../utils/json.ts";
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";
import type { Format } from "./format.ts";

/** How a result is wanted. */
export interface RenderOptions {
  /** Format. */
  readonly format: Format;
  /** Top-level fields to keep, in this order; undefined keeps all. */
  readonly fields?: readonly string[];
}

/** Where the text will be read. */
export interface Surface {
  /** Width of the terminal in columns; undefined in a pipe or a file. */
  readonly columns?: number;
  /** Whether colour is wanted. */
  readonly color: boolean;
}

/** Text for stdout, and what a person should know of it. */
export interface Rendered {
  /** The text, with the end of its last line. */
  readonly text: string;
  /** Remarks, a line each. */
  readonly notes: readonly string[];
}

/** A result as text. No control character of it is left raw, in any format. */
export async function render(
  result: JsonValue,
  options: RenderOptions,
  surface: Surface,
): Promise<Rendered> {
  const { fields } = options;
  if (fields === undefined) return await renderAs(options, result, surface);
  const { keepFields } = await import("./fields.ts");
  const kept = keepFields(result, fields);
  const { text, notes } = await renderAs(options, kept.value, surface);
  return { text, notes: [...kept.notes, ...notes] };
}

/** The depth that an answer may have is that of the stack; the format that indents nothing needs none. */
async function renderAs(options: RenderOptions, value: JsonValue, surface: Surface): Promise<Rendered> {
  try {
    return await renderIn(options, value, surface);
  } catch (cause) {
    if (!isStackOverflow(cause)) throw cause;
    throw new SvcError("INVALID_RESPONSE", `The answer is nested too deep to be printed as ${options.format}.`, {
      cause,
      hint: "--format compact prints it.",
    });
  }
}

async function renderIn({ format, fields }: RenderOptions, value: JsonValue, surface: Surface): Promise<Rendered> {
  switch (format) {
    case "json":
      return { text: json(value), notes: [] };
    case "compact":
      return { text: escapeControlCharacters(JSON.stringify(value)) + "\n", notes: [] };
    case "yaml": {
      const { toYaml } = await import("./yaml.ts");
      return { text: toYaml(value), notes: [] };
    }
    case "table": {
      const { toTable } = await import("./table.ts");
      const table = toTable(value, surface, fields);
      return "unfit" in table ? { text: json(value), notes: [`Printed as JSON: ${table.unfit}.`] } : table;
    }
  }
}

function json(value: JsonValue): string {
  return escapeControlCharacters(JSON.stringify(value, null, 2)) + "\n";
}
