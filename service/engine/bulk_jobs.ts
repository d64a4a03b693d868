/** Bulk actions in the background: promised with the answer, so they are kept until they are done, whatever ends the service. */
import { isJsonObject, type JsonObject } from "../../lib/json.ts";
import type { Application } from "../definition/application.ts";
import type { Background } from "../handler.ts";
import type { Store, Transaction } from "../store/store.ts";
import { type BulkAction, performOnOne } from "./bulk.ts";
import type { EngineContext } from "./context.ts";
import type { Submission } from "./forms.ts";

const KIND = "bulk-job";

/** What is to be done, and to which cases. */
export interface BulkJob extends BulkAction {
  /** Its ID. */
  readonly id: string;
  /** The cases. */
  readonly cases: readonly string[];
}

/** Promises an action on several cases: a unit of work for each. */
export async function promiseBulk(
  { app, tx, caller, now }: EngineContext,
  { id, cases, action, submission, ifMatch }: BulkJob,
  background: Background,
): Promise<void> {
  for (const [index, caseId] of cases.entries()) {
    const part = `${id}.${index}`;
    const content = { ...toJson(submission), caller: caller.id, action, ...(ifMatch !== undefined && { ifMatch }) };
    await tx.putItem({ kind: KIND, id: part, owner: caseId, at: now.toISOString(), content });
    background((later) => doPart(app, later, part));
  }
}

/** Goes on with what was promised and not done when the service ended. */
export async function resumeBulk(app: Application, store: Store, background: Background): Promise<void> {
  const open = await store.read((tx) => tx.itemsOf(KIND));
  for (const { id } of open.reverse()) background((tx) => doPart(app, tx, id));
}

/** The action on one case. What is refused is done with, as is what nobody may do any more. */
async function doPart(app: Application, tx: Transaction, id: string): Promise<void> {
  const item = await tx.getItem(KIND, id);
  if (item === undefined) return;
  const { caller: callerId, action, ifMatch }: JsonObject = item.content;
  const caller = app.operators.get(String(callerId));
  if (caller !== undefined) {
    // Now, not when it was promised: what was done to the case meanwhile stays before it.
    const context = { app, tx, caller, now: new Date() };
    const bulk = { action: String(action), submission: submissionOf(item.content) };
    await performOnOne(context, item.owner, { ...bulk, ...(typeof ifMatch === "string" && { ifMatch }) });
  }
  await tx.deleteItem(KIND, id);
}

function toJson({ content, pageInstructions, attachments }: Submission): JsonObject {
  return {
    ...(content && { content }),
    ...(pageInstructions && { pageInstructions: [...pageInstructions] }),
    ...(attachments && { attachments: [...attachments] }),
  };
}

function submissionOf({ content, pageInstructions, attachments }: JsonObject): Submission {
  return {
    content: isJsonObject(content) ? content : undefined,
    pageInstructions: Array.isArray(pageInstructions) ? pageInstructions : undefined,
    attachments: Array.isArray(attachments) ? attachments : undefined,
  };
}
