/** Finds the IDs of attachments and participants by the names that lists for people show. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import type { Values } from "../../lib/client/request/values.ts";
import { SvcError } from "../../lib/errors.ts";
import { hasEffect, type Operation } from "../../lib/operation/operation.ts";
import attachments, { type AttachmentInfo } from "../../lib/resources/attachments.ts";
import participants from "../../lib/resources/participants.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation } from "../context.ts";
import { readLastCase } from "./cursor.ts";
import { findAttachmentArgument, getShortId, isPersonName, splitAttachmentName } from "./handles.ts";
import { resolveCaseId } from "./resolve_handles.ts";
import { nameParticipant, sortByAge } from "./short_names.ts";

/** Replaces short names in the values of a call by IDs. At a terminal, prints the ID that a change will use. */
export async function resolveShortNames(context: CommandContext, operation: Operation, given: Values): Promise<Values> {
  const argument = findAttachmentArgument(operation);
  const { caseId, participantId } = given;
  const resolved: Record<string, unknown> = { ...given };
  const replace = (name: string, text: string, id: string) => {
    resolved[name] = id;
    if (id !== text && hasEffect(operation) && context.io.stderr.isTerminal()) context.note(`${text} is ${id}.`);
  };
  const attachment = argument === undefined ? undefined : given[argument];
  if (argument !== undefined && typeof attachment === "string") {
    replace(argument, attachment, await findAttachment(context, attachment));
  }
  if (typeof caseId === "string" && typeof participantId === "string" && isPersonName(participantId)) {
    replace("participantId", participantId, await findParticipant(context, caseId, participantId));
  }
  return resolved;
}

/** Finds an attachment. A file name without a case means the last case, or stays as it is if that has no such file. */
async function findAttachment(context: CommandContext, text: string): Promise<string> {
  const named = splitAttachmentName(text);
  if (named === undefined) return text;
  const { caseName, name } = named;
  const caseId = caseName === undefined ? readLastCase(context.globals) : await resolveCaseId(context, caseName);
  if (caseId === undefined) return text;
  const ref = { name: "attachments.list", operation: attachments.list };
  const answer = checkAnswer(attachments.list.answer, await callOperation(context, ref, { caseId }));
  const list = sortByAge(answer.attachments);
  const found = list.filter((attachment, i) => String(i + 1) === name || hasFileName(attachment, name));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only.ID;
  if (only === undefined && caseName === undefined) return text;
  const number = getShortId(caseId);
  const args = ["attachments", "list", number, "--format", "view"];
  const hint = { commands: [{ args, purpose: "to see its attachments" }] };
  if (only === undefined) throw new SvcError("NOT_FOUND", `${number} has no attachment ${name}.`, { hint });
  const names = found.map((one) => `${number}/${list.indexOf(one) + 1}`).join(", ");
  const message = `${number} has ${found.length} attachments named ${name}. Use one of these names: ${names}.`;
  throw new SvcError("INVALID_ARGS", message, { hint });
}

function hasFileName({ name, fileName }: AttachmentInfo, text: string): boolean {
  return [name, fileName].some((one) => one?.toLowerCase() === text.toLowerCase());
}

async function findParticipant(context: CommandContext, caseName: string, name: string): Promise<string> {
  const caseId = await resolveCaseId(context, caseName);
  const ref = { name: "participants.list", operation: participants.list };
  const answer = checkAnswer(participants.list.answer, await callOperation(context, ref, { caseId }));
  const hasName = ({ content }: { content?: unknown }) =>
    nameParticipant(content)?.toLowerCase() === name.toLowerCase();
  const [only, ...others] = answer.participants.filter(hasName);
  if (only === undefined || others.length === 0) return only?.ID ?? name;
  const ids = [only, ...others].map(({ ID }) => ID).join(", ");
  throw new SvcError("INVALID_ARGS", `${getShortId(caseId)} has several participants named ${name}: ${ids}.`, {
    hint: "Pass one of these IDs instead of the name.",
  });
}
