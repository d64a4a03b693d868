import { type OperationRef, permissionName } from "../../lib/operation/operation.ts";
import { SvcError } from "../../lib/errors.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";

/** All operations by permission name. */
export type Operations = ReadonlyMap<string, OperationRef>;

/** The operations that a run may call, by permission name. */
export type Grants = ReadonlySet<string>;

/** Asks the user whether a workflow may call the operations that it requests. */
export type Ask = (workflow: string, requested: readonly string[]) => Promise<boolean>;

/** Grants of a run. */
export interface GrantOptions {
  /** Operations to grant: names such as `cases.create`, patterns such as `assignments.*`, or `*`. */
  readonly allow?: readonly string[];
  /** True grants every operation that the script requests. */
  readonly allowDeclared?: boolean;
  /** Asks the user if neither of the other options is set. */
  readonly ask?: Ask;
}

/** Loads all operations by permission name. */
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

/** Returns the operations that match patterns. Throws `INVALID_ARGS` if a pattern matches no operation. */
export function expandPatterns(patterns: readonly string[], operations: Operations): Grants {
  return new Set(patterns.flatMap((pattern) => {
    const names = [...operations.keys()].filter((name) => matches(name, pattern));
    if (names.length > 0) return names;
    throw new SvcError("INVALID_ARGS", `${JSON.stringify(pattern)} matches no operation.`, {
      hint: `${suggestPattern(pattern, operations)}Use names such as cases.create, or patterns such as assignments.*.`,
    });
  }));
}

/** Decides which operations a workflow may call. A request of the script alone grants nothing. */
export async function decideGrants(
  workflow: string,
  requested: readonly string[],
  operations: Operations,
  { allow, allowDeclared, ask }: GrantOptions,
): Promise<Grants> {
  const granted = expandPatterns(allow ?? [], operations);
  const declared = expandRequested(requested, operations);
  if (allowDeclared) return granted.union(declared);
  if (allow !== undefined || requested.length === 0) return granted;
  const widest = removeCovered(requested);
  if (await ask?.(workflow, widest)) return declared;
  throw new SvcError(
    "PERMISSION_DENIED",
    `The workflow ${workflow} requests ${widest.join(", ")}, but no permission was granted.`,
    {
      hint: `Grant it with --allow ${
        shellQuote(widest.join(","))
      }, or grant all that it requests with --allow-declared.`,
    },
  );
}

/** Removes names and patterns that a wider pattern covers, so that the list shows how much is requested. */
function removeCovered(patterns: readonly string[]): string[] {
  const distinct = [...new Set(patterns)];
  return distinct.filter((one) => !distinct.some((other) => other !== one && matches(one, other)));
}

/** Returns an operation by name. Throws `INVALID_ARGS` if it does not exist. */
export function findOperation(name: string, operations: Operations): OperationRef {
  const operation = operations.get(name);
  if (operation !== undefined) return operation;
  const shown = name.slice(0, 100);
  throw new SvcError("INVALID_ARGS", `There is no operation ${JSON.stringify(shown)}.`, {
    hint: `${didYouMean(shown, [...operations.keys()], (one) => one)}'svc --help' lists the operations.`,
  });
}

/** Returns an operation by name. Throws `PERMISSION_DENIED` if it is not granted. */
export function findGrantedOperation(name: string, operations: Operations, grants: Grants): OperationRef {
  const operation = findOperation(name, operations);
  if (grants.has(name)) return operation;
  throw new SvcError("PERMISSION_DENIED", `The workflow may not call ${name}.`, {
    operation: name,
    hint: `Add --allow ${name} to grant it.`,
  });
}

function expandRequested(requested: readonly string[], operations: Operations): Grants {
  try {
    return expandPatterns(requested, operations);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError("WORKFLOW_FAILED", `The script's allow: ${error.message}`, { hint: error.hint, cause: error });
  }
}

function matches(name: string, pattern: string): boolean {
  if (pattern === "*" || pattern === name) return true;
  return pattern.endsWith(".*") && name.startsWith(pattern.slice(0, -1));
}

function suggestPattern(pattern: string, operations: Operations): string {
  const groups = new Set([...operations.keys()].map((name) => name.slice(0, name.indexOf("."))));
  const candidates = [...operations.keys(), ...[...groups].map((group) => `${group}.*`)];
  return didYouMean(pattern, candidates, (name) => name);
}
