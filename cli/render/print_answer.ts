/** The answer of an operation as a command prints it, with the failures that it tells of. */
import { completeAnswer } from "../../lib/client/response/check_answer.ts";
import type { Answer } from "../../lib/operation/answer.ts";
import type { OperationRef } from "../../lib/operation/operation.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import { markOutcomeUnknown } from "../../lib/client/outcome.ts";
import type { Values } from "../../lib/client/request/values.ts";
import { SvcError } from "../../lib/errors.ts";
import { describeInexactNumber } from "../../utils/inexact_numbers.ts";
import { filterObjects, isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { findRows } from "../../lib/output/find_rows.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { CommandContext } from "../commands/command.ts";
import { printResult } from "./print_result.ts";

/** Prints the answer to a call with these values; throws where it cannot be read, or tells of a failure. */
export async function printAnswer(
  context: CommandContext,
  ref: OperationRef,
  values: Values,
  reply: Reply,
): Promise<void> {
  const body = promisedBody(ref, reply, values);
  const fault = typeof body === "string" ? undefined : describeInexactNumber(reply.text);
  if (fault !== undefined) context.note(`Warning: the answer ${fault}: another one is printed. --verbose shows it.`);
  await printResult(context, body === "" ? undefined : body, failureOfElements(ref.operation.answer, body));
}

function promisedBody(
  { operation }: OperationRef,
  reply: Reply,
  { assignmentId, participantId }: Values,
): JsonValue | undefined {
  try {
    const { body, etag } = reply;
    // What was said has no tag of its own, nor has a list, which with one would be no table any more.
    if (!isJsonObject(body) || findRows(body) !== undefined) return body;
    return completeAnswer(operation.answer, body, etag, assignmentId ?? participantId);
  } catch (error) {
    throw markOutcomeUnknown(operation, error);
  }
}

/** A call about several things is answered with success although it failed for some of them. */
function failureOfElements(answer: Answer, body: JsonValue | undefined): SvcError | undefined {
  const thing = typeof answer === "string" ? undefined : answer.outcomes;
  if (thing === undefined) return undefined;
  const elements = elementsOf(body);
  const failed = elements.filter(hasFailed);
  if (failed.length === 0) return failureOfCount(body, thing);
  return new SvcError("BULK_PARTIAL_FAILURE", `${failed.length} of ${elements.length} ${thing}s failed.`, {
    status: 207,
    details: failed,
    hint: "The details name the failed ones, each with its reason: mend that, and repeat the command for them.",
  });
}

/** What became of each: some answers are the list itself, others hold it. */
function elementsOf(body: JsonValue | undefined): JsonObject[] {
  return filterObjects(isJsonObject(body) ? body.results : body);
}

function hasFailed({ status }: JsonObject): boolean {
  return Number(status) >= 400;
}

/** Some answers only count what failed. */
function failureOfCount(body: JsonValue | undefined, thing: string): SvcError | undefined {
  const { failureCount, summary } = isJsonObject(body) ? body : {};
  const failed = Number(failureCount ?? (isJsonObject(summary) ? summary.failed : 0));
  if (!(failed > 0)) return undefined;
  return new SvcError("BULK_PARTIAL_FAILURE", `${pluralize(failed, thing)} failed.`, {
    status: 207,
    hint: `The answer does not say which: read each ${thing} before you repeat the command.`,
  });
}
