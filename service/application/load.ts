/** Loads application definitions. */
import { SvcError } from "../../lib/errors.ts";
import { describeReadError } from "../../utils/fs/describe_error.ts";
import { decodeUtf8 } from "../../utils/text/utf8.ts";
import { compileApplication } from "./compile/compile_application.ts";
import type { Application } from "./model/application.ts";
import { parseDefinition } from "./schema/definition.ts";
import { type LocatedIssue, YamlDocument } from "./schema/yaml_document.ts";

/** Loads a definition from a YAML file. Throws INVALID_CONFIG with all issues and their places if it is wrong. */
export async function loadApplication(path: string): Promise<Application> {
  return parseApplication(await readDefinition(path), path);
}

/** Parses a definition. Error messages contain the name of the file. */
export function parseApplication(yaml: string, fileName: string): Application {
  const checked = checkApplication(yaml);
  if ("application" in checked) return checked.application;
  throw createError(fileName, checked.issues);
}

/** Reads the text of a definition. Throws `INVALID_CONFIG` if the file cannot be read. */
export async function readDefinition(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await Deno.readFile(path);
  } catch (cause) {
    const reason = describeReadError(cause);
    if (reason === undefined) throw cause;
    throw new SvcError("INVALID_CONFIG", `The application definition ${path} cannot be read: ${reason}.`, {
      cause,
      hint: "Check the path.",
    });
  }
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  throw new SvcError("INVALID_CONFIG", `The application definition ${path} is not UTF-8 text.`, {
    hint: "Save it as UTF-8.",
  });
}

/** Compiles a definition, or returns its issues in the order of the text. */
export function checkApplication(
  yaml: string,
): { readonly application: Application } | { readonly issues: LocatedIssue[] } {
  const read = YamlDocument.read(yaml);
  if ("issues" in read) return { issues: sortIssues(read.issues) };
  const parsed = parseDefinition(read.value);
  const compiled = "issues" in parsed ? parsed : compileApplication(parsed.definition);
  if ("application" in compiled) return compiled;
  return { issues: sortIssues(compiled.issues.map((issue) => read.document.locate(issue))) };
}

/** Sorts issues by their place. An issue of a value with several aliases is listed once. */
function sortIssues(issues: readonly LocatedIssue[]): LocatedIssue[] {
  const distinct = new Map(issues.map((issue) => [`${issue.line}:${issue.column} ${issue.message}`, issue]));
  return [...distinct.values()].toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function createError(fileName: string, issues: readonly LocatedIssue[]): SvcError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new SvcError("INVALID_CONFIG", `${fileName}:${first?.line}:${first?.column}: ${first?.message}${more}`, {
    details: issues.map(({ line, column, message }) => ({ line, column, message })),
    hint: "Fix the definition. docs/application.md explains the format; 'svc service schema' prints its JSON Schema.",
  });
}
