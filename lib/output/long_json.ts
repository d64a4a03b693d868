/** JSON that may be longer than memory: an object whose last member is a list, piece by piece. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";

/** What `render` would print of the object with that list as its last member; it must not have the member yet. */
export function* longJson(
  format: "json" | "compact",
  object: JsonObject,
  member: string,
  list: Iterable<JsonValue>,
): Generator<string> {
  const indent = format === "json" ? "  " : "";
  const line = (depth: number) => indent && "\n" + indent.repeat(depth);
  const empty = JSON.stringify({ ...object, [member]: [] }, null, indent);
  const end = "]" + line(0) + "}";
  yield escapeControlCharacters(empty.slice(0, -end.length));
  let count = 0;
  for (const element of list) {
    const text = JSON.stringify(element, null, indent).replaceAll("\n", line(2));
    yield (count++ === 0 ? "" : ",") + line(2) + escapeControlCharacters(text);
  }
  yield (count === 0 ? "" : line(1)) + end + "\n";
}
