/** The reducer of an input, by properties: a made-up script runs against it, without processes, clocks or I/O. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { SvcError } from "../../../lib/errors.ts";
import type { EventRecord, StoredEvent } from "../../../workflows/journal/journal.ts";
import {
  advance,
  type Replay,
  type ReplayEffect,
  type ReplayEvent,
  startReplay,
} from "../../../workflows/engine/replay.ts";
import { readHistory, toRewindEvent } from "../../../workflows/engine/history.ts";

/** A step of a made-up script. A script takes several at once, then waits for all of their results. */
interface Step {
  readonly operation: string;
  readonly argument: number;
  readonly isRefused: boolean;
}

type Script = readonly (readonly Step[])[];

/** The events and requests of a run. */
interface Run {
  readonly events: readonly StoredEvent[];
  /** Requests that were sent, with their keys. */
  readonly sent: readonly { readonly position: number; readonly key: string; readonly request: string }[];
  /** Positions in the order in which the script got results. */
  readonly delivered: readonly number[];
  /** Results by position, as the script got them. */
  readonly results: ReadonlyMap<number, string>;
  readonly stopped?: SvcError;
  readonly state: Replay;
}

interface RunOptions {
  readonly events?: readonly StoredEvent[];
  readonly generation?: number;
  readonly force?: boolean;
  /** Decides the order in which calls end. */
  readonly order?: (positions: readonly number[]) => number;
}

/** Runs a script against the reducer, until it ends or is stopped. */
function run(
  script: Script,
  { events = [], generation = 0, force = false, order = ([first = 0]) => first }: RunOptions = {},
): Run {
  const journal: StoredEvent[] = [...events];
  const sent: { position: number; key: string; request: string }[] = [];
  const delivered: number[] = [];
  const results = new Map<number, string>();
  const open: number[] = [];
  const steps = new Map<number, Step>();
  const ready: number[] = [];
  let stopped: SvcError | undefined;
  let now = 1000 + journal.length;
  let current = generation;
  let state = startReplay(
    { events, generation, force, keyPrefix: "key" },
    now,
  );

  const write = (event: EventRecord) => void journal.push({ ...event, seq: journal.length + 1 });
  const dispatch = (event: ReplayEvent): void => {
    const next = advance(state, event);
    state = next.state;
    next.effects.forEach(perform);
  };
  const perform = (effect: ReplayEffect): void => {
    switch (effect.type) {
      case "append":
        return write(effect.event);
      case "replay":
        results.set(effect.position, state.history.steps.get(effect.position)?.result?.content ?? "missing");
        return void ready.push(effect.position);
      case "settle":
        results.set(effect.position, state.results.get(effect.position)?.content ?? "missing");
        return void ready.push(effect.position);
      case "call":
        dispatch({ type: "sending", position: effect.position, isKeyed: true, now: ++now });
        // Everything that led to a change is recorded before the change is sent.
        assert.ok(journal.some(({ kind, position }) => kind === "call" && position === effect.position));
        assert.ok(journal.some(({ kind, position }) => kind === "sent" && position === effect.position));
        sent.push({ position: effect.position, key: effect.sent.key, request: effect.call.request });
        return void open.push(effect.position);
      case "rewind":
        write(toRewindEvent(effect.rewind));
        return dispatch({ type: "rewound", generation: ++current });
      case "stop":
        stopped ??= effect.reason;
        return;
      case "print":
        return;
    }
  };
  const finishOne = (): void => {
    const position = order(open);
    open.splice(open.indexOf(position), 1);
    const step = steps.get(position);
    if (step?.isRefused) {
      const error = new SvcError("NOT_FOUND", `no ${step.argument}`, { rejectedByService: true });
      dispatch({ type: "refused", position, error, isAbandoned: false });
    } else dispatch({ type: "answered", position, content: `{}\n"result of ${step?.argument}"` });
  };

  let position = 0;
  for (const together of script) {
    const awaited = new Set<number>();
    for (const step of together) {
      steps.set(++position, step);
      awaited.add(position);
      const { operation, argument } = step;
      const request = JSON.stringify({ operation, values: { argument } });
      dispatch({ type: "step", position, operation, request, isTimer: false, now: ++now });
    }
    while (awaited.size > 0 && stopped === undefined) {
      const next = ready.shift();
      if (next !== undefined) {
        dispatch({ type: "delivered", position: next, now: ++now });
        delivered.push(next);
        awaited.delete(next);
      } else if (open.length > 0) finishOne();
      else dispatch({ type: "stalled" });
    }
    if (stopped !== undefined) break;
  }
  if (stopped === undefined) {
    dispatch({ type: "finished" });
    stopped = state.divergence;
  }
  return { events: journal, sent, delivered, results, stopped, state };
}

const step: fc.Arbitrary<Step> = fc.record({
  operation: fc.constantFrom("cases.create", "cases.get", "data.create"),
  argument: fc.nat({ max: 5 }),
  isRefused: fc.boolean(),
});
const script: fc.Arbitrary<Script> = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 6,
});

/** Chooses among open calls by a sequence of numbers. */
const order: fc.Arbitrary<(positions: readonly number[]) => number> = fc.infiniteStream(fc.nat()).map((numbers) => {
  return (positions) => positions[(numbers.next().value ?? 0) % positions.length] ?? 0;
});

function check(name: string, property: fc.IRawProperty<unknown>): void {
  Deno.test(name, () => fc.assert(property)); // A failure prints its seed.
}

check(
  "a replay of the whole history sends nothing and delivers the same results in the same order",
  fc.property(script, order, (script, order) => {
    const first = run(script, { order });
    const again = run(script, { events: first.events });
    assert.equal(again.stopped, undefined);
    assert.deepEqual(again.sent, []);
    assert.deepEqual(again.delivered, first.delivered);
    assert.deepEqual(again.results, first.results);
    assert.equal(again.events.length, first.events.length);
  }),
);

check(
  "a replay of any prefix of the history sends each open change with its first key, and no answered one",
  fc.property(script, order, fc.nat(), (script, order, cut) => {
    const first = run(script, { order });
    const events = first.events.slice(0, cut % (first.events.length + 1));
    const again = run(script, { events });
    assert.equal(again.stopped, undefined);
    const answered = new Set(
      events.filter(({ kind }) => kind === "answer" || kind === "refusal").map((e) => e.position),
    );
    for (const { position, key, request } of again.sent) {
      assert.ok(!answered.has(position), `step ${position} was answered`);
      assert.deepEqual({ position, key, request }, first.sent.find((one) => one.position === position));
    }
    assert.equal(answered.size + again.sent.length, first.sent.length);
    assert.deepEqual(again.delivered.slice(0, answered.size), first.delivered.slice(0, answered.size));
    const third = run(script, { events: again.events });
    assert.deepEqual([third.sent, third.stopped], [[], undefined]);
  }),
);

check(
  "a script that asks for something else in a recorded step is stopped, and sends nothing new from there on",
  fc.property(script, order, fc.nat(), (script, order, at) => {
    const first = run(script, { order });
    const count = script.flat().length;
    const changed = (at % count) + 1;
    let position = 0;
    const edited = script.map((together) => {
      return together.map((step) => ++position === changed ? { ...step, argument: step.argument + 10 } : step);
    });
    const again = run(edited, { events: first.events });
    assert.equal(again.stopped?.code, "WORKFLOW_DIVERGED");
    assert.match(again.stopped.message, new RegExp(`^Step ${changed} was `));
    assert.deepEqual(again.sent, []);
  }),
);

check(
  "a script that ends before its history does has diverged",
  fc.property(script, order, (script, order) => {
    const first = run(script, { order });
    const again = run(script.slice(0, -1), { events: first.events });
    assert.equal(again.stopped?.code, "WORKFLOW_DIVERGED");
  }),
);

check(
  "with force, exactly the steps from the first difference on are dropped, and no change of them is repeated",
  fc.property(script, order, fc.nat(), (script, order, at) => {
    const first = run(script, { order });
    const count = script.flat().length;
    const changed = (at % count) + 1;
    let position = 0;
    const edited = script.map((together) => {
      return together.map((step) => ++position === changed ? { ...step, argument: step.argument + 10 } : step);
    });
    const again = run(edited, { events: first.events, force: true });
    assert.equal(again.stopped, undefined);
    // A dropped change that was applied and is asked for again keeps its result.
    const applied = first.sent.filter((one) =>
      one.position >= changed && first.results.get(one.position)?.includes("result")
    )
      .map(({ request }) => request);
    const expected = edited.flat().flatMap(({ operation, argument }, index) => {
      const found = applied.indexOf(JSON.stringify({ operation, values: { argument } }));
      if (index + 1 < changed) return [];
      if (found >= 0) applied.splice(found, 1);
      return found >= 0 ? [] : [index + 1];
    });
    assert.deepEqual(again.sent.map((one) => one.position), expected);
    assert.ok(again.sent.every(({ key }) => key.endsWith(".1")));
    assert.equal(readHistory(again.events).steps.size, count);
    const third = run(edited, { events: again.events, generation: 1 });
    assert.deepEqual([third.sent, third.stopped], [[], undefined]);
  }),
);

Deno.test("after a pause no step is made, and results of calls in flight are recorded", () => {
  const options = { events: [], generation: 0, force: false, keyPrefix: "key" };
  let state = startReplay(options, 0);
  const dispatch = (event: ReplayEvent) => {
    const next = advance(state, event);
    state = next.state;
    return next.effects.map(({ type }) => type);
  };
  const request = JSON.stringify({ operation: "cases.create", values: {} });
  const take = (position: number) =>
    dispatch({ type: "step", position, request, operation: "cases.create", isTimer: false, now: position });
  assert.deepEqual(take(1), ["append", "call"]);
  assert.deepEqual(dispatch({ type: "paused" }), []);
  assert.deepEqual(take(2), []);
  assert.deepEqual(dispatch({ type: "answered", position: 1, content: "{}\n" }), ["settle"]);
  assert.deepEqual(dispatch({ type: "drained", now: 3 }), ["append"]);
});

Deno.test("a refusal is recorded as unknown only if the change may have been applied", () => {
  const cases: [error: SvcError, isUnknown: boolean][] = [
    [new SvcError("NOT_FOUND", "no", { rejectedByService: true }), false],
    [new SvcError("NETWORK_ERROR", "refused"), false],
    [new SvcError("NETWORK_ERROR", "cut", { outcomeUnknown: true }), true],
  ];
  for (const [error, isUnknown] of cases) {
    let state = startReplay({ events: [], generation: 0, force: false, keyPrefix: "key" }, 0);
    const request = JSON.stringify({ operation: "cases.create", values: {} });
    for (
      const event of [
        { type: "step", position: 1, request, operation: "cases.create", isTimer: false, now: 1 },
        { type: "sending", position: 1, isKeyed: true, now: 2 },
        { type: "refused", position: 1, error, isAbandoned: false },
      ] as const
    ) state = advance(state, event).state;
    assert.equal(JSON.parse(state.results.get(1)?.content ?? "{}").unknown, isUnknown);
  }
});
