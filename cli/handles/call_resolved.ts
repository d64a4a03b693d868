/** Calls of operations with short IDs, with `-`, and with cases in place of assignments. */
import type { Reply } from "../../lib/client/response/reply.ts";
import type { Values } from "../../lib/client/request/values.ts";
import { SvcError } from "../../lib/errors.ts";
import { hasEffect, type Operation, type OperationRef } from "../../lib/operation/operation.ts";
import type { CommandContext } from "../commands/command.ts";
import { type HandledCall, hasShortName, LAST_CASE } from "./handles.ts";
import { resolveFlags } from "./resolve_flags.ts";
import { adviseOnShortId, getLastCase, resolveAssignmentId, resolveCaseId } from "./resolve_handles.ts";

/**
 * Makes a call. A case in place of an assignment is replaced by its open assignment. Any other handle is first sent as
 * written, because it may be a full handle of another service. If the service does not know it, the call is made again
 * with the full handle.
 */
export async function callResolved(
  context: CommandContext,
  { operation }: OperationRef,
  given: Values,
  call: (values: Values) => Promise<Reply>,
): Promise<HandledCall> {
  const values = await resolveFlags(context, operation, await resolveNames(context, operation, given));
  const { caseId, assignmentId } = values;
  if ((assignmentId ?? caseId) === LAST_CASE && hasEffect(operation) && context.io.stderr.isTerminal()) {
    context.note(`The last case is ${getLastCase(context)}.`);
  }
  if (typeof assignmentId === "string") {
    const resolved = { ...values, assignmentId: await resolveAssignmentId(context, assignmentId) };
    return { reply: await call(resolved), values: resolved };
  }
  if (typeof caseId !== "string") return { reply: await call(values), values };
  if (caseId === LAST_CASE) {
    const resolved = { ...values, caseId: getLastCase(context) };
    return { reply: await call(resolved), values: resolved };
  }
  try {
    return { reply: await call(values), values };
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== "NOT_FOUND") throw error;
    const resolved = { ...values, caseId: await resolveCaseId(context, caseId) };
    // Without a hint, the error is not one of the service.
    if (resolved.caseId === caseId) throw error.hint === undefined ? error : adviseOnShortId(error, caseId);
    return { reply: await call(resolved), values: resolved };
  }
}

/** Replaces the names of attachments and participants by their IDs. */
async function resolveNames(context: CommandContext, operation: Operation, values: Values): Promise<Values> {
  if (!hasShortName(operation, values)) return values;
  const { resolveShortNames } = await import("./resolve_short_names.ts");
  return await resolveShortNames(context, operation, values);
}
