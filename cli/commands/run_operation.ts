/** One operation from the command line: a dry run, or the call and its answer. */
import { readTarget } from "../../lib/auth/settings.ts";
import { createCaller } from "../../lib/client/caller.ts";
import type { Values } from "../../lib/client/request/values.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import { SvcError } from "../../lib/errors.ts";
import type { Operation, OperationRef } from "../../lib/operation/operation.ts";
import type { CommandContext } from "./command.ts";
import { loadRenderer } from "../context.ts";
import { printAnswer } from "../render/print_answer.ts";
import { printRequest } from "../render/print_result.ts";
import { callerOptions } from "../context.ts";

/** Prints the request that a call would make, or makes it and prints the answer; content goes to the file `output`. */
export async function runOperation(
  context: CommandContext,
  ref: OperationRef,
  values: Values,
  output?: string,
): Promise<void> {
  try {
    if (ref.operation.output === "file" && output === undefined) throw noOutput();
    if (context.globals.dryRun) await printDryRun(context, ref, values);
    else if (ref.operation.answer === "content") await writeContent(context, ref, values, output);
    else await callAndPrint(context, ref, values);
  } catch (error) {
    throw error instanceof SvcError ? error.withOperation(ref.name) : error;
  }
}

async function callAndPrint(context: CommandContext, ref: OperationRef, values: Values): Promise<void> {
  const reply = takesFile(ref.operation)
    ? await (await transfers()).watchingFile(context, values, (watched) => call(context, ref, watched))
    : await call(context, ref, values);
  await printAnswer(context, ref, values, reply);
}

async function writeContent(
  context: CommandContext,
  ref: OperationRef,
  values: Values,
  output: string | undefined,
): Promise<void> {
  const { checkOutput, deliver } = await import("../render/download.ts");
  await checkOutput(output);
  const { content } = await call(context, ref, values);
  if (content !== undefined) await deliver(context, content, output);
}

async function call(context: CommandContext, ref: OperationRef, values: Values): Promise<Reply> {
  const calling = createCaller(callerOptions(context)).call(ref, values, { signal: context.signal });
  const [reply] = await Promise.all([calling, loadRenderer()]);
  return reply;
}

function takesFile({ flags = {} }: Operation): boolean {
  return Object.values(flags).some(({ type }) => type === "file");
}

async function transfers(): Promise<typeof import("../render/transfer.ts")> {
  return await import("../render/transfer.ts");
}

function noOutput(): SvcError {
  return new SvcError("INVALID_ARGS", "--output is required.", { hint: "Name the file to write: -o <path>." });
}

async function printDryRun(context: CommandContext, { operation }: OperationRef, values: Values): Promise<void> {
  const { renderDryRun } = await import("../../lib/client/request/dry_run.ts");
  const target = readTarget(callerOptions(context));
  printRequest(context, renderDryRun(target, operation, values));
}
