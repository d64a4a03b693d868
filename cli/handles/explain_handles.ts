import type { Values } from "../../lib/client/request/values.ts";
import { type Operation, toKebab } from "../../lib/operation/operation.ts";
import type { CommandContext } from "../commands/command.ts";
import { findAttachmentArgument, hasShortName, isCaseName, isShortId, LAST_CASE, listCaseFlags } from "./handles.ts";
import { getLastCase } from "./resolve_handles.ts";

/** Explains in a dry run which handles the request would have. Returns the values to show, with `-` replaced. */
export function explainHandles(context: CommandContext, operation: Operation, values: Values): Values {
  const { caseId, assignmentId } = values;
  const showLast = (text: string) => text === LAST_CASE ? getLastCase(context) : text;
  const shown: Record<string, unknown> = { ...values };
  if (typeof caseId === "string") {
    shown.caseId = showLast(caseId);
    if (isShortId(caseId)) explain(context, caseId, "is a short ID", "finds its full handle and sends that");
  }
  if (typeof assignmentId === "string") {
    const text = showLast(assignmentId);
    shown.assignmentId = text;
    if (isCaseName(text)) explain(context, text, "is a case", "sends the handle of your open assignment there");
  }
  if (hasShortName(operation, values)) {
    const text = values.participantId ?? values[findAttachmentArgument(operation) ?? ""];
    explain(context, String(text), "is a name", "finds the ID and sends that");
  }
  for (const name of listCaseFlags(operation)) {
    const value = values[name];
    const texts = [value].flat().filter((text) => typeof text === "string").map(showLast);
    if (value !== undefined) shown[name] = Array.isArray(value) ? texts : texts[0];
    const short = texts.filter(isShortId).join(", ");
    if (short !== "") explain(context, `--${toKebab(name)}`, `has a short ID (${short})`, "finds the full handle");
  }
  return shown;
}

function explain({ note }: CommandContext, subject: string, what: string, then: string): void {
  note(`${subject} ${what}. Without --dry-run, svc ${then}.`);
}
