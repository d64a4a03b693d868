/** Converts errors of a script to error records, which name a line of the script and no module of svc. */
import { type ErrorDetail, type ErrorRecord, parseErrorRecord, SvcError } from "../../../lib/errors.ts";

/** Folders of the modules of svc. They do not contain the examples, which are scripts. */
const OWN_FOLDERS = [".", "../protocol/", "../../../lib/", "../../../utils/"].map((folder) =>
  new URL(folder, import.meta.url).href
).flatMap((url) => [url, decode(url)]);

/**
 * A position at the end of a line of a stack, or in the origin of an `eval`. Stacks contain decoded paths, with spaces and
 * parentheses. A position inside a `data:` URL does not match.
 */
const POSITION = /(?<=at (?:async )?|\()(file:\/\/.*?):(\d+):(\d+)(?=\)?$|\), <anonymous>:)/;

/** Messages of Deno about imports of a file, of a URL or JSR package, and of an npm package. */
const DENIED_IMPORT = /Requires (read|import) access to "|--no-npm is specified/;

/** Message of Deno about the import of a package name without npm: or jsr:. */
const UNKNOWN_IMPORT = /Import ".*" not a dependency and not in import map/;

/** The hint of an error about an import. */
export const IMPORTABLE =
  "A script can import its own files, @svc/lib/workflow, and types. It cannot import packages, node: modules, or URLs. " +
  "Make calls with the svc that run is given.";

/** A message of Deno, followed by a flag, which a script cannot set, and by the position, which is added anyway. */
const DENO_MESSAGE = /^(.*?)(, run again with the --allow-\w+ flag)?(\n {4}at (?:async )?(?:file|data):.*\n?)?$/;

/** Prefix of the messages of errors that are not from the library. Journals contain it. */
const PREFIX = "The script failed: ";

/** Maximum number of callers that are listed. A script can write the stack of its errors. */
const MAX_CALLERS = 20;

/** A position in a script. */
type ScriptPosition = Pick<ErrorDetail, "file" | "line" | "column" | "callers">;

/** Converts a thrown value. Errors of the library keep their code; most others are `WORKFLOW_FAILED`. */
export function toErrorRecord(thrown: unknown): ErrorRecord {
  const position = findPosition(thrown);
  const details = position === undefined ? undefined : [position];
  const where = position === undefined ? "" : ` (${position.file}:${position.line})`;
  const record = thrown instanceof SvcError ? toKnownRecord(thrown) : undefined;
  if (record !== undefined) return { ...record, ...(details && { details: [...(record.details ?? []), ...details] }) };
  return {
    code: thrown instanceof Deno.errors.NotCapable || isDeniedImport(thrown) ? "PERMISSION_DENIED" : "WORKFLOW_FAILED",
    message: `${PREFIX}${describe(thrown)}${where}`,
    ...(details && { details }),
    ...getHint(thrown),
  };
}

/** Returns true if a script threw the error of a record. An error that ended the run from outside names no line. */
export function isThrown({ message, details }: ErrorRecord): boolean {
  return message.startsWith(PREFIX) || details?.at(-1)?.line !== undefined;
}

/** Returns the record of an error of the library, or undefined if the script made one with an unknown code. */
function toKnownRecord(error: SvcError): ErrorRecord | undefined {
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

/** Describes a thrown value. A script can set any member of its error to any value. */
function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `it threw ${inspect(thrown)}`;
  const { name, message: original }: { name: unknown; message: unknown } = thrown;
  const message = typeof original === "string" ? original.replace(DENO_MESSAGE, "$1") : inspect(original);
  if (typeof name !== "string") return message;
  if (message === "") return name;
  return name === "Error" ? message : `${name}: ${message}`;
}

function inspect(value: unknown): string {
  return Deno.inspect(value, { depth: 1, strAbbreviateSize: 200 });
}

/** Returns true for a denied dynamic import, for which Deno has no error class. */
function isDeniedImport(thrown: unknown): boolean {
  return thrown instanceof TypeError && DENIED_IMPORT.test(describe(thrown));
}

function getHint(thrown: unknown): { hint?: string } {
  if (thrown instanceof Deno.errors.NotCapable) {
    return { hint: "A workflow script has no permissions. It can only call the service, through svc." };
  }
  if (isDeniedImport(thrown)) {
    return { hint: "A script can import files from its own directory. Their names must be literals." };
  }
  if (thrown instanceof TypeError && UNKNOWN_IMPORT.test(describe(thrown))) return { hint: IMPORTABLE };
  if (thrown instanceof RangeError && /allocation failed|Invalid (typed )?array|memory/i.test(thrown.message)) {
    return { hint: "Raise --max-memory if the script needs that much memory." };
  }
  return {};
}

/** Finds the innermost position in the script in a stack, and those from which it was called. */
function findPosition(thrown: unknown): ScriptPosition | undefined {
  const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
  if (typeof stack !== "string") return undefined;
  const positions = stack.split("\n").flatMap((line) => {
    const [, file, row, column] = POSITION.exec(line) ?? [];
    if (file === undefined || OWN_FOLDERS.some((folder) => file.startsWith(folder))) return [];
    return [{ file: file.slice(file.lastIndexOf("/") + 1), line: Number(row), column: Number(column) }];
  });
  const lines = positions.map(({ file, line }) => `${file}:${line}`);
  // The line of an eval, and of a recursive call, follows itself.
  const callers = lines.filter((line, i) => i > 0 && line !== lines[i - 1]).slice(0, MAX_CALLERS);
  return positions[0] && { ...positions[0], ...(callers.length > 0 && { callers }) };
}

function decode(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
