/** Scopes of expressions. */
import type { JsonObject } from "../../utils/json.ts";
import type { Operator } from "../application/model/application.ts";
import { type CaseFacts, type OperatorFacts, type Scope, WITHOUT_CASE } from "../application/model/expression.ts";
import type { StoredCase } from "../store/store.ts";

/** The part of a call's context that expressions need. */
export interface ScopeContext {
  /** The operator who calls. */
  readonly caller: Operator;
  /** Time of the call. */
  readonly now: Date;
}

/** Builds the scope of expressions about a case. Fields are read when an expression is evaluated. */
export function buildScope(stored: StoredCase, { caller, now }: ScopeContext, action = ""): Scope {
  return {
    get fields(): JsonObject {
      return stored.content;
    },
    get caseInfo(): CaseFacts {
      return toCaseFacts(stored);
    },
    operator: toOperatorFacts(caller),
    action,
    now: now.toISOString(),
  };
}

/** Builds a scope without a case, from some fields. */
export function scopeWithoutCase(fields: JsonObject, { caller, now }: ScopeContext): Scope {
  return { fields, caseInfo: WITHOUT_CASE, operator: toOperatorFacts(caller), action: "", now: now.toISOString() };
}

function toCaseFacts(stored: StoredCase): CaseFacts {
  const { id, businessId, typeId, parentId, status, urgency, stageId, createdBy, createdAt } = stored;
  return {
    ID: id,
    businessID: businessId,
    caseTypeID: typeId,
    parentCaseID: parentId ?? "",
    status,
    urgency,
    stageID: stageId,
    createdBy,
    createTime: createdAt,
  };
}

function toOperatorFacts({ id, name, queues }: Operator): OperatorFacts {
  return { ID: id, name, queues: [...queues] };
}
