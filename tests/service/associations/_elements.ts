/** Commands that answer what became of each of several elements. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import type { Live } from "../../harness/service.ts";
import { valueAt } from "../../harness/service_engine.ts";
import { parseErrorRecord } from "../../harness/svc.ts";

/** The elements that a command line answers when some of them fail: they are its error's details too. */
export async function failedElements(live: Live, line: string): Promise<JsonObject[]> {
  const result = await live.run(line);
  assert.equal(result.code, 1, `svc ${line}`);
  const elements: JsonValue = JSON.parse(result.stdout);
  assert.ok(Array.isArray(elements) && elements.every(isJsonObject));
  const { code, status, details } = parseErrorRecord(result);
  const failed = elements.filter((element) => Number(element.status) >= 400);
  assert.deepEqual([code, status, details], ["BULK_PARTIAL_FAILURE", 207, failed]);
  return elements;
}

/** Returns the reason why an element failed. */
export function reasonOf(element: JsonObject | undefined): JsonValue | undefined {
  return valueAt(element, "errorDetails.0.localizedValue");
}

/** Returns the IDs and statuses of elements. */
export function statusesOf(elements: JsonValue | undefined): (JsonValue | undefined)[][] {
  assert.ok(Array.isArray(elements));
  return elements.map((element) => [valueAt(element, "ID"), valueAt(element, "status")]);
}
