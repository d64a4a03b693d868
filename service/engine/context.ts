/** What the engine works with, and what expressions see of it. */
import type { JsonObject } from "../../lib/json.ts";
import type { Scope } from "../definition/application.ts";
import type { HandlerContext, Operator } from "../handler.ts";
import type { StoredCase } from "../store/store.ts";

/** What every function of the engine needs to know of the call. */
export type EngineContext = Pick<HandlerContext, "app" | "tx" | "caller" | "now">;

/** What an expression sees of a case. Its fields are read when it is evaluated: it follows every change. */
export function scopeOf(stored: StoredCase, { caller, now }: EngineContext, action = ""): Scope {
  return {
    get fields(): JsonObject {
      return stored.content;
    },
    get caseInfo(): JsonObject {
      return caseFacts(stored);
    },
    operator: operatorFacts(caller),
    action,
    now: now.toISOString(),
  };
}

/** Whether a case is closed: nothing moves it any more. */
export function isResolved(stored: StoredCase): boolean {
  return stored.status.startsWith("Resolved-");
}

function caseFacts(stored: StoredCase): JsonObject {
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

/** What an expression sees of an operator. */
export function operatorFacts({ id, name, queues }: Operator): JsonObject {
  return { ID: id, name, queues: [...queues] };
}
