/** Reads an application definition from YAML, or says what is wrong with it and on which line. */
import { type ErrorCode, LineCounter, parseDocument, type YAMLError } from "yaml";
import { SvcError } from "../../lib/errors.ts";
import { describeReadError } from "../../utils/fs/describe_error.ts";
import { decodeUtf8 } from "../../utils/text/utf8.ts";
import { valuesOf } from "./aliases.ts";
import type { Application } from "./model/application.ts";
import { checkDefinition } from "./check.ts";
import { positionOf } from "./positions.ts";

const HINT =
  "Correct the definition. docs/application.md explains the format; `svc service schema` prints its JSON Schema.";

/** Reads a definition from a file. */
export async function loadApplication(path: string): Promise<Application> {
  let bytes: Uint8Array;
  try {
    bytes = await Deno.readFile(path);
  } catch (cause) {
    const fault = describeReadError(cause);
    if (fault === undefined) throw cause;
    throw new SvcError("INVALID_CONFIG", `The application definition ${path} cannot be read: ${fault}.`, {
      cause,
      hint: "Check the path.",
    });
  }
  const text = decodeUtf8(bytes);
  if (text !== undefined) return parseApplication(text, path);
  throw new SvcError("INVALID_CONFIG", `The application definition ${path} is not UTF-8 text.`, {
    hint: "Save it as UTF-8.",
  });
}

/** Reads a definition from YAML text; the file's name is for the messages. */
export function parseApplication(text: string, fileName: string): Application {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const refuse = (found: readonly { line: number; column: number; message: string }[]): never => {
    const [first] = found;
    const more = found.length > 1 ? ` (and ${found.length - 1} more)` : "";
    throw new SvcError("INVALID_CONFIG", `${fileName}:${first?.line}:${first?.column}: ${first?.message}${more}`, {
      details: found.map(({ line, column, message }) => ({ line, column, message })),
      hint: HINT,
    });
  };
  const faults = independent([...document.errors, ...document.warnings]);
  if (faults.length > 0) refuse(faults.map((fault) => ({ ...place(lines, fault.pos[0]), message: inWords(fault) })));
  const { application, findings } = checkDefinition(valuesOf(document, (unreadable) => {
    return refuse(unreadable.map(({ offset, message }) => ({ ...place(lines, offset), message })));
  }));
  if (application !== undefined) return application;
  const found = findings.map((finding) => ({
    ...place(lines, positionOf(document, finding)),
    message: finding.message,
  }));
  return refuse(found.sort((a, b) => a.line - b.line || a.column - b.column));
}

/** What to do about those that people make most; the parser's words are about how YAML is read. */
const REMEDIES: { readonly [Code in ErrorCode]?: string } = {
  BLOCK_AS_IMPLICIT_KEY: ": indent it as the lines around, and quote a text with ': ' in it",
  MULTILINE_IMPLICIT_KEY: ": a name ends with ':' and a space",
  TAG_RESOLVE_FAILED: ": quote a text that begins with '!'",
};

function inWords({ code, message }: YAMLError): string {
  return message + (REMEDIES[code] ?? "");
}

/** The errors up to the first that has the parser misread the rest: what it finds there is wrong only for that. */
function independent(errors: readonly YAMLError[]): YAMLError[] {
  const inOrder = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const first = inOrder.findIndex(({ code }) => code !== "DUPLICATE_KEY" && code !== "TAG_RESOLVE_FAILED");
  return first === -1 ? inOrder : inOrder.slice(0, first + 1);
}

function place(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}
