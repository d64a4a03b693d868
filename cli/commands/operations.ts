/** The commands of the API, built from the descriptions of its operations. */
import { readTarget } from "../../lib/auth/settings.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import type { Values } from "../../lib/client/request/values.ts";
import { SvcError } from "../../lib/errors.ts";
import {
  hasEffect,
  type Operation,
  type OperationRef,
  type Param,
  permissionName,
  takesTag,
  toKebab,
} from "../../lib/operation/operation.ts";
import { readValues } from "../args/read_values.ts";
import { callerOptions, callOperation, loadRenderer } from "../context.ts";
import { callWithHandles } from "../handles/call_with_handles.ts";
import { needsHandles } from "../handles/handles.ts";
import { printReply, printRequest } from "../render/print_result.ts";
import { isString } from "../../utils/json.ts";
import type { OutputFile } from "../render/download.ts";
import type { Command, CommandContext, Flag } from "./command.ts";

const IF_MATCH: Flag = {
  help: "Entity tag that must still be current, sent unchanged",
  type: "string",
  placeholder: "tag",
};
/** The flag that names the file for content. */
export const OUTPUT = {
  help: "File to write; '-' is stdout",
  type: "path",
  short: "o",
} as const satisfies Flag;
const FORCE: Flag = { help: "Replace the file of --output if it exists", type: "boolean" };
/** The flag for single fields. */
export const SET = {
  help: "Value of a field, e.g. Fee=12.50, Address.City=Delft, Documents[0].Title=Plan or Documents[+].Title=New",
  type: "string",
  placeholder: "name=value",
  repeatable: true,
  values: "fields",
} as const satisfies Flag;
const FILE: Flag = { help: "File to upload and attach", type: "path", placeholder: "path", repeatable: true };
const CATEGORY: Flag = {
  help: "Category of the attachments of --file",
  type: "string",
  default: "File",
  values: "categories",
};
const INTERACTIVE: Flag = { help: "Fill in the form at the terminal", type: "boolean" };
const REQUIRED_ONLY: Flag = { help: "Prompt only for required fields; with --interactive", type: "boolean" };

/** Returns the command of an operation. */
export function createOperationCommand(group: string, name: string, operation: Operation): Command {
  const ref = { name: permissionName(group, name), operation };
  return {
    summary: operation.summary,
    details: operation.variant && `Only the ${operation.variant} deployment variant serves it.`,
    args: operation.args,
    flags: createFlags(operation),
    example: operation.example,
    seeAlso: operation.seeAlso,
    reads: hasEffect(operation) ? undefined : true,
    answer: operation.answer,
    isAnswerOpen: isSpecified(operation) ? true : undefined,
    prefersView: isSpecified(operation) ? undefined : true,
    async run(context, parsed) {
      const { output, force, interactive, requiredOnly, ...given } = await readValues(this, parsed, context.io);
      const target = typeof output === "string" ? { path: output, replaces: force === true } : undefined;
      const values = await fillInput(context, ref, given);
      const isForm = operation.interactive && (interactive === true || isOfferedForm(context, operation, values));
      if (isForm && !context.globals.dryRun) {
        const { runInteractively } = await import("../prompts/interactive.ts");
        return await runInteractively(context, ref, values, requiredOnly === true);
      }
      try {
        await runOperation(context, ref, isForm ? addPrompted(operation, values) : values, target);
      } catch (error) {
        throw await explainSettings(error, given.set);
      }
      reportAttached(context, given.file);
    },
  };
}

/** Reports whether an operation belongs to the specified API, whose commands print JSON by default. */
function isSpecified({ path }: Operation): boolean {
  return !path.startsWith("/svc/");
}

function createFlags(operation: Operation): Record<string, Flag> {
  const flags = Object.entries(operation.flags ?? {}).map(([name, param]): [string, Flag] => [name, createFlag(param)]);
  return {
    ...Object.fromEntries(flags),
    ...(takesTag(operation) && { ifMatch: IF_MATCH }),
    ...(operation.answer === "content" &&
      { output: { ...OUTPUT, required: operation.output === "file" || undefined }, force: FORCE }),
    ...(operation.flags?.data?.isContent && { set: SET }),
    ...(takesAttachments(operation) && { file: FILE, category: CATEGORY }),
    ...(operation.interactive && { interactive: INTERACTIVE, requiredOnly: REQUIRED_ONLY }),
  };
}

/** Reports whether a form is offered in place of an error: at a terminal, for a command without any of its flags. */
function isOfferedForm({ io, globals }: CommandContext, { flags = {} }: Operation, values: Values): boolean {
  const names = Object.keys(flags);
  return names.some((name) => flags[name]?.required) && names.every((name) => values[name] === undefined) &&
    !globals.dryRun && [io.stdin, io.stdout, io.stderr].every((stream) => stream.isTerminal());
}

/** Placeholder in a dry run for a value that a form prompts for. */
const PROMPTED = "[PROMPTED]";

/** Adds the required values that a form prompts for. */
function addPrompted({ flags = {} }: Operation, values: Values): Values {
  const missing = Object.entries(flags).filter(([name, { required }]) => required && values[name] === undefined);
  const prompted = missing.map(([name, { type }]) => [name, type === "object" ? {} : PROMPTED]);
  return { ...values, ...Object.fromEntries(prompted) };
}

function takesAttachments({ flags }: Operation): boolean {
  return flags?.attachments !== undefined && flags.attachments.rejected === undefined;
}

/** Replaces the flags for single fields and for files by the content and the attachments that they stand for. */
async function fillInput(context: CommandContext, ref: OperationRef, given: Values): Promise<Values> {
  if (!takesAttachments(ref.operation) && !ref.operation.flags?.data?.isContent) return given;
  const { set, file, category, ...values } = given;
  if (set === undefined && file === undefined) return values;
  const { fillValues } = await import("../input/fill_values.ts");
  return await fillValues(context, ref, values, { set: toTexts(set), file: toTexts(file), category: String(category) });
}

/** Adds to a rejection how the values of `--set` could be written instead. */
async function explainSettings(error: unknown, set: unknown): Promise<unknown> {
  if (!(error instanceof SvcError) || error.status !== 422 || set === undefined) return error;
  const { explainTypes } = await import("../input/set_fields.ts");
  return explainTypes(error, toTexts(set));
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(isString) : [];
}

/** Says which files of `--file` were attached, because the result does not show them. */
function reportAttached({ globals, io, note }: CommandContext, paths: unknown): void {
  if (!Array.isArray(paths) || paths.length === 0 || globals.dryRun || !io.stderr.isTerminal()) return;
  note(`Attached ${paths.join(", ")}.`);
}

function createFlag(param: Param): Flag {
  const { help, type, to, choices, required, short, repeatable, negatable, excludes, rejected, since, variant } = param;
  const remarks = [
    isPayload(type) && "JSON, @file or -",
    repeatable && "repeat the flag for several",
    excludes && `not with ${excludes.map((name) => `--${toKebab(name)}`).join(", ")}`,
    since && `platform version ${since} and later`,
    variant && `${variant} variant only`,
  ].filter((remark) => typeof remark === "string");
  return {
    help: [help, ...remarks].join("; "),
    type,
    to,
    choices,
    required,
    short,
    repeatable,
    negatable,
    default: param.default,
    hidden: rejected === undefined ? undefined : true,
  };
}

function isPayload(type: Param["type"]): boolean {
  return type === "object" || type === "array" || type === "calculation";
}

/** Calls an operation and prints its response, or writes its content to the file `output`. A dry run prints the request. */
async function runOperation(
  context: CommandContext,
  ref: OperationRef,
  values: Values,
  output: OutputFile | undefined,
): Promise<void> {
  try {
    if (ref.operation.output === "file" && output === undefined) {
      throw new SvcError("INVALID_ARGS", "--output is required.", { hint: "Name the file to write: -o <path>." });
    }
    if (context.globals.dryRun) await printDryRun(context, ref, values);
    else if (ref.operation.answer === "content") await writeContent(context, ref, values, output);
    else await callAndPrint(context, ref, values);
  } catch (error) {
    throw error instanceof SvcError ? error.withOperation(ref.name) : error;
  }
}

/** Calls an operation and prints its response. */
export async function callAndPrint(context: CommandContext, ref: OperationRef, values: Values): Promise<void> {
  const called = await callWithHandles(context, ref, values, (resolved) => callWithProgress(context, ref, resolved));
  await printReply(context, ref, called.values, called.reply);
}

async function printDryRun(context: CommandContext, { operation }: OperationRef, values: Values): Promise<void> {
  const { renderDryRun } = await import("../../lib/client/request/dry_run.ts");
  const target = readTarget(callerOptions(context));
  const shown = needsHandles(operation, values) ? await explain(context, operation, values) : values;
  const request = renderDryRun(target, operation, shown);
  printRequest(context, request.replaceAll(encodeURIComponent(PROMPTED), PROMPTED));
}

async function explain(context: CommandContext, operation: Operation, values: Values): Promise<Values> {
  const { explainHandles } = await import("../handles/explain_handles.ts");
  return explainHandles(context, operation, values);
}

async function writeContent(
  context: CommandContext,
  ref: OperationRef,
  values: Values,
  output: OutputFile | undefined,
): Promise<void> {
  const { checkOutput, deliver } = await import("../render/download.ts");
  await checkOutput(output?.path, output);
  const { reply: { content } } = await callWithHandles(context, ref, values, (known) => call(context, ref, known));
  if (content !== undefined) await deliver(context, content, output?.path);
}

async function callWithProgress(context: CommandContext, ref: OperationRef, values: Values): Promise<Reply> {
  const sendsFile = Object.values(ref.operation.flags ?? {}).some(({ type }) => type === "file");
  if (!sendsFile) return await call(context, ref, values);
  const { watchUpload } = await import("../render/transfer.ts");
  return await watchUpload(context, values, (watched) => call(context, ref, watched));
}

async function call(context: CommandContext, ref: OperationRef, values: Values): Promise<Reply> {
  return (await Promise.all([callOperation(context, ref, values), loadRenderer(context.globals)]))[0];
}
