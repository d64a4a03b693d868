/** Bulk actions in the background. A job is stored until it is done, so that it survives the end of the service. */
import { isJsonObject, isString, type JsonObject } from "../../utils/json.ts";
import { restrict } from "../access/caller_transaction.ts";
import type { Application } from "../application/model/application.ts";
import type { LaterWork, RunLater } from "../http/handler.ts";
import type { Store, StoredItem, Transaction } from "../store/store.ts";
import { type BulkAction, checkCases, performOnOne } from "./bulk.ts";
import type { EngineContext } from "../cases/case_work.ts";
import type { Submission } from "../cases/content/fill_form.ts";

/** Kind of the items that store jobs. */
const JOB = "bulk-job";

/** Kind of the items that store the progress of jobs. A job may be long, so it is written only once. */
const PROGRESS = "bulk-progress";

/** Maximum number of cases of a job. The submission is written into the history of each. */
const MAX_CASES = 10_000;

/** An action on several cases that runs in the background. */
export interface BulkJob extends BulkAction {
  readonly id: string;
  /** Handles of the cases. */
  readonly cases: readonly string[];
}

/** A stored job. */
interface StoredJob extends BulkJob {
  /** Operator who started it. */
  readonly callerId: string;
}

/** Stores and schedules a job. Each case is a unit of work. */
export async function scheduleBulkJob(
  { app, tx, caller, now }: EngineContext,
  job: BulkJob,
  runLater: RunLater,
): Promise<void> {
  checkCases(job.cases, "cases", MAX_CASES);
  const stored = { ...job, callerId: caller.id };
  await tx.putItem({ kind: JOB, id: job.id, owner: caller.id, at: now.toISOString(), content: toJson(stored) });
  runLater(createParts(app, stored));
}

/** Returns the jobs that were unfinished when the service ended, oldest first. */
export async function listUnfinishedJobs(app: Application, store: Store): Promise<LaterWork[]> {
  const open = await store.read(async (tx) => {
    const jobs = await tx.listItems(JOB);
    return await Promise.all(jobs.map(async (job) => ({ job, progress: await tx.getItem(PROGRESS, job.id) })));
  });
  return open.reverse().map(({ job, progress }) => {
    return createParts(app, toStoredJob(job), Number(progress?.content.done ?? 0));
  });
}

/** Creates the work of a job: one part per case. The parts take turns with those of other jobs. */
function createParts(app: Application, job: StoredJob, done = 0): LaterWork {
  const partAt = (index: number): LaterWork => async (store) => {
    await store.transact((tx) => doPart(app, tx, job, index));
    return index + 1 < job.cases.length ? partAt(index + 1) : undefined;
  };
  return () => Promise.resolve(partAt(done));
}

/** Performs the action on one case. A failure ends this part, and so does an operator who no longer exists. */
async function doPart(app: Application, tx: Transaction, job: StoredJob, index: number): Promise<void> {
  const { id, callerId, cases } = job;
  const caller = app.operators.get(callerId);
  const now = new Date(); // Not the time of the request, because the case may have changed since.
  if (caller !== undefined) {
    await performOnOne({ app, tx: restrict(tx, app, { caller, now }), caller, now }, cases[index] ?? "", job);
  }
  const done = index + 1;
  if (done < cases.length) {
    await tx.putItem({ kind: PROGRESS, id, owner: callerId, at: now.toISOString(), content: { done } });
    return;
  }
  await tx.deleteItem(JOB, id);
  await tx.deleteItem(PROGRESS, id);
}

function toJson({ cases, callerId, action, ifMatch, submission }: StoredJob): JsonObject {
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

function toStoredJob({ id, content: { cases, callerId, action, ifMatch, ...submitted } }: StoredItem): StoredJob {
  return {
    id,
    cases: Array.isArray(cases) ? cases.filter(isString) : [],
    callerId: String(callerId),
    action: String(action),
    ...(isString(ifMatch) && { ifMatch }),
    submission: toSubmission(submitted),
  };
}

function toSubmission({ content, pageInstructions, attachments }: JsonObject): Submission {
  return {
    content: isJsonObject(content) ? content : undefined,
    pageInstructions: Array.isArray(pageInstructions) ? pageInstructions : undefined,
    attachments: Array.isArray(attachments) ? attachments : undefined,
  };
}
