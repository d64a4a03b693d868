/** Dates and times: kept in UTC, whatever the zone in which they come. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../../utils/json.ts";
import { createPermit, type Engine, objectAt, openEngine, textAt, valueAt } from "../../harness/service_engine.ts";

const GIVEN = "2026-11-23 14:13:53.0009-0500";
const KEPT = "2026-11-23T19:13:53.000Z";

const DIARY = `
application: { id: Diary, name: Diary, organisation: Org }
operators: { "ada@diary": { name: Ada } }
caseTypes:
  Org-Diary-Work-Day:
    name: Day
    prefix: D
    workPool: DIARY-WORK
    fields:
      Due: { type: DateTime }
      Said: { type: Text }
      First: { type: DateTime, default: "${GIVEN}" }
      Stop: { type: Page, fields: { At: { type: DateTime } } }
      Stops: { type: List, fields: { At: { type: DateTime }, Until: { type: DateTime, default: "${GIVEN}" } } }
      Same: { type: DateTime, calculated: "Said" }
      Listed: { type: List, calculated: "[{'At': Said}]", fields: { At: { type: DateTime } } }
      Late: { type: Boolean, calculated: "Due != '' && Due < now" }
    stages:
      PRIM0:
        name: Day
        processes: { Live: { steps: { Live: {} } } }
dataTypes:
  Org-Diary-Data-Alarm:
    name: Alarm
    key: [ID]
    savable: D_Alarms
    fields: { ID: { type: Integer }, At: { type: DateTime } }
dataViews:
  D_Alarms: { name: Alarms, source: records, class: Org-Diary-Data-Alarm }
`;

/** The content of a new case. */
async function create(engine: Engine, data: JsonObject, pageInstructions: JsonObject[] = []) {
  const created = await engine.body("cases.create", { type: "Org-Diary-Work-Day", data, pageInstructions });
  return valueAt(await engine.body("cases.get", { caseId: textAt(created, "id") }), "data.caseInfo.content");
}

Deno.test("a date and time from a form, a default or an expression is stored in UTC with milliseconds", async () => {
  await using engine = await openEngine(DIARY);
  const page = { At: GIVEN };
  const append = { instruction: "APPEND", target: ".Stops", content: page };
  const content = await create(engine, { Due: GIVEN, Said: GIVEN, Stop: page, Stops: [page] }, [append]);
  const pages = ["Stop.At", "Stops.0.At", "Stops.0.Until", "Stops.1.At"];
  for (const path of ["Due", "First", ...pages, "Same", "Listed.0.At"]) {
    assert.equal(valueAt(content, path), KEPT, path);
  }
  assert.equal(valueAt(content, "Said"), GIVEN, "a text is what was written");
});

Deno.test("the times of a case never go back, although the clock of another machine is behind", async () => {
  await using engine = await openEngine();
  const caseId = await createPermit(engine);
  const changes = [
    ["cases.performAction", { caseId, action: "pyUpdateCaseDetails", data: { Channel: "Post" } }],
    ["tags.add", { caseId, tag: ["urgent"] }],
    ["cases.performAction", { caseId, action: "pyUpdateCaseDetails", data: { Channel: "Desk" } }],
  ] as const;
  for (const [name, values] of changes) await engine.call(name, values, { wait: -60_000 });
  const history = await engine.history(caseId);
  const times = history.map(({ pxTimeCreated }) => String(pxTimeCreated));
  assert.deepEqual(times, times.toSorted());
  assert.deepEqual(history.slice(-2).map(({ pyHistoryType }) => pyHistoryType), ["performed", "performed"]);
  const { createTime, lastUpdateTime } = objectAt(await engine.body("cases.get", { caseId }), "data.caseInfo");
  assert.ok(String(lastUpdateTime) >= String(createTime), `${createTime}, ${lastUpdateTime}`);
});

Deno.test("an expression compares a date and time with now, whatever zone it came in", async () => {
  await using engine = await openEngine(DIARY); // whose clock begins at 03:04:05 in UTC
  const late = async (Due: string) => valueAt(await create(engine, { Due }), "Late");
  assert.equal(await late("2026-01-01T22:00:00-08:00"), false);
  assert.equal(await late("2026-01-02T10:00:00+09:00"), true);
});

Deno.test("equal times in different zones are one row and one group", async () => {
  await using engine = await openEngine(DIARY);
  for (const [ID, At] of [GIVEN, KEPT, "2026-11-24T04:13:53+09:00"].entries()) {
    await engine.call("data.create", { dataViewId: "D_Alarms", data: { ID, At } });
  }
  const rows = async (query: JsonObject) => {
    return (await engine.body("data.query", { dataViewId: "D_Alarms", data: { query } })).data;
  };
  assert.deepEqual(await rows({ select: ["At"], distinctResultsOnly: true }), [{ At: KEPT }]);
  const aggregations = { N: { field: "ID", summaryFunction: "COUNT" } };
  assert.deepEqual(await rows({ select: ["At", { aggregation: "N" }], aggregations }), [{ At: KEPT, N: 3 }]);
});
