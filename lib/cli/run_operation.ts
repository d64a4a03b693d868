/** One operation from the command line: a dry run, or the call and its answer. */
import type { Answers } from "../answer_types.ts";
import { completed } from "../answers.ts";
import { openTarget } from "../auth/session_open.ts";
import { createCaller, type OperationRef } from "../client/caller.ts";
import type { Values } from "../client/values.ts";
import type { Reply } from "../client/reply.ts";
import { spoiled } from "../client/spoiled.ts";
import { SvcError } from "../errors.ts";
import { numberFault } from "../exact_numbers.ts";
import { importUnseen } from "../import_unseen.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Operation } from "../operation.ts";
import { rowsOf } from "../output/rows.ts";
import { plural } from "../wording.ts";
import type { CommandContext } from "./command.ts";
import { loadRenderer } from "./context.ts";
import { printRequest, printResult } from "./print_result.ts";
import { callerOptions } from "./service_access.ts";

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
    else await printAnswer(context, ref, values);
  } catch (error) {
    throw error instanceof SvcError ? error.during(ref.name) : error;
  }
}

async function printAnswer(context: CommandContext, ref: OperationRef, values: Values): Promise<void> {
  const reply = takesFile(ref.operation)
    ? await (await transfers()).watchingFile(context, values, (watched) => call(context, ref, watched))
    : await call(context, ref, values);
  const body = promisedBody(ref, reply, values);
  const fault = typeof body === "string" ? undefined : numberFault(reply.text);
  if (fault !== undefined) context.note(`Warning: the answer ${fault}: another one is printed. --verbose shows it.`);
  await printResult(context, body === "" ? undefined : body, failureOfElements(ref.operation.answer, body));
}

function promisedBody({ operation }: OperationRef, reply: Reply, { assignmentId }: Values): JsonValue | undefined {
  try {
    const { body, etag } = reply;
    // A list has no tag of its own, and with one it would be no table any more.
    if (!isJsonObject(body) || rowsOf(body) !== undefined) return body;
    return completed(operation.answer, body, etag, assignmentId);
  } catch (error) {
    throw spoiled(operation, error);
  }
}

async function writeContent(
  context: CommandContext,
  ref: OperationRef,
  values: Values,
  output: string | undefined,
): Promise<void> {
  const { checkOutput, deliver } = await importUnseen<typeof import("./download.ts")>("lib/cli/download.ts");
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

async function transfers(): Promise<typeof import("./transfer.ts")> {
  return await importUnseen<typeof import("./transfer.ts")>("lib/cli/transfer.ts");
}

function noOutput(): SvcError {
  return new SvcError("INVALID_ARGS", "--output is required.", { hint: "Name the file to write: -o <path>." });
}

async function printDryRun(context: CommandContext, { operation }: OperationRef, values: Values): Promise<void> {
  const { renderDryRun } = await import("../client/dry_run.ts");
  const target = openTarget(callerOptions(context));
  printRequest(context, renderDryRun(target, operation, values));
}

/** A call about several things is answered with success although it failed for some of them. */
function failureOfElements(answer: keyof Answers, body: JsonValue | undefined): SvcError | undefined {
  if (answer !== "bulk" && answer !== "multiStatus") return undefined;
  const thing = answer === "bulk" ? "case" : "element";
  const elements = elementsOf(body);
  const failed = elements.filter(hasFailed);
  if (failed.length === 0) return failureOfCount(body, thing);
  return new SvcError("BULK_PARTIAL_FAILURE", `${failed.length} of ${elements.length} ${thing}s failed.`, {
    status: 207,
    details: failed,
    hint: "The details name the failed ones, each with its status: repeat the command for them.",
  });
}

/** What became of each: some answers are the list itself, others hold it. */
function elementsOf(body: JsonValue | undefined): JsonObject[] {
  const elements = isJsonObject(body) ? body.results : body;
  return Array.isArray(elements) ? elements.filter(isJsonObject) : [];
}

function hasFailed({ status }: JsonObject): boolean {
  return Number(status) >= 400;
}

/** Some answers only count what failed. */
function failureOfCount(body: JsonValue | undefined, thing: string): SvcError | undefined {
  const { failureCount, summary } = isJsonObject(body) ? body : {};
  const failed = Number(failureCount ?? (isJsonObject(summary) ? summary.failed : 0));
  if (!(failed > 0)) return undefined;
  return new SvcError("BULK_PARTIAL_FAILURE", `${plural(failed, thing)} failed.`, {
    status: 207,
    hint: `The answer does not say which: read each ${thing} before you repeat the command.`,
  });
}
