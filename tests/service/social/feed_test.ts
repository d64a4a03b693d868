/** Properties of feeds and of references in texts. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonValue } from "../../../utils/json.ts";
import { loadServedApplication } from "../../../service/sample/served_application.ts";
import { findReferences } from "../../../service/social/references.ts";
import { parseTimestamp } from "../../../utils/time/parse_timestamp.ts";
import { type Engine, openEngine, textAt, valueAt } from "../../harness/service_engine.ts";
import { readCpuTime } from "../../harness/cpu_time.ts";

const app = await loadServedApplication(undefined);
const APPLICATION = "DATA-PORTAL $CityPermits";

/** An event, and the milliseconds before it. */
const step = fc.record({
  does: fc.constantFrom("post", "reply", "expedite", "elsewhere"),
  wait: fc.constantFrom(0, 0, 0, 1, 60_000),
});

Deno.test("the pages of a feed contain each entry once, at any times", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.integer({ min: 1, max: 7 }),
      fc.constantFrom("case", "application", "operator"),
      async (steps, pageSize, kind) => {
        await using engine = await openEngine();
        const caseId = await live(engine, steps);
        const filterFor = { case: caseId, application: APPLICATION, operator: "clerk@city" }[kind];
        const feedID = kind === "case" ? "pyCaseFeed" : "pyDashboardFeed";
        const read = (olderThan?: string, size = pageSize) =>
          engine.body("social.getFeed", { feedID, filterFor, olderThan, pageSize: size });
        const whole = entriesOf(await read(undefined, 1000));
        const pages = await pagesOf(read, pageSize, whole.length);
        assert.deepEqual(pages, whole.map(([id]) => id));
        assert.equal(new Set(pages).size, pages.length);
        const times = whole.map(([, time]) => time);
        assert.deepEqual(times, [...times].sort().reverse());
        const own = steps.filter(({ does }) => does === "post").length;
        assert.ok(whole.length >= own + 1, "each message is there, and the line of the creation");
      },
    ),
    { numRuns: 60 },
  );
});

/** Reads all pages, each from the last entry of the page before. */
async function pagesOf(
  read: (olderThan?: string) => Promise<JsonValue>,
  pageSize: number,
  all: number,
): Promise<string[]> {
  const pages: string[] = [];
  let olderThan: string | undefined;
  while (true) {
    const body = await read(olderThan);
    const entries = entriesOf(body);
    assert.ok(entries.length <= pageSize);
    pages.push(...entries.map(([id]) => id));
    assert.equal(valueAt(body, "data.FeedList.hasMoreResults"), pages.length < all);
    if (pages.length >= all || entries.length === 0) return pages;
    olderThan = entries.at(-1)?.[1];
  }
}

/** Applies events to a case and to another one, and returns the first. */
async function live(engine: Engine, steps: readonly { does: string; wait: number }[]): Promise<string> {
  const create = async () =>
    textAt(await engine.body("cases.create", { type: "City-Permit-Work-Permit" }, { wait: 0 }), "id");
  const [caseId, other] = [await create(), await create()];
  let last = caseId;
  for (const { does, wait } of steps) {
    const target = does === "reply" ? last : does === "elsewhere" ? other : caseId;
    if (does === "expedite") await engine.call("cases.performAction", { caseId, action: "Expedite" }, { wait });
    else last = textAt(await engine.body("social.postMessage", { context: target, message: does }, { wait }), "id");
  }
  return caseId;
}

function entriesOf(body: JsonValue): [id: string, time: string][] {
  const results = valueAt(body, "data.FeedList.pxResults");
  assert.ok(Array.isArray(results));
  return results.map((entry) => [textAt(entry, "pzInsKey"), textAt(entry, "postedTime")]);
}

Deno.test("a text mentions operators by ID, name or first name, if it is unambiguous", () => {
  const cases: [text: string, mentions: string[], tags: string[]][] = [
    ["@clerk@city", ["clerk@city"], []],
    ["(@Clara Clerk), @CLARA: @Dan.", ["clerk@city", "decider@city"], []],
    ["clara@city.example and @clerk@city.example and @clerk@cityhall", [], []],
    ["@Clarabelle @Unknown @ @@clerk@city", [], []],
    ["#a-b_c- #Über. #3 #2x &#x27; page#part https://x.example/#part ##twice", [], ["a-b_c", "über", "2x"]],
    ["#x #X #x", [], ["x"]],
    ["#हिन्दी #日本", [], ["हिन्दी", "日本"]],
  ];
  for (const [text, mentions, tags] of cases) assert.deepEqual(findReferences(text, app), { mentions, tags }, text);
  const [clara, ...others] = app.operators.values();
  assert.ok(clara);
  const twins = {
    ...app,
    operators: new Map([clara, ...others, { ...clara, id: "other", name: "Clara Other" }].map((one) => [one.id, one])),
  };
  assert.deepEqual(findReferences("@Clara @Clara Other", twins).mentions, ["other"]);
});

Deno.test("every mention in any text is an operator of the application", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.constantFrom(...app.operators.values()), (text, operator) => {
      const named = findReferences(`${text} @${operator.id} #tag`, app);
      assert.ok(named.mentions.every((id) => app.operators.has(id)));
      assert.ok(named.mentions.includes(operator.id) && named.tags.includes("tag"));
    }),
  );
});

Deno.test("many hyphens in a tag take linear time", () => {
  const row = "-".repeat(200_000);
  const started = readCpuTime();
  assert.deepEqual(findReferences(`#a${row}b #c${row}`, app).tags, [`a${row}b`, "c"]);
  assert.ok(readCpuTime() - started < 5000, "a message holds up all calls while it is read");
});

Deno.test("a feed can be read from any time, to the nanosecond", () => {
  const cases: [text: string, time: string | undefined][] = [
    ["2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678000000Z"],
    ["2026-01-02T03:04:05.678500001Z", "2026-01-02T03:04:05.678500001Z"],
    ["2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05.000000000Z"],
    ["20260102T030405.678 GMT", "2026-01-02T03:04:05.678000000Z"],
    ["2026-01-02", "2026-01-02T00:00:00.000000000Z"],
    ["2026-01-02 03:04", "2026-01-02T03:04:00.000000000Z"],
    ["2026-13-02", undefined],
    ["2026-02-30T03:04:05Z", undefined],
    ["yesterday", undefined],
    ["", undefined],
  ];
  for (const [text, time] of cases) assert.equal(parseTimestamp(text), time, text);
});

Deno.test("attachments of a message are refused", async () => {
  await using engine = await openEngine();
  const values = { context: "clerk@city", message: "hi" };
  const refused = await engine.refused("social.postMessage", values, { body: { attachments: [{ ID: "x" }] } });
  assert.match(refused.message, /cannot have attachments/);
  assert.ok(await engine.body("social.postMessage", values, { body: { attachments: [] } }));
});

Deno.test("a page of many messages reads all replies at once, oldest first", async () => {
  await using engine = await openEngine();
  const post = (context: string, message: string) => engine.body("social.postMessage", { context, message });
  const ids: string[] = [];
  while (ids.length < 1000) ids.push(textAt(await post("clerk@city", "Plan received"), "id"));
  for (let reply = 0; reply < 4000; reply++) await post(ids[reply % ids.length] ?? "", `Reply ${reply}`);
  const [started, filter] = [readCpuTime(), { filterFor: "clerk@city", filterBy: "messages", pageSize: 1000 }];
  const feed = await engine.body("social.getFeed", { feedID: "pyUserFeed", ...filter });
  const list = await engine.body("social.listMessages", filter);
  assert.ok(readCpuTime() - started < 5000, "a call holds up all others while it is served");
  for (const body of [valueAt(feed, "data.FeedList.pxResults"), valueAt(list, "messages")]) {
    assert.ok(Array.isArray(body));
    assert.deepEqual(body.map((entry) => textAt(entry, "id")), ids.toReversed());
    const replies = valueAt(body[0], "pxResults") ?? valueAt(body[0], "replies");
    assert.ok(Array.isArray(replies));
    assert.deepEqual(
      replies.map((reply) => valueAt(reply, "message")),
      [999, 1999, 2999, 3999].map((n) => `Reply ${n}`),
    );
  }
});
