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
  await putProgress(tx, stored, 0, now);
  runLater(createParts(app, stored));
}

/** Returns the jobs that are unfinished, oldest first. At the start of an embedded store, no other process works on them. */
export async function listUnfinishedJobs(app: Application, store: Store): Promise<LaterWork[]> {
  const open = await store.read(async (tx) => {
    const jobs = await tx.listItems(JOB);
    return await Promise.all(jobs.map(async (job) => ({ job, progress: await tx.getItem(PROGRESS, job.id) })));
  });
  return open.reverse().map(({ job: item, progress }) => {
    const job = toStoredJob(item);
    if (progress !== undefined) return createParts(app, job, readDone(progress));
    return async (store) => {
      await store.transact((tx) => beginProgress(tx, job));
      return createParts(app, job);
    };
  });
}

/** Finds jobs that no process continues. Search regularly: a job without progress between two searches is found. */
export class AbandonedJobs {
  readonly #store: Store;
  #seen = new Map<string, { readonly done: number; readonly isTaken: boolean }>();

  /** Creates the search in a store that several processes serve. */
  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns the jobs without progress since the previous search. It returns a job again only after further progress. */
  async find(app: Application): Promise<LaterWork[]> {
    const before = this.#seen;
    this.#seen = new Map();
    const found: LaterWork[] = [];
    for (const progress of await this.#store.read((tx) => tx.listItems(PROGRESS))) {
      const done = readDone(progress);
      const last = before.get(progress.id);
      const stands = last?.done === done;
      this.#seen.set(progress.id, { done, isTaken: stands });
      if (!stands || last.isTaken) continue;
      const job = await this.#store.read((tx) => tx.getItem(JOB, progress.id));
      if (job !== undefined) found.push(createParts(app, toStoredJob(job), done));
    }
    return found;
  }
}

/**
 * Creates the work of a job: one part per case. The parts take turns with those of other jobs. If another process continues
 * the job, this work ends.
 */
function createParts(app: Application, job: StoredJob, done = 0): LaterWork {
  const partAt = (index: number): LaterWork => async (store) => {
    const isDone = await store.transact((tx) => doPart(app, tx, job, index));
    return isDone && index + 1 < job.cases.length ? partAt(index + 1) : undefined;
  };
  return () => Promise.resolve(partAt(done));
}

/**
 * Performs the action on one case. A failure ends this part, and so does an operator who no longer exists. Returns false if
 * another process has performed it.
 */
async function doPart(app: Application, tx: Transaction, job: StoredJob, index: number): Promise<boolean> {
  const { id, callerId, cases } = job;
  const progress = await tx.getItem(PROGRESS, id);
  if (progress === undefined || readDone(progress) !== index) return false;
  const caller = app.operators.get(callerId);
  const now = new Date(); // Not the time of the request, because the case may have changed since.
  if (caller !== undefined) {
    await performOnOne({ app, tx: restrict(tx, app, { caller, now }), caller, now }, cases[index] ?? "", job);
  }
  if (index + 1 < cases.length) {
    await putProgress(tx, job, index + 1, now);
  } else {
    await tx.deleteItem(JOB, id);
    await tx.deleteItem(PROGRESS, id);
  }
  return true;
}

/** Stores the progress of a job of an earlier version, which stored it only after the first case. */
async function beginProgress(tx: Transaction, job: StoredJob): Promise<void> {
  const isOpen = await tx.getItem(JOB, job.id) !== undefined;
  if (isOpen && await tx.getItem(PROGRESS, job.id) === undefined) await putProgress(tx, job, 0, new Date());
}

async function putProgress(tx: Transaction, { id, callerId }: StoredJob, done: number, now: Date): Promise<void> {
  await tx.putItem({ kind: PROGRESS, id, owner: callerId, at: now.toISOString(), content: { done } });
}

/** Returns the number of cases of a job that are done. */
function readDone({ content }: StoredItem): number {
  return Number(content.done);
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
