/** Answers by a script: rules in order, the first that holds. */
import type { Scope, Script } from "../application/model/application.ts";
import type { Reply } from "./reply.ts";

/** The answer to a message. */
export function answerByScript({ rules, fallback }: Script, message: string, scope: Scope): Reply {
  const rule = rules.find(({ fits, when }) => fits(message) && when(scope));
  return { text: (rule?.answer ?? fallback)(scope), followUps: rule?.followUps ?? [] };
}
