import { toIndentedJson } from "../../utils/indented_json.ts";
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";
import type { DataFormat } from "./format.ts";
import { createTooLongError } from "./too_long.ts";

type Items = AsyncIterable<JsonValue> | Iterable<JsonValue>;

/**
 * Renders an object in pieces, so that its last member can be a list that does not fit in memory. The object must not
 * contain that member yet. Together the pieces are the text that `render` returns.
 */
export async function* renderLong(
  format: Exclude<DataFormat, "table">,
  object: JsonObject,
  member: string,
  list: Items,
): AsyncGenerator<string> {
  yield* format === "yaml" ? renderYaml(object, member, list) : renderJson(format, object, member, list);
}

async function* renderJson(
  format: "json" | "compact",
  object: JsonObject,
  member: string,
  list: Items,
): AsyncGenerator<string> {
  const indent = format === "json" ? "  " : "";
  const startLine = (depth: number) => indent && "\n" + indent.repeat(depth);
  const empty = JSON.stringify({ ...object, [member]: [] }, null, indent);
  const end = "]" + startLine(0) + "}";
  yield escapeControlCharacters(empty.slice(0, -end.length));
  let count = 0;
  for await (const element of list) {
    const text = format === "json" ? toIndentedJson(element) : JSON.stringify(element);
    if (text === undefined) throw createTooLongError(format);
    yield (count++ === 0 ? "" : ",") + startLine(2) + escapeControlCharacters(text.replaceAll("\n", startLine(2)));
  }
  yield (count === 0 ? "" : startLine(1)) + end + "\n";
}

async function* renderYaml(object: JsonObject, member: string, list: Items): AsyncGenerator<string> {
  const { toYaml } = await import("./yaml.ts");
  const empty = toYaml({ ...object, [member]: [] });
  const end = " []\n";
  let count = 0;
  for await (const element of list) {
    if (count++ === 0) yield empty.slice(0, -end.length) + "\n";
    yield toYaml([element]).replace(/^(?=.)/gm, "  ");
  }
  if (count === 0) yield empty;
}
