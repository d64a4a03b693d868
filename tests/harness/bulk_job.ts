/** A bulk action in the background that a service has promised, and was killed before it was done. */
import assert from "node:assert/strict";
import { loadServedApplication } from "../../service/sample/served_application.ts";
import { filesOf } from "../../service/server/directory.ts";
import { promiseBulk } from "../../service/case_types/bulk_jobs.ts";
import type { LaterWork } from "../../service/http/handler.ts";
import { openSqliteStore } from "../../service/store/sqlite/sqlite_store.ts";

/** What is left of it. */
export interface Left {
  /** When it was promised; now without it. */
  readonly promised?: Date;
  /** To how many of the cases it has been done. */
  readonly done?: number;
  /** Its ID, and the channel that it gives the cases. */
  readonly id?: string;
  readonly channel?: string;
}

/** Leaves such an action on these cases in a data directory. */
export async function leaveBulkJob(
  data: string,
  cases: readonly string[],
  { promised = new Date(), done = 0, id = "J", channel = "Post" }: Left = {},
): Promise<void> {
  const app = await loadServedApplication(undefined);
  const [caller] = app.operators.values();
  assert.ok(caller);
  const store = openSqliteStore(filesOf(data).database);
  const submission = { content: { Channel: channel } };
  const job = { id, cases, action: "pyUpdateCaseDetails", submission };
  const parts: LaterWork[] = [];
  const context = { app, caller, now: promised };
  await store.transact((tx) => promiseBulk({ ...context, tx }, job, (work) => void parts.push(work)));
  let next: LaterWork | void = parts[0];
  for (let turn = 0; turn <= done && next; turn++) next = await next(store); // The first only begins.
  await store.close();
}
