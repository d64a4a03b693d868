import { isJsonObject, isNonEmptyString, type JsonObject, parseJsonObject } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { ValueCollector } from "./collect_values.ts";
import { addValues, nameList } from "./value_cache.ts";

/** Keeps the values that a command has read for completion. A failure has no effect on the command. */
export async function rememberValues(context: CommandContext): Promise<void> {
  try {
    const collector = new ValueCollector();
    for (const { path, text } of context.responses) {
      const body = parseJsonObject(text);
      if (body === undefined) continue;
      collector.collect({ path, body });
      if (isJsonObject(body.uiResources)) await collectFormFields(collector, body);
    }
    if (collector.values.size > 0) addValues(context.globals, collector);
  } catch {
    // The command is done. Completion works without the values, for example in a read-only directory.
  }
}

async function collectFormFields(collector: ValueCollector, body: JsonObject): Promise<void> {
  const info = isJsonObject(body.data) ? body.data.caseInfo : undefined;
  if (!isJsonObject(info) || !isNonEmptyString(info.caseTypeID)) return;
  const { listFormFields } = await import("./list_form_fields.ts");
  const list = nameList("fields", info.caseTypeID);
  for (const [name, label] of listFormFields(body)) collector.add(list, name, label);
}
