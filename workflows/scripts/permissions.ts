/** Which operations a run may call: names (`cases.create`), patterns (`assignments.*`, `*`), and who grants them. */
import { permissionName } from "../../lib/operation/names.ts";
import type { OperationRef } from "../../lib/operation/operation.ts";
import { SvcError } from "../../lib/errors.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";

/** All operations by permission name. */
export type Operations = ReadonlyMap<string, OperationRef>;

/** The operations that a run may call, by permission name. */
export type Grants = ReadonlySet<string>;

/** Asks a person whether a workflow may call what it asks for. */
export type Ask = (workflow: string, asked: readonly string[]) => Promise<boolean>;

/** How it is decided what a run may call. */
export interface GrantOptions {
  /** Names and patterns that the user grants: `--allow`. */
  readonly allow?: readonly string[];
  /** Grants what the script asks for: `--allow-declared`. */
  readonly allowDeclared?: boolean;
  /** Asks a person, where there is one and neither of the others is given. */
  readonly ask?: Ask;
}

/** All operations by their permission names. */
export async function loadOperations(): Promise<Operations> {
  const operations = new Map<string, OperationRef>();
  for (const [group, members] of Object.entries(await loadResources())) {
    for (const [member, operation] of Object.entries(members)) {
      const name = permissionName(group, member);
      operations.set(name, { name, operation });
    }
  }
  return operations;
}

/** The operations that patterns name; `INVALID_ARGS` for a pattern that names none. */
function expandPatterns(patterns: readonly string[], operations: Operations): Grants {
  return new Set(patterns.flatMap((pattern) => {
    const names = [...operations.keys()].filter((name) => matches(name, pattern));
    if (names.length > 0) return names;
    throw new SvcError("INVALID_ARGS", `${JSON.stringify(pattern)} names no operation.`, {
      hint: `${suggestion(pattern, operations)}Write names such as cases.create, or patterns such as assignments.*.`,
    });
  }));
}

/** Decides what a workflow may call. Nothing is granted because a script asks. */
export async function decideGrants(
  workflow: string,
  asked: readonly string[],
  operations: Operations,
  { allow, allowDeclared, ask }: GrantOptions,
): Promise<Grants> {
  const granted = expandPatterns(allow ?? [], operations);
  const declared = expandDeclared(asked, operations);
  if (allowDeclared) return granted.union(declared);
  if (allow !== undefined || asked.length === 0) return granted;
  const widest = withoutCovered(asked);
  if (await ask?.(workflow, widest)) return declared;
  throw new SvcError(
    "PERMISSION_DENIED",
    `The workflow ${workflow} asks for ${widest.join(", ")}; nothing was granted.`,
    {
      hint: `Grant it with --allow ${shellQuote(widest.join(","))}, or all that it asks for with --allow-declared.`,
    },
  );
}

/** Names and patterns without those that a wider one names, too: in a long list nobody would see that. */
function withoutCovered(patterns: readonly string[]): string[] {
  const distinct = [...new Set(patterns)];
  return distinct.filter((one) => !distinct.some((other) => other !== one && matches(one, other)));
}

/** The operation that a script calls, if there is one. */
export function findOperation(name: string, operations: Operations): OperationRef {
  const operation = operations.get(name);
  if (operation !== undefined) return operation;
  const asked = name.slice(0, 100);
  throw new SvcError("INVALID_ARGS", `There is no operation ${JSON.stringify(asked)}.`, {
    hint: `${didYouMean(asked, [...operations.keys()], (one) => one)}See 'svc --help' for what there is.`,
  });
}

/** The operation that a script calls, if it was granted. */
export function grantedOperation(name: string, operations: Operations, grants: Grants): OperationRef {
  const operation = findOperation(name, operations);
  if (grants.has(name)) return operation;
  throw new SvcError("PERMISSION_DENIED", `The workflow may not call ${name}.`, {
    operation: name,
    hint: `Grant it with --allow ${name}.`,
  });
}

function expandDeclared(asked: readonly string[], operations: Operations): Grants {
  try {
    return expandPatterns(asked, operations);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError("WORKFLOW_FAILED", `The script's allow: ${error.message}`, { hint: error.hint, cause: error });
  }
}

function matches(name: string, pattern: string): boolean {
  if (pattern === "*" || pattern === name) return true;
  return pattern.endsWith(".*") && name.startsWith(pattern.slice(0, -1));
}

function suggestion(pattern: string, operations: Operations): string {
  const groups = new Set([...operations.keys()].map((name) => name.slice(0, name.indexOf("."))));
  const candidates = [...operations.keys(), ...[...groups].map((group) => `${group}.*`)];
  return didYouMean(pattern, candidates, (name) => name);
}
