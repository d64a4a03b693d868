/** One operation from the command line: a dry run, or the call and its answer. */
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
  if (ref.operation.answer === "bulk") checkBulk(body);
}

async function printRequest(context: CommandContext, { operation }: OperationRef, values: Values): Promise<void> {
  const { renderDryRun } = await import("../client/dry_run.ts");
  const target = openTarget(callerOptions(context));
  context.io.stdout.write(escapeControls(renderDryRun(target, operation, values)) + "\n");
}

/** A bulk call is answered with success although some of its cases failed. */
function checkBulk(body: JsonValue | undefined): void {
  const results = isJsonObject(body) && Array.isArray(body.results) ? body.results.filter(isJsonObject) : [];
  const failed = results.filter(hasFailed);
  if (failed.length === 0) return;
  throw new SvcError("BULK_PARTIAL_FAILURE", `${failed.length} of ${results.length} cases failed.`, {
    status: 207,
    details: failed,
    hint: "The answer on stdout names each case with its status; repeat the command for the failed ones.",
  });
}

function hasFailed({ status }: JsonObject): boolean {
  return Number(status) >= 400;
}
