/** The inbox from which a robot takes assignments. */
import assert from "node:assert/strict";
import { GrantedCalls } from "../../../workflows/engine/live_calls.ts";
import { QueueInbox } from "../../../workflows/robots/queue_inbox.ts";
import { loadOperations } from "../../../workflows/scripts/permissions.ts";
import { TinyApi } from "../../harness/workflow.ts";

/** Sets the clock forward. Disposing of it restores the clock. */
class Clock implements Disposable {
  readonly #now = Date.now;
  readonly #start = this.#now();

  constructor() {
    this.setTo(0);
  }

  /** Stops the clock at a number of milliseconds after its creation. */
  setTo(milliseconds: number): void {
    Date.now = () => this.#start + milliseconds;
  }

  [Symbol.dispose](): void {
    Date.now = this.#now;
  }
}

/** A service whose inbox has some assignments in a worklist, and then some in the queue Review. */
function startInbox(worklist: number, queue: number): TinyApi {
  return new TinyApi((_call, { url }) => {
    const { searchParams } = new URL(url);
    const [page, size] = [Number(searchParams.get("page")), Number(searchParams.get("pageSize"))];
    const assignments = Array.from({ length: worklist + queue }, (_, index) => ({
      ID: `A-${index + 1}`,
      assigneeInfo: index < worklist ? { type: "worklist", ID: "me" } : { type: "workbasket", ID: "Review" },
    }));
    const listed = assignments.slice((page - 1) * size, page * size);
    return Response.json({ assignments: listed, hasMoreResults: page * size < assignments.length });
  });
}

async function openInbox(api: TinyApi): Promise<QueueInbox> {
  const operations = await loadOperations();
  const calls = new GrantedCalls(api.caller, { operations, grants: new Set(operations.keys()) });
  return new QueueInbox(calls, "Review", new AbortController().signal);
}

Deno.test("a robot finds the assignments of its queue behind more than 1,000 others", async () => {
  await using api = startInbox(1250, 30);
  const inbox = await openInbox(api);
  assert.deepEqual((await inbox.take(2, () => true)).map(({ place }) => place), ["A-1251", "A-1252"]);
  assert.deepEqual((await inbox.take(1, (id) => id > "A-1260")).map(({ place }) => place), ["A-1261"]);
});

Deno.test("a robot reads its inbox once for many assignments, and again after it has returned all", async () => {
  await using api = startInbox(0, 100);
  const inbox = await openInbox(api);
  const supplied: string[] = [];
  for (let count = 0; count < 100; count++) {
    const [next] = await inbox.take(1, () => true);
    supplied.push(next?.place ?? "");
  }
  assert.deepEqual(supplied, Array.from({ length: 100 }, (_, index) => `A-${index + 1}`));
  const reads = () => api.received.filter(({ call }) => call.includes("/inbox")).length;
  assert.equal(reads(), 1);
  assert.deepEqual(await inbox.take(1, () => false), []);
  assert.equal(reads(), 2);
});

Deno.test("a robot uses its inbox for two seconds, and then finds more urgent assignments first", async () => {
  using clock = new Clock();
  const assignments = ["A-1", "A-2", "A-3", "A-4"].map((ID) => ({
    ID,
    assigneeInfo: { type: "workbasket", ID: "Review" },
  }));
  await using api = new TinyApi(() => Response.json({ assignments, hasMoreResults: false }));
  const inbox = await openInbox(api);
  const done = new Set<string>();
  const takeNext = async () => {
    const [next] = await inbox.take(1, (id) => !done.has(id));
    done.add(next?.place ?? "");
    return next?.place;
  };
  assert.equal(await takeNext(), "A-1");
  assignments.unshift({ ID: "A-0", assigneeInfo: { type: "workbasket", ID: "Review" } });
  clock.setTo(2000);
  assert.equal(await takeNext(), "A-2");
  clock.setTo(2001);
  assert.deepEqual([await takeNext(), await takeNext()], ["A-0", "A-3"]);
  clock.setTo(4001);
  assert.equal(await takeNext(), "A-4");
});

Deno.test("a robot that reads its inbox again begins with the first page", async () => {
  using clock = new Clock();
  await using api = startInbox(0, 150);
  const inbox = await openInbox(api);
  assert.equal((await inbox.take(1, (id) => id === "A-120"))[0]?.place, "A-120");
  clock.setTo(3000);
  assert.equal((await inbox.take(1, () => true))[0]?.place, "A-1");
});
