import { parseJsonObject } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { ValueCollector } from "./collect_values.ts";
import { addValues } from "./value_cache.ts";

/** Keeps the values that a command has read for completion. A failure has no effect on the command. */
export function rememberValues(context: CommandContext): void {
  try {
    const collector = new ValueCollector();
    for (const { path, text } of context.responses) {
      const body = parseJsonObject(text);
      if (body !== undefined) collector.collect({ path, body });
    }
    if (collector.values.size > 0) addValues(context.globals, collector);
  } catch {
    // The command is done. Completion works without the values, for example in a read-only directory.
  }
}
