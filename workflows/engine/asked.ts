/** What a script asks for, as a text that says whether it asks for the same again. */
import { isJsonObject, type JsonObject, parseJsonObject } from "../../utils/json.ts";
import { sha256 } from "../../utils/text/sha256.ts";
import type { CallRequest } from "../sandbox/protocol/messages.ts";

/** Operation and values of a call; of a file its name, type, size and digest. */
export async function asked({ operation, values }: CallRequest): Promise<string> {
  const files = Object.entries(values).filter((entry): entry is [string, Blob] => entry[1] instanceof Blob);
  if (files.length === 0) return JSON.stringify({ operation, values });
  const digests = await Promise.all(files.map(async ([name, file]) => [name, await describe(file)]));
  return JSON.stringify({ operation, values: { ...values, ...Object.fromEntries(digests) } });
}

/** What such a text asks for. */
export function readAsked(text: string): { readonly operation: string; readonly values: JsonObject } {
  const { operation, values }: JsonObject = parseJsonObject(text) ?? {};
  return { operation: String(operation), values: isJsonObject(values) ? values : {} };
}

async function describe(file: Blob): Promise<Record<string, unknown>> {
  const digest = await sha256(await file.arrayBuffer());
  return {
    name: file instanceof File ? file.name : undefined,
    type: file.type,
    size: file.size,
    sha256: digest.toHex(),
  };
}
