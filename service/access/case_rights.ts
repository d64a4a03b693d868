/** The rights of the caller on cases. Nothing else decides them. */
import type { Application, CaseType } from "../application/model/application.ts";
import type { Condition, Scope } from "../application/model/expression.ts";
import { newPage } from "../cases/content/content.ts";
import { buildScope, type ScopeContext, scopeWithoutCase } from "../cases/scope.ts";
import { DomainError, Forbidden } from "../errors.ts";
import type { Filter } from "../store/query.ts";
import type { StoredCase } from "../store/store.ts";

/** A case with the call that uses it. */
export interface CaseInCall {
  readonly type: CaseType;
  readonly stored: StoredCase;
  readonly context: ScopeContext;
}

/** Reports whether the caller may see a case. Cases of types that the application does not have are invisible. */
export function mayRead(
  stored: StoredCase,
  { app, ...context }: ScopeContext & { readonly app: Application },
): boolean {
  const type = app.caseTypes.get(stored.typeId);
  return type !== undefined && holds(type.rights.read.allows, buildScope(stored, context));
}

/** Reports whether the caller may change a case that the caller may see. */
export function mayWork({ type, stored, context }: CaseInCall): boolean {
  return holds(type.rights.work, buildScope(stored, context));
}

/** Reports whether the caller may change a new case, whose fields have their defaults. */
export function mayWorkOnNew(type: CaseType, context: ScopeContext): boolean {
  return holds(type.rights.work, scopeWithoutCase(newPage(type.fields), context));
}

/** Reports whether the caller may discard drafts of other operators, and release and transfer their assignments. */
export function mayManage({ type, stored, context }: CaseInCall): boolean {
  return holds(type.rights.manage, buildScope(stored, context));
}

/** Checks that the caller may change a case. Throws `Forbidden` otherwise. */
export function checkWork(work: CaseInCall): void {
  if (!mayWork(work)) throw new Forbidden(`You may not change ${work.stored.businessId}`);
}

/** Builds the filter of the cases that the caller may see. Returns undefined if these are all cases. */
export function buildReadFilter({ caseTypes }: Application, context: ScopeContext): Filter | undefined {
  const scope = scopeWithoutCase({}, context);
  const conditions = [...caseTypes.values()].map(({ id, rights }) => {
    return [id, rights.read.toCaseCondition(scope)] as const;
  });
  const open = conditions.filter(([, condition]) => isEvery(condition)).map(([id]) => id);
  if (open.length === conditions.length) return undefined;
  const typeId = { property: "typeId" };
  const restricted = conditions.filter(([, condition]) => !isEvery(condition)).map(([id, condition]) => ({
    and: [{ left: typeId, comparator: "EQ", right: { value: id } } as const, condition],
  }));
  return { or: [{ field: typeId, in: open }, ...restricted] };
}

function isEvery(condition: Filter): boolean {
  return "and" in condition && condition.and.length === 0;
}

/** Evaluates a right. An expression that fails, such as `operator.queues[0]` without a queue, grants nothing. */
function holds(right: Condition, scope: Scope): boolean {
  try {
    return right(scope);
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}
