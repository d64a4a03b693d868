import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { createContext } from "../context.ts";

/** A list that is printed for people or for programs. */
export interface PrintedList {
  /** The result for programs. */
  readonly result: JsonValue;
  /** The rows of the table for people. */
  readonly rows: readonly JsonObject[];
  /** Sentence for people if the list is empty. */
  readonly empty: string;
}

/** Prints a list: as a table at a terminal and with `--format table`, otherwise as the result. */
export async function printList(context: CommandContext, { result, rows, empty }: PrintedList): Promise<void> {
  const { globals, io } = context;
  if (!isForPeople(context) && globals.format !== "table") return await context.print(result);
  if (rows.length === 0) return context.note(empty);
  await createContext({ ...globals, format: "table" }, io).print([...rows]);
}

/** Reports whether a result is printed for people: at a terminal, unless a format or fields are requested. */
export function isForPeople({ globals, io }: CommandContext): boolean {
  return io.stdout.isTerminal() && !globals.isDataRequested;
}
