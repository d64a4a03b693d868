/** Answers by a script: rules in order, the first that holds. */
import type { AnswerScript, Scope } from "../application/model/application.ts";
import type { Reply } from "./reply.ts";

/** The answer to a message. */
export function answerByScript({ rules, fallback }: AnswerScript, message: string, scope: Scope): Reply {
  const rule = rules.find(({ matches, when }) => matches(message) && when(scope));
  return { text: (rule?.answer ?? fallback)(scope), followUps: rule?.followUps ?? [] };
}
