/** Calls of operations with short IDs, with `-`, and with cases in place of assignments. */
import type { Reply } from "../../lib/client/response/reply.ts";
import type { Values } from "../../lib/client/request/values.ts";
import { SvcError } from "../../lib/errors.ts";
import { hasEffect, type OperationRef } from "../../lib/operation/operation.ts";
import type { CommandContext } from "../commands/command.ts";
import { type HandledCall, isAssignmentHandle, isShortId, LAST_CASE } from "./handles.ts";
import { getLastCase, resolveAssignmentId, resolveCaseId } from "./resolve_handles.ts";

/**
 * Makes a call. The handle is sent as it is written first, because it may be a full handle of another service. If the
 * service does not know it, the full handle is found, and the call is made with that.
 */
export async function callResolved(
  context: CommandContext,
  { operation }: OperationRef,
  values: Values,
  call: (values: Values) => Promise<Reply>,
): Promise<HandledCall> {
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

/** Explains in a dry run which handle the request would have. Returns the values to show. */
export function explainHandles(context: CommandContext, values: Values): Values {
  const name = values.assignmentId === undefined ? "caseId" : "assignmentId";
  const written = values[name];
  if (typeof written !== "string") return values;
  const text = written === LAST_CASE ? getLastCase(context) : written;
  if (name === "assignmentId" && !isAssignmentHandle(text) && /\s/.test(text)) {
    context.note(`${text} is a case. Without --dry-run, svc sends the handle of your open assignment there.`);
  } else if (isShortId(text)) {
    const what = name === "caseId" ? "its full handle" : "the handle of your open assignment there";
    context.note(`${text} is a short ID. Without --dry-run, svc finds ${what} and sends that.`);
  }
  return { ...values, [name]: text };
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
