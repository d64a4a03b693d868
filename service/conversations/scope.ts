/** What the expressions of an agent see. */
import type { Agent, Scope } from "../application/model/application.ts";
import { MESSAGE_VARIABLE } from "../application/model/agent.ts";
import { scopeOf, scopeWithoutCase } from "../cases/context.ts";
import type { HandlerContext } from "../http/handler.ts";

/** The case of a conversation, its fields if they are of the agent's case type, and what was said. */
export async function scopeOfTalk(
  context: HandlerContext,
  { caseType }: Agent,
  contextId: string,
  message: string,
): Promise<Scope> {
  const stored = await context.tx.getCase(contextId);
  const fields = stored?.typeId === caseType ? stored?.content : {};
  const { caseInfo, operator, action, now } = stored ? scopeOf(stored, context) : scopeWithoutCase({}, context);
  return { caseInfo, operator, action, now, fields: { ...fields, [MESSAGE_VARIABLE]: message } };
}
