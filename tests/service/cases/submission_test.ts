/** Submissions as clients of real servers send them. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { ExactNumber } from "../../../utils/exact_number.ts";
import { valueAt } from "../../harness/service_engine.ts";
import { openTrip } from "./_trip.ts";

/** Returns a content without the members that every content has, and without those of its pages and rows. */
function withoutFacts(value: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map(withoutFacts);
  if (!isJsonObject(value)) return value ?? null;
  const own = Object.entries(value).filter(([name, member]) => {
    return member !== undefined && !/^(classID|p[xyz][A-Z].*)$/.test(name);
  });
  return Object.fromEntries(own.map(([name, member]) => [name, withoutFacts(member)]));
}

Deno.test("numbers and booleans are accepted as texts, and stored as what they are", async () => {
  await using trip = await openTrip();
  const stop = { City: "Bergen", Fee: " 45.50 ", Guests: [{ Name: "Bo", Age: "7" }] };
  const content = await trip.submit({ Days: "4", Fee: "4500", Abroad: "true", Home: { Floor: "-1" } }, [
    { instruction: "APPEND", target: ".Stops", content: stop },
  ]);
  const found = ["Days", "Fee", "Abroad", "Home.Floor", "Stops.0.Fee", "Stops.0.Guests.0.Age", "Total"].map((path) =>
    valueAt(content, path)
  );
  assert.deepEqual(found, [4, 4500, true, -1, 45.5, 7, 4545.5]);
});

Deno.test("whole numbers and booleans are accepted for texts, if nothing is lost", async () => {
  await using trip = await openTrip();
  for (const City of [12.5, { a: 1 }, ["x"]]) {
    const values = { ...trip.form, data: { Days: 1, Home: { City } }, ifMatch: "*" };
    const { status } = await trip.engine.refused("assignments.perform", values);
    assert.equal(status, 422, "the digits may have been 12.50");
  }
  const content = await trip.submit({ Days: 1, Home: { City: 12345 } }, [
    { instruction: "APPEND", target: ".Stops", content: { City: true, Guests: [{ Name: -7 }] } },
    { instruction: "APPEND", target: ".Stops", content: { City: new ExactNumber("12345678901234567890") } },
  ]);
  const found = ["Home.City", "Stops.0.City", "Stops.0.Guests.0.Name", "Stops.1.City"].map((path) =>
    valueAt(content, path)
  );
  assert.deepEqual(found, ["12345", "true", "-7", "12345678901234567890"]);
});

Deno.test("an empty text empties a value of any type, and means false for a boolean", async () => {
  const full = { Kind: "Air", Days: 3, Fee: 2, Abroad: true, Start: "2026-01-31", Home: { City: "Oslo", Floor: 3 } };
  await using trip = await openTrip(full);
  const empty = { Kind: "", Fee: "", Abroad: "", Start: "", Home: { City: "", Floor: "" } };
  const content = await trip.submit(empty);
  const found = ["Kind", "Fee", "Abroad", "Start", "Home.City", "Home.Floor"].map((path) => valueAt(content, path));
  assert.deepEqual(found, ["", "", false, "", "", ""]);
});

Deno.test("a text that is not a number is refused at the field, in a row with the path of the row", async () => {
  await using trip = await openTrip();
  const Stops = [{ City: "Bergen" }, { Fee: "much", Guests: [{ Name: "Bo" }, { Age: "4.5" }] }];
  const values = { ...trip.form, data: { Days: "4.5", Home: { Floor: "top" }, Stops }, ifMatch: "*" };
  const { status, details } = await trip.engine.refused("assignments.perform", values);
  assert.equal(status, 422);
  assert.equal(details[0]?.message, "Error_Validation_Fail", "the generic issue comes first");
  assert.deepEqual(details.slice(1).map((issue) => [issue.erroneousInputOutputFieldInPage, issue.localizedValue]), [
    [".Days", "4.5 is not a valid integer value"],
    [".Home.Floor", "top is not a valid integer value"],
    [".Stops(2).Fee", "much is not a valid amount"],
    [".Stops(2).Guests(2).Age", "4.5 is not a valid integer value"],
    [".Stops(2).Guests(2).Name", "Name is required"],
  ]);
});

Deno.test("a client may send every row of a list back, changed or not, with what the service added", async () => {
  const Stops = [{ City: "Bergen", Fee: 5, Guests: [{ Name: "Bo" }] }, { City: "Molde" }];
  await using trip = await openTrip({ Days: 1, Stops });
  const read = await trip.engine.body("assignments.getAction", trip.form);
  const rows = valueAt(read, "data.caseInfo.content.Stops");
  assert.ok(Array.isArray(rows));
  const updates = rows.map((content, index) => ({
    instruction: "UPDATE",
    target: ".Stops",
    listIndex: index + 1,
    content,
  }));
  const before = withoutFacts(valueAt(read, "data.caseInfo.content"));
  assert.deepEqual(withoutFacts(await trip.submit({}, updates)), before);
});

Deno.test("targets may start with a dot or not, name a row, and name a list in a row", async () => {
  const Stops = [{ City: "Bergen" }, { City: "Molde", Guests: [{ Name: "Bo" }, { Name: "Al" }] }, { City: "Bodø" }];
  await using trip = await openTrip({ Days: 1, Home: { City: "Oslo", Floor: 2 }, Stops });
  const content = await trip.submit({ Home: { City: "Voss" } }, [
    { instruction: "DELETE", target: ".Stops(3)" },
    { instruction: "UPDATE", target: "Stops(1)", content: { Fee: "70" } },
    { instruction: "DELETE", target: ".Stops(2).Guests", listIndex: 1 },
    { instruction: "INSERT", target: "Stops(2).Guests", listIndex: 2, content: { Name: "Cy" } },
    { instruction: "UPDATE", target: ".Stops(2).Guests(1)", content: { Age: 9 } },
    { instruction: "UPDATE", target: ".Home", content: { classID: "Any-Class", pxObjClass: "Any-Class" } },
  ]);
  assert.deepEqual(withoutFacts(valueAt(content, "Home")), { City: "Voss", Floor: 2 });
  const [first, second, ...others] = [valueAt(content, "Stops")].flat();
  assert.deepEqual([valueAt(first, "Fee"), others], [70, []]);
  assert.deepEqual(withoutFacts(valueAt(second, "Guests")), [{ Name: "Al", Age: 9 }, { Name: "Cy", Age: "" }]);
});

Deno.test("members that the platform and user interfaces keep are ignored, and others must be in the form", async () => {
  await using trip = await openTrip({ Days: 1 });
  const kept = { classID: "Other", pxObjClass: "Other", pzInsKey: "KEY", EmbedListUUID__: "b6d0" };
  const row: JsonObject = { ...kept, City: "Bergen" };
  await trip.submit({ ...kept, Home: kept }, [
    { instruction: "INSERT", target: ".Stops", listIndex: 1, content: row },
  ]);
  const read = await trip.engine.body("cases.get", { caseId: trip.caseId });
  assert.equal(valueAt(read, "data.caseInfo.content.classID"), "Org-Trips-Work-Trip");
  assert.equal(valueAt(read, "data.caseInfo.content.Stops.0.classID"), "Org-Trips-Data-Stop");
  assert.equal(JSON.stringify(read).includes("b6d0"), false);
  const named = { ...trip.form, action: "Confirm", data: { pyLabel: "My trip" }, ifMatch: "*" };
  const { status, message } = await trip.engine.refused("assignments.perform", named);
  assert.deepEqual([status, message], [400, "'pyLabel' is not a field of this form; available: Kind"]);
});
