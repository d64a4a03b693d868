import type { Surface } from "../../lib/output/format.ts";
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { FieldChoice } from "../../lib/output/fields.ts";
import type { CommandContext } from "../commands/command.ts";
import { createContext, loadRenderer, wrapNotes } from "../context.ts";
import { EMPTY } from "../view/format_value.ts";

/** A list that is printed for people or for programs. */
export interface PrintedList {
  /** The result for programs. `--fields` selects from it in every format. */
  readonly result: JsonValue;
  /** The rows of the table for people. Their columns have the names of the result. */
  readonly rows: readonly JsonObject[];
  /** Sentence for people if the list is empty, or a function that finds it. */
  readonly empty: string | (() => Promise<string>);
}

/** Prints a list: as a table in the formats `view` and `table`, otherwise as the result. */
export async function printList(context: CommandContext, { result, rows, empty }: PrintedList): Promise<void> {
  const { globals, io } = context;
  if (globals.format !== "view" && globals.format !== "table") return await context.print(result);
  if (rows.length === 0) {
    const text = typeof empty === "string" ? empty : await empty();
    return (await wrapNotes([text], io)).forEach(context.note);
  }
  const table = (fields: FieldChoice | undefined) => createContext({ ...globals, format: "table", fields }, io);
  if (globals.fields !== undefined) return await table(globals.fields).print(result);
  await table(io.stdout.isTerminal() ? { names: listFilledColumns(rows) } : undefined).print([...rows]);
}

/** Renders the rows of a list as the lines of a table: the header, a line below it, and the rows. */
export async function renderRows(
  { globals }: CommandContext,
  { rows }: Pick<PrintedList, "rows">,
  surface: Surface,
): Promise<string[]> {
  if (rows.length === 0) return [];
  const fields = globals.fields ?? { names: listFilledColumns(rows) };
  const render = await loadRenderer({ ...globals, format: "table", fields });
  const { text } = await render([...rows], surface);
  return text.trimEnd().split("\n");
}

/** The columns keep their order at a terminal, so that a list always looks the same. */
function listFilledColumns(rows: readonly JsonObject[]): string[] {
  const names = [...new Set(rows.flatMap(Object.keys))];
  return names.filter((name) => rows.some(({ [name]: value }) => value !== "" && value !== EMPTY));
}
