/** One operation from the command line: a dry run, or the call and its answer. */
import type { Answers } from "../answer_types.ts";
import { openTarget } from "../auth/session_open.ts";
import { createCaller, type OperationRef } from "../client/caller.ts";
import type { Values } from "../client/values.ts";
import { SvcError } from "../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { escapeControls } from "../output/control_characters.ts";
import type { CommandContext } from "./command.ts";
import { callerOptions } from "./service_access.ts";

/** Prints the request that a call would make, or makes it and prints the answer. */
export async function runOperation(context: CommandContext, ref: OperationRef, values: Values): Promise<void> {
  try {
    if (context.globals.dryRun) await printRequest(context, ref, values);
    else await printAnswer(context, ref, values);
  } catch (error) {
    throw error instanceof SvcError ? error.during(ref.name) : error;
  }
}

async function printAnswer(context: CommandContext, ref: OperationRef, values: Values): Promise<void> {
  const { body } = await createCaller(callerOptions(context)).call(ref, values, { signal: context.signal });
  await context.print(body);
  checkElements(ref.operation.answer, body);
}

async function printRequest(context: CommandContext, { operation }: OperationRef, values: Values): Promise<void> {
  const { renderDryRun } = await import("../client/dry_run.ts");
  const target = await openTarget(callerOptions(context));
  context.io.stdout.write(escapeControls(renderDryRun(target, operation, values)) + "\n");
}

/** A call about several things is answered with success although it failed for some of them. */
function checkElements(answer: keyof Answers, body: JsonValue | undefined): void {
  const elements = elementsOf(answer, body);
  const failed = elements.filter(hasFailed);
  if (failed.length === 0) return;
  const things = answer === "bulk" ? "cases" : "elements";
  throw new SvcError("BULK_PARTIAL_FAILURE", `${failed.length} of ${elements.length} ${things} failed.`, {
    status: 207,
    details: failed,
    hint: "The answer on stdout names each with its status; repeat the command for the failed ones.",
  });
}

/** What became of each: some answers are the list itself, those of bulk calls hold it. */
function elementsOf(answer: keyof Answers, body: JsonValue | undefined): JsonObject[] {
  const elements = answer === "bulk" && isJsonObject(body) ? body.results : answer === "multiStatus" ? body : undefined;
  return Array.isArray(elements) ? elements.filter(isJsonObject) : [];
}

function hasFailed({ status }: JsonObject): boolean {
  return Number(status) >= 400;
}
