/** Data records over HTTP. */
import assert from "node:assert/strict";
import { ExactNumber } from "../../../utils/exact_number.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { type ApiAnswer, openService, readErrorDetails, type TestService } from "../../harness/service.ts";
import { openEngine, valueAt } from "../../harness/service_engine.ts";

const VISITS = `
application: { id: Visits, name: Visits, organisation: Org, variant: hosted, platformVersion: 25 }
operators: { "ada@visits": { name: Ada, queues: [] } }
queues: {}
caseTypes: {}
dataTypes:
  Org-Visits-Data-Visit:
    name: Visit
    key: [Place, Year]
    savable: D_Visits
    fields:
      Place: { type: Text }
      Note: { type: Text }
      Year: { type: Integer }
      Guests: { type: Integer, min: 0, default: 1 }
      Price: { type: Decimal, required: true }
      Total: { type: Decimal, calculated: "Price * double(Guests)" }
      Rooms: { type: List, fields: { Name: { type: Text }, Beds: { type: Integer } } }
      Host: { type: Page, fields: { Name: { type: Text } } }
    views:
      Offer: { fields: [{ field: Price, visible: size(Place) > 3 }] }
    actions:
      Invite: { name: Invite, fields: [Guests, { field: Price, readOnly: true }] }
dataViews:
  D_Visits: { name: Visits, source: records, class: Org-Visits-Data-Visit }
  D_OtherVisits: { name: Other visits, source: records, class: Org-Visits-Data-Visit }
`;

const VISIT = { Place: "Oslo/Ø", Year: 2026, Guests: 2, Price: 10 };

async function withVisit(work: (svc: TestService, tag: string) => Promise<void>): Promise<void> {
  await using svc = await openService({ yaml: VISITS });
  const { status, headers } = await svc.call("POST", "/data/D_Visits", { body: { data: VISIT } });
  assert.equal(status, 200);
  await work(svc, headers.get("etag") ?? "");
}

function stored({ body }: ApiAnswer): JsonValue | undefined {
  return isJsonObject(body) ? body.responseData : undefined;
}

async function read(svc: TestService, keys: JsonObject = VISIT): Promise<ApiAnswer> {
  return await svc.call("GET", `/data_views/D_Visits?dataViewParameters=${encodeURIComponent(JSON.stringify(keys))}`);
}

Deno.test("a view of a data view is sent with an entity tag: that of its rows, or of the record that the key names", () =>
  withVisit(async (svc, tag) => {
    const open = async (dataViewParameters: JsonObject = {}) => {
      const answer = await svc.call("POST", "/data_views/D_Visits/views/pyDetails", { body: { dataViewParameters } });
      assert.equal(answer.status, 200);
      return { body: answer.body, tag: answer.headers.get("etag") };
    };
    const key = { Place: "Oslo/Ø", Year: 2026 };
    const record = await open(key);
    assert.equal(record.tag, tag);
    assert.ok(isJsonObject(record.body) && isJsonObject(record.body.data));
    assert.deepEqual([record.body.etag, record.body.data.Total], [tag, 20]);

    const rows = await open();
    assert.equal((await open()).tag, rows.tag, "nothing has changed");
    const change = { body: { data: { ...key, Guests: 3 } }, headers: { "if-match": tag } };
    assert.equal((await svc.call("PATCH", "/data/D_Visits", change)).status, 200);
    assert.notEqual((await open()).tag, rows.tag);
    assert.notEqual((await open(key)).tag, tag);
  }));

Deno.test("a view of a record has the results of its conditions", () =>
  withVisit(async (svc) => {
    const open = async (dataViewParameters: JsonObject) => {
      const { body } = await svc.call("POST", "/data_views/D_Visits/views/Offer", { body: { dataViewParameters } });
      return valueAt(body, "uiResources.context_data");
    };
    const results = { summary_of_when_conditions__: { Offer_Price_visible: true }, summary_of_associated_lists__: {} };
    assert.deepEqual(await open({ Place: "Oslo/Ø", Year: 2026 }), { caseInfo: { content: results } });
    assert.deepEqual(await open({}), {}, "rows have no conditions of one record");
  }));

Deno.test("a new record has defaults and calculated fields, and is read by its key", () =>
  withVisit(async (svc, tag) => {
    const found = await read(svc);
    assert.equal(found.headers.get("etag"), tag);
    assert.ok(isJsonObject(found.body));
    assert.equal(found.body.id, '["Oslo/Ø",2026]');
    assert.equal(found.body.Total, 20);
    const short = await svc.call("POST", "/data/D_Visits", { body: { data: { Place: "Bergen", Year: 1, Price: 3 } } });
    assert.deepEqual(stored(short), { Place: "Bergen", Year: 1, Guests: 1, Price: 3, Total: 3 });
    assert.equal((await read(svc, { Place: "Bergen", Year: "1" })).status, 200);
    assert.equal((await read(svc, { Place: "Bergen", Year: 2 })).status, 404);
    assert.equal((await read(svc, { Place: "Bergen" })).status, 422);
  }));

Deno.test("creating a record with an existing key is a conflict", () =>
  withVisit(async (svc, tag) => {
    const again = await svc.call("POST", "/data/D_Visits", { body: { data: { ...VISIT, Price: 99 } } });
    assert.equal(again.status, 409);
    assert.equal((await read(svc)).headers.get("etag"), tag);
  }));

Deno.test("an invalid record is refused with one detail per field", () =>
  withVisit(async (svc) => {
    const data = { Year: "soon", Guests: -1 };
    const { status, body } = await svc.call("POST", "/data/D_Visits", { body: { data } });
    assert.equal(status, 422);
    assert.deepEqual(readErrorDetails(body).map((detail) => detail.erroneousInputOutputFieldInPage ?? detail.message), [
      "Error_Validation_Fail",
      ".Year",
      ".Guests",
      ".Place",
      ".Price",
    ]);
    assert.equal((await svc.call("POST", "/data/D_Visits", { body: { data: { ...VISIT, Wheels: 4 } } })).status, 400);
    assert.equal((await svc.call("POST", "/data/D_Visits", { body: { data: { ...VISIT, Total: 4 } } })).status, 400);
    assert.equal((await svc.call("POST", "/data/D_Visits", { body: {} })).status, 400);
  }));

Deno.test("an empty array is valid only for lists, and an infinite number never", () =>
  withVisit(async (svc) => {
    const create = async (members: string) => {
      const text = `{"data":{"Place":"A","Year":1,"Price":1,${members}}}`;
      const { status, body } = await svc.call("POST", "/data/D_Visits", { text });
      return [status, readErrorDetails(body)[1]?.message];
    };
    assert.deepEqual(await create('"Note":[]'), [422, "[] is not a valid text value"]);
    assert.deepEqual(await create('"Guests":[]'), [422, "[] is not a valid integer value"]);
    assert.deepEqual(await create('"Price":1e400'), [422, "1e400 is not a valid decimal value"]);
    assert.deepEqual(await create('"Rooms":[]'), [200, undefined]);
  }));

Deno.test("a number keeps its digits in a record, in its key and in lists", async () => {
  await using svc = await openService({ yaml: VISITS.replace(/, calculated: "Price.*"/, "") });
  const [year, price] = [new ExactNumber("9007199254740993"), new ExactNumber("0.12345678901234567890123")];
  const data = { Place: "A", Year: year, Guests: 1, Price: price, Rooms: [{ Beds: year }] };
  assert.deepEqual(stored(await svc.call("POST", "/data/D_Visits", { body: { data } })), data);
  const found = await read(svc, { Place: "A", Year: year });
  assert.ok(isJsonObject(found.body));
  assert.deepEqual([found.body.Year, found.body.Price], [year, price]);
  assert.equal((await read(svc, { Place: "A", Year: 9007199254740992 })).status, 404);
  const filter = { filterConditions: { F1: { lhs: { field: "Year" }, comparator: "EQ", rhs: { value: year } } } };
  const query = { select: ["Year", "Price"], filter: { ...filter, logic: "F1" } };
  const listed = await svc.call("POST", "/data_views/D_Visits", { body: { query } });
  assert.ok(isJsonObject(listed.body));
  assert.deepEqual(listed.body.data, [{ Year: year, Price: price }]);
});

Deno.test("an expression does not compute with a number that it would alter", () =>
  withVisit(async (svc) => {
    const data = { ...VISIT, Year: 1, Price: new ExactNumber("0.12345678901234567890123") };
    const { status, body } = await svc.call("POST", "/data/D_Visits", { body: { data } });
    assert.deepEqual([status, readErrorDetails(body).at(-1)?.message], [
      422,
      "Cannot compute Price * double(Guests): 0.12345678901234567890123 has more digits than an expression can compute with.",
    ]);
  }));

Deno.test("an expression reads a member without a value as empty", async () => {
  const beds = "sum(Rooms.map(room, Host.Name == '' ? room.Beds : 0.0))";
  await using svc = await openService({ yaml: VISITS.replace("Price * double(Guests)", beds) });
  const data = { ...VISIT, Rooms: [{ Name: "Blue", Beds: 2 }, { Name: "Red" }] };
  const created = await svc.call("POST", "/data/D_Visits", { body: { data } });
  assert.deepEqual(stored(created), { ...data, Total: 2 });
});

Deno.test("an expression that reads too many rows fails", async () => {
  const alike = "sum(Rooms.map(a, Rooms.exists_one(b, b.Name == a.Name) ? 0.0 : 1.0))";
  await using svc = await openService({ yaml: VISITS.replace("Price * double(Guests)", alike) });
  const create = async (rooms: number, year: number) => {
    const Rooms = Array.from({ length: rooms }, (_, number) => ({ Name: `R${number}` }));
    return await svc.call("POST", "/data/D_Visits", { body: { data: { ...VISIT, Year: year, Rooms } } });
  };
  const [few, many] = [await create(300, 1), await create(1500, 2)];
  assert.deepEqual([few.status, many.status], [200, 422]);
  assert.match(
    String(readErrorDetails(many.body).at(-1)?.message),
    / it (needs more than 20000000 steps|takes longer than 2 s)\.$/,
  );
  assert.equal((await read(svc, { Place: VISIT.Place, Year: 2 })).status, 404);
});

Deno.test("PUT replaces a record, PATCH changes members of it, and both give a newer tag", () =>
  withVisit(async (svc, tag) => {
    const patched = await svc.call("PATCH", "/data/D_Visits", {
      body: { data: { Place: VISIT.Place, Year: VISIT.Year, Price: 5 } },
      headers: { "if-match": tag },
    });
    assert.deepEqual(stored(patched), { ...VISIT, Price: 5, Total: 10 });
    const second = patched.headers.get("etag") ?? "";
    assert.ok(second > tag);
    const replaced = await svc.call("PUT", "/data/D_Visits", {
      body: { data: { Place: VISIT.Place, Year: VISIT.Year, Price: 7 } },
      headers: { "if-match": `W/"${second}"` },
    });
    assert.deepEqual(stored(replaced), { Place: VISIT.Place, Year: VISIT.Year, Guests: 1, Price: 7, Total: 7 });
    assert.ok((replaced.headers.get("etag") ?? "") > second);
  }));

Deno.test("a change needs no tag, but an old tag is refused", () =>
  withVisit(async (svc, tag) => {
    const change = (headers: Record<string, string>, method = "PATCH", data: JsonObject = { ...VISIT, Price: 1 }) =>
      svc.call(method, "/data/D_Visits", { body: { data }, headers });
    for (const method of ["PATCH", "PUT"]) {
      assert.equal((await change({ "if-match": "20200101T000000.000 GMT" }, method)).status, 412);
      assert.equal((await change({ "if-match": tag }, method, { ...VISIT, Year: 1999 })).status, 404);
    }
    assert.equal((await read(svc)).headers.get("etag"), tag);
    for (const [index, method] of ["PATCH", "PUT"].entries()) {
      const changed = await change({}, method, { ...VISIT, Price: 100 + index });
      assert.deepEqual([changed.status, stored(changed)], [200, {
        ...VISIT,
        Price: 100 + index,
        Total: 200 + 2 * index,
      }]);
      assert.equal(changed.headers.get("etag"), (await read(svc)).headers.get("etag"));
    }
  }));

Deno.test("metadata accepts a filter of associations", () =>
  withVisit(async (svc) => {
    const query = (body: JsonObject) => svc.call("POST", "/data_views/D_Visits/metadata", { body });
    const plain = await svc.call("GET", "/data_views/D_Visits/metadata");
    for (const associationFilter of [[], ["Place"]]) {
      const { status, body } = await query({ associationFilter });
      assert.deepEqual([status, body], [200, plain.body]);
    }
    const wrong = await query({ associationFilter: "Place" });
    assert.deepEqual([wrong.status, readErrorDetails(wrong.body)[0]?.message], [
      400,
      "associationFilter must be a JSON array.",
    ]);
    assert.equal((await svc.call("POST", "/data_views/D_Visits", { body: { associationFilter: [] } })).status, 400);
  }));

Deno.test("only one of two changes from the same tag succeeds", () =>
  withVisit(async (svc, tag) => {
    const outcomes = await Promise.all([1, 2, 3, 4].map((Price) =>
      svc.call("PATCH", "/data/D_Visits", { body: { data: { ...VISIT, Price } }, headers: { "if-match": tag } })
    ));
    assert.deepEqual(
      outcomes.map(({ status }) =>
        status
      ).sort(),
      [200, 412, 412, 412],
    );
  }));

Deno.test("a record is deleted by its keys in the query", () =>
  withVisit(async (svc) => {
    const query = new URLSearchParams({ Place: VISIT.Place, Year: String(VISIT.Year) });
    const twice = await svc.call("DELETE", `/data/D_Visits?Place=Bergen&${query}`);
    assert.deepEqual([twice.status, readErrorDetails(twice.body)[0]?.message], [
      400,
      "The query has Place more than once.",
    ]);
    assert.equal((await svc.call("DELETE", `/data/D_Visits?${query}`, { headers: { "if-match": "old" } })).status, 412);
    const gone = await svc.call("DELETE", `/data/D_Visits?${query}`);
    assert.deepEqual([gone.status, gone.body], [200, undefined]);
    assert.equal((await svc.call("DELETE", `/data/D_Visits?${query}`)).status, 404);
    const nothing = await svc.call("DELETE", "/data/D_Visits");
    assert.equal(nothing.status, 422);
    assert.deepEqual(readErrorDetails(nothing.body).slice(1).map((detail) => detail.localizedValue), [
      "Place is missing: it identifies the record",
      "Year is missing: it identifies the record",
    ]);
  }));

Deno.test("a record is deleted by a number in its key in any notation", async () => {
  await using svc = await openService({ yaml: VISITS.replace("[Place, Year]", "[Price]") });
  for (const Price of [0, -1.5, 1e-7, 1e21, 5e-324]) {
    assert.equal((await svc.call("POST", "/data/D_Visits", { body: { data: { Price } } })).status, 200);
    const query = new URLSearchParams({ Price: String(Price) });
    assert.equal((await svc.call("DELETE", `/data/D_Visits?${query}`)).status, 200, String(Price));
  }
});

Deno.test("a record with the key of a deleted one never gets its tags, even if the clock is set back", async () => {
  await using engine = await openEngine(VISITS);
  const dataViewId = "D_Visits";
  const tags: string[] = [];
  for (const wait of [0, 0, -60_000]) {
    tags.push((await engine.call("data.create", { dataViewId, data: VISIT }, { wait })).tag ?? "");
    for (let n = 0; n < 3; n++) {
      const values = { dataViewId, data: { ...VISIT, Price: n }, ifMatch: tags.at(-1) };
      tags.push((await engine.call("data.patch", values, { wait: 0 })).tag ?? "");
    }
    await engine.call("data.delete", { dataViewId, params: VISIT }, { wait: 0 });
  }
  assert.deepEqual(tags, [...new Set(tags)].sort());
});

Deno.test("an action shows its form and accepts only fields of the form", () =>
  withVisit(async (svc, tag) => {
    const listed = await svc.call("POST", "/data/D_Visits/actions", { body: {} });
    assert.match(JSON.stringify(listed.body), /"ID":"Invite"/);
    const opened = await svc.call("POST", "/data/D_Visits/actions/Invite", {
      body: { Place: VISIT.Place, Year: VISIT.Year },
    });
    assert.ok(isJsonObject(opened.body));
    assert.deepEqual(opened.body.data, { Guests: 2, Price: 10 });
    assert.equal(opened.headers.get("etag"), tag);
    const submit = (content: JsonObject, headers = {}) =>
      svc.call("PATCH", "/data/D_Visits/actions/Invite", {
        body: { content: { Place: VISIT.Place, Year: VISIT.Year, ...content } },
        headers,
      });
    assert.equal((await submit({ Price: 1 })).status, 400);
    assert.equal((await submit({ Guests: 3 }, { "if-match": "old" })).status, 412);
    assert.deepEqual(stored(await submit({ Guests: 3 }, { "if-match": tag })), { ...VISIT, Guests: 3, Total: 30 });
    const none = await svc.call("PATCH", "/data/D_Visits/actions/Bake", { body: {} });
    assert.deepEqual([none.status, readErrorDetails(none.body)[0]?.message], [
      404,
      "Visit has no action Bake; available: Invite",
    ]);
  }));

Deno.test("a data view that saves no records refuses them", () =>
  withVisit(async (svc) => {
    const { status, body } = await svc.call("POST", "/data/D_OtherVisits", { body: { data: VISIT } });
    assert.deepEqual([status, readErrorDetails(body)[0]?.message], [400, "D_OtherVisits does not save records."]);
  }));

Deno.test("records whose keys differ only in how accents are stored are one record", () =>
  withVisit(async (svc) => {
    const [composed, decomposed] = ["Zo\u00eb", "Zoe\u0308"];
    const create = async (Place: string) =>
      await svc.call("POST", "/data/D_Visits", { body: { data: { ...VISIT, Place } } });
    assert.equal((await create(decomposed)).status, 200);
    assert.equal((await create(composed)).status, 409);
    assert.equal(valueAt((await read(svc, { Place: composed, Year: 2026 })).body, "Place"), decomposed);
    for (const Place of [composed, decomposed]) {
      const found = await svc.rows("D_Visits", {
        query: {
          filter: { filterConditions: { F1: { lhs: { field: "Place" }, comparator: "EQ", rhs: { value: Place } } } },
        },
      });
      assert.equal(found.length, 1);
      const changed = await svc.call("PATCH", "/data/D_Visits", { body: { data: { Place, Year: 2026, Note: Place } } });
      assert.equal(changed.status, 200);
    }
  }));
