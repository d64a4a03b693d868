/** What a script threw, as an error record that names the script's line and nothing of ours. */
import { type ErrorRecord, parseErrorRecord, SvcError } from "../../../lib/errors.ts";

/** Our own modules are no part of the script; scripts that lie inside the library's folder (its examples) are. */
const OURS = [".", "../protocol/", "../../../lib/", "../../../utils/"].map((folder) =>
  new URL(folder, import.meta.url).href
).flatMap((
  url,
) => [url, decoded(url)]);

/**
 * At the end of a line of a stack, or where such a line says what called `eval`. Stacks have files as they are called,
 * with spaces and parentheses, and not as addresses spell them. What a module of `data:` names is no place in the stack.
 */
const POSITION = /(?<=at (?:async )?|\()(file:\/\/.*?):(\d+):(\d+)(?=\)?$|\), <anonymous>:)/;

/** What Deno says of a file, of an address or a package of JSR, and of a package of npm. */
const REFUSED_IMPORT = /Requires (read|import) access to "|--no-npm is specified/;

/** What Deno says of the name of a package, without npm: or jsr: before it. */
const UNKNOWN_IMPORT = /Import ".*" not a dependency and not in import map/;

/** What is said where a script imports something else. */
export const IMPORTABLE =
  "A script may import its own files, @svc/lib/workflow, and types: no package, no node: module, nothing of the network. " +
  "It makes its calls with the svc that run is given.";

/** A message of Deno, a flag that nobody can give, and where it was thrown, which is told anyway. */
const DENO_MESSAGE = /^(.*?)(, run again with the --allow-\w+ flag)?(\n {4}at (?:async )?(?:file|data):.*\n?)?$/;

/** What the message of an error begins with that the script made without the library. */
const FAILED = "The script failed: ";

/** The record of what a script threw. Errors of the library keep their code; all others are `WORKFLOW_FAILED`. */
export function recordOf(thrown: unknown): ErrorRecord {
  const position = positionOf(thrown);
  const details = position === undefined ? undefined : [position];
  const where = position === undefined ? "" : ` (${position.file}:${position.line})`;
  const record = thrown instanceof SvcError ? knownRecord(thrown) : undefined;
  if (record !== undefined) return { ...record, ...(details && { details: [...(record.details ?? []), ...details] }) };
  return {
    code: thrown instanceof Deno.errors.NotCapable || isRefusedImport(thrown) ? "PERMISSION_DENIED" : "WORKFLOW_FAILED",
    message: `${FAILED}${messageOf(thrown)}${where}`,
    ...(details && { details }),
    ...hintFor(thrown),
  };
}

/** Whether a record is of what a script threw: one whose run was ended for it names no line. */
export function isThrown({ message, details }: ErrorRecord): boolean {
  return message.startsWith(FAILED) || details?.at(-1)?.line !== undefined;
}

/** What an error of the library says; undefined where the script made one of a code that there is not. */
function knownRecord(error: SvcError): ErrorRecord | undefined {
  const members = Object.entries(error.toJSON()).filter(([, value]) => isJson(value));
  return parseErrorRecord(Object.fromEntries(members))?.toJSON();
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/** A script may have made any member of its error anything. */
function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `it threw ${shown(thrown)}`;
  const { name, message: said }: { name: unknown; message: unknown } = thrown;
  const message = typeof said === "string" ? said.replace(DENO_MESSAGE, "$1") : shown(said);
  if (typeof name !== "string") return message;
  if (message === "") return name;
  return name === "Error" ? message : `${name}: ${message}`;
}

function shown(value: unknown): string {
  return Deno.inspect(value, { depth: 1, strAbbreviateSize: 200 });
}

/** Whether the script was refused a module that it named only as it ran: Deno has no class of its own for that. */
function isRefusedImport(thrown: unknown): boolean {
  return thrown instanceof TypeError && REFUSED_IMPORT.test(messageOf(thrown));
}

function hintFor(thrown: unknown): { hint?: string } {
  if (thrown instanceof Deno.errors.NotCapable) {
    return { hint: "A workflow script has no permission of its own: it reaches the service through svc alone." };
  }
  if (isRefusedImport(thrown)) {
    return { hint: "A script may import files of its own folder, under names that are written out, not computed." };
  }
  if (thrown instanceof TypeError && UNKNOWN_IMPORT.test(messageOf(thrown))) return { hint: IMPORTABLE };
  if (thrown instanceof RangeError && /allocation failed|Invalid (typed )?array|memory/i.test(thrown.message)) {
    return { hint: "If the script needs that much memory, raise --max-memory." };
  }
  return {};
}

/** The innermost line of the script in the stack. */
function positionOf(thrown: unknown): { file: string; line: number; column: number } | undefined {
  const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
  if (typeof stack !== "string") return undefined;
  for (const line of stack.split("\n")) {
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
