/** What the engine works with, and what expressions see of it. */
import type { JsonObject } from "../../utils/json.ts";
import type { Application, Operator, Scope } from "../application/model/application.ts";
import type { CaseFacts, OperatorFacts } from "../application/model/application.ts";
import type { HandlerContext } from "../http/handler.ts";
import type { StoredCase } from "../store/store.ts";

/** What every function of the engine needs to know of the call. */
export type EngineContext = Pick<HandlerContext, "app" | "tx" | "caller" | "now">;

/** What an expression sees of a case. Its fields are read when it is evaluated: it follows every change. */
export function scopeOf(stored: StoredCase, { caller, now }: EngineContext, action = ""): Scope {
  return {
    get fields(): JsonObject {
      return stored.content;
    },
    get caseInfo(): CaseFacts {
      return caseFacts(stored);
    },
    operator: operatorFacts(caller),
    action,
    now: now.toISOString(),
  };
}

/** What an expression sees where there is no case: some fields, and facts that are empty. */
export function scopeWithoutCase(fields: JsonObject, { caller, now }: Pick<EngineContext, "caller" | "now">): Scope {
  return { fields, caseInfo: NO_CASE, operator: operatorFacts(caller), action: "", now: now.toISOString() };
}

/** Whether a case is closed: nothing moves it any more. */
export function isResolved(stored: StoredCase): boolean {
  return stored.status.startsWith("Resolved-");
}

/** The name of an operator; the ID of one that the application does not know any more. */
export function operatorName({ operators }: Application, id: string): string {
  return operators.get(id)?.name ?? id;
}

function caseFacts(stored: StoredCase): CaseFacts {
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

/** The facts of a case that is not there. */
const NO_CASE: CaseFacts = {
  ID: "",
  businessID: "",
  caseTypeID: "",
  parentCaseID: "",
  status: "",
  urgency: 0,
  stageID: "",
  createdBy: "",
  createTime: "",
};

function operatorFacts({ id, name, queues }: Operator): OperatorFacts {
  return { ID: id, name, queues: [...queues] };
}
