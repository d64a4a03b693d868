/** Bulk actions in the background: promised with the answer, so they are kept until they are done, whatever ends the service. */
import { isJsonObject, isString, type JsonObject } from "../../utils/json.ts";
import type { Application } from "../application/model/application.ts";
import type { LaterWork, RunLater } from "../http/handler.ts";
import type { Store, StoredItem, Transaction } from "../store/store.ts";
import { type BulkAction, checkCases, performOnOne } from "./bulk.ts";
import type { EngineContext } from "../cases/case_work.ts";
import type { Submission } from "../cases/content/content.ts";

/** Kind of the items that say what is to be done. */
const JOB = "bulk-job";

/** Kind of the items with the progress of a job. The job itself may be long, and is written once. */
const PROGRESS = "bulk-progress";

/** Maximum number of cases of a job. The submission is written into the history of each. */
const MOST = 10_000;

/** An action on several cases that runs in the background. */
export interface BulkJob extends BulkAction {
  /** Its ID. */
  readonly id: string;
  /** The cases. */
  readonly cases: readonly string[];
}

/** A stored job. */
interface Promised extends BulkJob {
  /** Operator who started it. */
  readonly callerId: string;
}

/** Promises an action on several cases: a unit of work for each. */
export async function promiseBulk(
  { app, tx, caller, now }: EngineContext,
  job: BulkJob,
  runLater: RunLater,
): Promise<void> {
  checkCases(job.cases, "cases", MOST);
  const promised = { ...job, callerId: caller.id };
  await tx.putItem({ kind: JOB, id: job.id, owner: caller.id, at: now.toISOString(), content: toJson(promised) });
  runLater(createParts(app, promised));
}

/** Returns the jobs that were unfinished when the service ended, oldest first. */
export async function listUnfinishedJobs(app: Application, store: Store): Promise<LaterWork[]> {
  const open = await store.read(async (tx) => {
    const jobs = await tx.listItems(JOB);
    return await Promise.all(jobs.map(async (job) => ({ job, progress: await tx.getItem(PROGRESS, job.id) })));
  });
  return open.reverse().map(({ job, progress }) => {
    return createParts(app, promisedIn(job), Number(progress?.content.done ?? 0));
  });
}

/** Its parts take turns with those of other jobs. What stops the service leaves the first of them too to the next start. */
function createParts(app: Application, job: Promised, done = 0): LaterWork {
  const partAt = (index: number): LaterWork => async (store) => {
    await store.transact((tx) => doPart(app, tx, job, index));
    return index + 1 < job.cases.length ? partAt(index + 1) : undefined;
  };
  return () => Promise.resolve(partAt(done));
}

/** Performs the action on one case. A failure ends this part, and so does an operator who no longer exists. */
async function doPart(app: Application, tx: Transaction, job: Promised, index: number): Promise<void> {
  const { id, callerId, cases } = job;
  const caller = app.operators.get(callerId);
  const now = new Date(); // Not when it was promised: what was done to the case meanwhile stays before it.
  if (caller !== undefined) await performOnOne({ app, tx, caller, now }, cases[index] ?? "", job);
  const done = index + 1;
  if (done < cases.length) {
    await tx.putItem({ kind: PROGRESS, id, owner: callerId, at: now.toISOString(), content: { done } });
    return;
  }
  await tx.deleteItem(JOB, id);
  await tx.deleteItem(PROGRESS, id);
}

function toJson({ cases, callerId, action, ifMatch, submission }: Promised): JsonObject {
  const { content, pageInstructions, attachments } = submission;
  return {
    cases: [...cases],
    callerId,
    action,
    ...(ifMatch !== undefined && { ifMatch }),
    ...(content && { content }),
    ...(pageInstructions && { pageInstructions: [...pageInstructions] }),
    ...(attachments && { attachments: [...attachments] }),
  };
}

function promisedIn({ id, content: { cases, callerId, action, ifMatch, ...submitted } }: StoredItem): Promised {
  return {
    id,
    cases: Array.isArray(cases) ? cases.filter(isString) : [],
    callerId: String(callerId),
    action: String(action),
    ...(isString(ifMatch) && { ifMatch }),
    submission: submissionIn(submitted),
  };
}

function submissionIn({ content, pageInstructions, attachments }: JsonObject): Submission {
  return {
    content: isJsonObject(content) ? content : undefined,
    pageInstructions: Array.isArray(pageInstructions) ? pageInstructions : undefined,
    attachments: Array.isArray(attachments) ? attachments : undefined,
  };
}
