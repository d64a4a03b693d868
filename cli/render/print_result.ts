/** Prints the results of commands, and reports the failures that they contain. */
import { completeAnswer, findList } from "../../lib/client/response/check_answer.ts";
import { markOutcomeUnknown } from "../../lib/client/outcome.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import type { Values } from "../../lib/client/request/values.ts";
import { SvcError } from "../../lib/errors.ts";
import type { Answer } from "../../lib/operation/answer.ts";
import { hasEffect, type OperationRef } from "../../lib/operation/operation.ts";
import {
  filterObjects,
  findRows,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  stringOrUndefined,
} from "../../utils/json.ts";
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { CommandContext } from "../commands/command.ts";
import { rememberCase } from "../handles/cursor.ts";

/** Prints the response to a call. Throws if the response is invalid or reports a failure. */
export async function printReply(
  context: CommandContext,
  ref: OperationRef,
  values: Values,
  reply: Reply,
): Promise<void> {
  const body = readBody(ref, reply, values);
  const caseId = findCase(ref, values, body);
  if (caseId !== undefined) rememberCase(context, reply.head, caseId);
  try {
    await printResult(context, body === "" ? undefined : body, findFailure(ref.operation.answer, body));
  } catch (error) {
    throw hasEffect(ref.operation) ? addResult(error, body) : error;
  }
}

/** Finds the handle of the case that a call has read, created or changed. */
function findCase({ name }: OperationRef, { caseId }: Values, body: JsonValue | undefined): string | undefined {
  const data = isJsonObject(body) ? body.data : undefined;
  const info = isJsonObject(data) ? data.caseInfo : undefined;
  const found = isJsonObject(info) ? info.ID : undefined;
  return name === "cases.delete" ? undefined : stringOrUndefined(found) ?? stringOrUndefined(caseId);
}

/** Adds the result of a change to the error of writing it. The result contains the ID of a created object. */
function addResult(error: unknown, result: JsonValue | undefined): unknown {
  if (!(error instanceof SvcError) || error.code !== "OUTPUT_FAILED") return error;
  const options = {
    details: filterObjects([result].flat()).map(shorten),
    hint: "Do not repeat the command: the change was made. The details contain its result.",
  };
  return error.with(options, `The change was made. ${error.message}`);
}

/** Prints a result, then throws the failure that it reports. The failure is thrown even if the result cannot be printed. */
export async function printResult(
  context: CommandContext,
  result: JsonValue | undefined,
  failure: SvcError | undefined,
): Promise<void> {
  try {
    await context.print(result);
  } catch (error) {
    throw failure === undefined ? error : addReason(failure, error);
  }
  if (failure !== undefined) throw failure;
}

/** Prints a request instead of sending it. */
export function printRequest({ io }: CommandContext, request: string): void {
  io.stdout.write(escapeControlCharacters(request) + "\n");
}

/** Adds the reason why the result could not be printed. A closed output is not worth mentioning. */
function addReason(failure: SvcError, reason: unknown): SvcError {
  if (!(reason instanceof SvcError)) return failure;
  return failure.with({ hint: [reason.message, failure.hint].filter(Boolean).join(" ") });
}

/** Omits the nested objects of a result that has an ID, e.g. the data of a case. They can be read with the ID. */
function shorten(result: JsonObject): JsonObject {
  if (result.ID === undefined && result.id === undefined) return result;
  return Object.fromEntries(Object.entries(result).filter(([, value]) => !isJsonObject(value)));
}

function readBody(
  { operation }: OperationRef,
  reply: Reply,
  { assignmentId, participantId }: Values,
): JsonValue | undefined {
  try {
    const body = reply.readPrintable();
    // A list has no entity tag, and could not be printed as a table with one.
    if (!isJsonObject(body) || findRows(body) !== undefined) return body;
    return completeAnswer(operation.answer, body, reply.etag, assignmentId ?? participantId);
  } catch (error) {
    throw markOutcomeUnknown(operation, error);
  }
}

/** Finds the failed elements of a bulk call, which succeeds even if it failed for some of them. */
function findFailure(answer: Answer, body: JsonValue | undefined): SvcError | undefined {
  const element = typeof answer === "string" ? undefined : answer.outcomes;
  if (element === undefined) return undefined;
  const elements = filterObjects(findList(body, "results"));
  const failed = elements.filter(hasFailed);
  if (failed.length === 0) return findFailureCount(body, element);
  return new SvcError("BULK_PARTIAL_FAILURE", `${failed.length} of ${elements.length} ${element}s failed.`, {
    status: 207,
    details: failed,
    hint: "The details list each failure with its reason. Fix the causes and retry only the failed ones.",
  });
}

function hasFailed({ status }: JsonObject): boolean {
  return Number(status) >= 400;
}

/** Some responses contain only the number of failures. */
function findFailureCount(body: JsonValue | undefined, element: string): SvcError | undefined {
  const { failureCount, summary } = isJsonObject(body) ? body : {};
  const failed = Number(failureCount ?? (isJsonObject(summary) ? summary.failed : 0));
  if (!(failed > 0)) return undefined;
  return new SvcError("BULK_PARTIAL_FAILURE", `${pluralize(failed, element)} failed.`, {
    status: 207,
    hint: `The response does not say which. Read each ${element} before you retry the command.`,
  });
}
