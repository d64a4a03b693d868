/** What the expressions of an agent see. */
import type { Agent, Scope } from "../definition/application.ts";
import { MESSAGE } from "../definition/agents.ts";
import { scopeOf } from "../engine/context.ts";
import type { HandlerContext } from "../handler.ts";
import type { StoredCase } from "../store/store.ts";

/** What a conversation without a case is about. */
const NO_CASE: StoredCase = {
  id: "",
  businessId: "",
  typeId: "",
  status: "",
  urgency: 0,
  stageId: "",
  createdBy: "",
  createdAt: "",
  updatedBy: "",
  updatedAt: "",
  tag: "",
  content: {},
  flow: {},
};

/** The case of a conversation, its fields if they are of the agent's case type, and what was said. */
export async function scopeOfTalk(
  context: HandlerContext,
  { caseType }: Agent,
  contextId: string,
  message: string,
): Promise<Scope> {
  const stored = await context.tx.getCase(contextId) ?? NO_CASE;
  const fields = stored.typeId === caseType ? stored.content : {};
  const { caseInfo, operator, action, now } = scopeOf(stored, context);
  return { caseInfo, operator, action, now, fields: { ...fields, [MESSAGE]: message } };
}
