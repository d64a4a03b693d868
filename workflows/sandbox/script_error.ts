/** What a script threw, as an error record that names the script's line and nothing of ours. */
import { type ErrorRecord, SvcError } from "../../lib/errors.ts";

/** Our own modules are no part of the script; scripts that lie inside the library's folder (its examples) are. */
const OURS = [".", "../../lib/"].map((folder) => new URL(folder, import.meta.url).href).flatMap((
  url,
) => [url, decoded(url)]);

/**
 * At the end of a line of a stack, or where such a line says what called `eval`. Stacks have files as they are called,
 * with spaces and parentheses, and not as addresses spell them.
 */
const POSITION = /(file:\/\/.*?):(\d+):(\d+)(?=\)?$|\), <anonymous>:)/;

/** The record of what a script threw. Errors of the library keep their code; all others are `WORKFLOW_FAILED`. */
export function recordOf(thrown: unknown): ErrorRecord {
  const position = positionOf(thrown);
  const details = position === undefined ? undefined : [position];
  const where = position === undefined ? "" : ` (${position.file}:${position.line})`;
  if (thrown instanceof SvcError) {
    const record = thrown.toJSON();
    return { ...record, ...(details && { details: [...(record.details ?? []), ...details] }) };
  }
  return {
    code: thrown instanceof Deno.errors.NotCapable ? "PERMISSION_DENIED" : "WORKFLOW_FAILED",
    message: `The script failed: ${messageOf(thrown)}${where}`,
    ...(details && { details }),
    ...hintFor(thrown),
  };
}

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `it threw ${Deno.inspect(thrown, { depth: 1, strAbbreviateSize: 200 })}`;
  const message = thrown.message.replace(/, run again with the --allow-\w+ flag$/, "");
  return thrown.name === "Error" ? message : `${thrown.name}: ${message}`;
}

function hintFor(thrown: unknown): { hint?: string } {
  if (thrown instanceof Deno.errors.NotCapable) {
    return { hint: "A workflow script has no permission of its own: it reaches the service through svc alone." };
  }
  if (thrown instanceof RangeError && /allocation failed|Invalid (typed )?array|memory/i.test(thrown.message)) {
    return { hint: "If the script needs that much memory, raise --max-memory." };
  }
  return {};
}

/** The innermost line of the script in the stack. */
function positionOf(thrown: unknown): { file: string; line: number; column: number } | undefined {
  if (!(thrown instanceof Error)) return undefined;
  for (const line of (thrown.stack ?? "").split("\n")) {
    const [, file, row, column] = POSITION.exec(line) ?? [];
    if (file === undefined || OURS.some((folder) => file.startsWith(folder))) continue;
    return { file: file.slice(file.lastIndexOf("/") + 1), line: Number(row), column: Number(column) };
  }
  return undefined;
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
