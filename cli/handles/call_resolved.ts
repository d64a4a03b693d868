/** Calls of operations with short IDs, with `-`, and with cases in place of assignments. */
import type { Reply } from "../../lib/client/response/reply.ts";
import type { Values } from "../../lib/client/request/values.ts";
import { SvcError } from "../../lib/errors.ts";
import { hasEffect, type OperationRef } from "../../lib/operation/operation.ts";
import type { CommandContext } from "../commands/command.ts";
import { type HandledCall, isShortId, LAST_CASE } from "./handles.ts";
import { resolveFlags } from "./resolve_flags.ts";
import { getLastCase, resolveAssignmentId, resolveCaseId } from "./resolve_handles.ts";

/**
 * Makes a call. The handle is sent as it is written first, because it may be a full handle of another service. If the
 * service does not know it, the full handle is found, and the call is made with that.
 */
export async function callResolved(
  context: CommandContext,
  { operation }: OperationRef,
  given: Values,
  call: (values: Values) => Promise<Reply>,
): Promise<HandledCall> {
  const values = await resolveFlags(context, operation, given);
  if (isLastCase(values)) {
    const resolved = await resolveValues(context, values);
    if (hasEffect(operation) && context.io.stderr.isTerminal()) {
      context.note(`The last case is ${getLastCase(context)}.`);
    }
    return { reply: await call(resolved), values: resolved };
  }
  try {
    return { reply: await call(values), values };
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== "NOT_FOUND") throw error;
    const resolved = await resolveValues(context, values);
    if (isSame(values, resolved)) throw addAdvice(error, values);
    return { reply: await call(resolved), values: resolved };
  }
}

function isLastCase({ caseId, assignmentId }: Values): boolean {
  return (assignmentId ?? caseId) === LAST_CASE;
}

async function resolveValues(context: CommandContext, values: Values): Promise<Values> {
  const { caseId, assignmentId } = values;
  if (typeof assignmentId === "string") {
    return { ...values, assignmentId: await resolveAssignmentId(context, assignmentId) };
  }
  return typeof caseId === "string" ? { ...values, caseId: await resolveCaseId(context, caseId) } : values;
}

function isSame(values: Values, resolved: Values): boolean {
  return values.caseId === resolved.caseId && values.assignmentId === resolved.assignmentId;
}

function addAdvice(error: SvcError, { caseId, assignmentId }: Values): SvcError {
  const text = String(assignmentId ?? caseId);
  if (!isShortId(text) || error.hint === undefined) return error; // Without a hint, the error is not one of the service.
  return error.with({ hint: `This service does not find short IDs such as ${text}. Write the full handle in quotes.` });
}
