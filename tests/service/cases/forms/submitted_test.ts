/** Submitted forms: references, choices, pages and rows are accepted and stored, and conditions are enforced. */
import assert from "node:assert/strict";
import type { JsonValue } from "../../../../utils/json.ts";
import { objectAt, type Refusal, valueAt } from "../../../harness/service_engine.ts";
import { pick, Trip, viewOf } from "./_forms.ts";

const DEPOT = "Acme-Trips-Data-Depot";
const OSLO = { classID: DEPOT, ID: 1, City: "Oslo", Country: "NO", Open: true };
const NO_DEPOT = { classID: DEPOT, ID: "", City: "", Country: "", Open: false };

Deno.test("a reference is chosen by its key, in content or by REPLACE, and its record fills in the rest", async () => {
  await using trip = await Trip.open();
  const shown = async (data: { [name: string]: JsonValue }, instructions: JsonValue[] = []) =>
    pick(await trip.perform("References", data, instructions), "Depot", "Hub");
  assert.deepEqual(await shown({ Depot: { ID: 1 } }), { Depot: OSLO, Hub: NO_DEPOT });
  const replaced = { instruction: "REPLACE", target: ".Hub", content: { ID: 2, City: "Nowhere" } };
  assert.deepEqual(await shown({}, [replaced]), {
    Depot: OSLO,
    Hub: { classID: DEPOT, ID: 2, City: "Bergen", Country: "NO", Open: false },
  });
  assert.deepEqual(await shown({ Depot: { ID: "" } }), {
    Depot: NO_DEPOT,
    Hub: { classID: DEPOT, ID: 2, City: "Bergen", Country: "NO", Open: false },
  });
});

Deno.test("a record with two keys is chosen by both", async () => {
  await using trip = await Trip.open();
  const view = viewOf(await trip.form("References"), "References_Corner");
  assert.deepEqual(valueAt(view, "config.classKeys"), [{ name: "Country" }, { name: "Code" }]);
  const { Corner } = await trip.perform("References", { Corner: { Country: "SE", Code: "c" } });
  assert.deepEqual(Corner, { classID: "Acme-Trips-Data-Street", Country: "SE", Code: "c", Name: "Canal" });
  const wrong = await trip.refused("References", { Corner: { Country: "SE", Code: "q" } });
  assert.match(JSON.stringify(wrong.details), /D_StreetRecords has no record with Country \\"SE\\", Code \\"q\\"/);
});

Deno.test("a refresh shows the record that was chosen, and leaves an unknown key as it is", async () => {
  await using trip = await Trip.open();
  const depot = async (ID: number) =>
    objectAt(await trip.refresh("References", { Depot: { ID } }), "data.caseInfo.content.Depot");
  assert.deepEqual(await depot(1), OSLO);
  assert.deepEqual(await depot(9), { ...NO_DEPOT, ID: 9 });
});

Deno.test("records are added and removed by page instructions, and a record that remains keeps its values", async () => {
  await using trip = await Trip.open();
  const skills = async (...instructions: JsonValue[]) => (await trip.perform("References", {}, instructions)).Skills;
  const insert = (listIndex: number, ID: string) => ({
    instruction: "INSERT",
    target: ".Skills",
    listIndex,
    content: { ID },
  });
  const [driving, cooking] = [["s1", "Driving"], ["s2", "Cooking"]].map(([ID, Text]) => {
    return { classID: "Acme-Trips-Data-Skill", ID, Text };
  });
  assert.deepEqual(await skills(insert(1, "s1"), insert(2, "s2")), [driving, cooking]);
  assert.deepEqual(await skills({ instruction: "DELETE", target: ".Skills", listIndex: 1 }), [cooking]);
  assert.deepEqual(await skills({ instruction: "DELETE ALL", target: ".Skills" }), []);
});

Deno.test("a record, a choice or an operator that does not exist is refused at its field", async () => {
  await using trip = await Trip.open({ Country: "NO" });
  const unknown = await trip.refused("References", { Depot: { ID: 9 } });
  assert.deepEqual([unknown.status, describe(unknown)], [422, [[".Depot", "Depot: D_Depots has no record with ID 9"]]]);
  const swedish = await trip.refused("References", { Depot: { ID: 3 } });
  assert.equal(swedish.status, 422, "Lund is not in Norway, the country that the reference passes on");
  const row = await trip.refused("References", {}, [
    { instruction: "APPEND", target: ".Skills", content: { ID: "s9" } },
  ]);
  assert.match(String(describe(row)[0]?.[0]), /^\.Skills\(1\)/);
  const street = await trip.refused("EnterTrip", { Street: "c", Lead: "eve@acme" });
  assert.deepEqual(describe(street), [
    [".Lead", "Lead: there is no operator 'eve@acme'"],
    [".Street", 'Street: D_Streets does not offer "c"'],
  ]);
});

Deno.test("a choice depends on another field", async () => {
  await using trip = await Trip.open({ Country: "NO" });
  const content = await trip.perform("EnterTrip", { Country: "SE", Street: "c", Origin: "s1", Lead: "ben@acme" });
  assert.deepEqual(pick(content, "Country", "Street", "Origin", "Lead"), {
    Country: "SE",
    Street: "c",
    Origin: "s1",
    Lead: "ben@acme",
  });
});

Deno.test("a time of day, a percentage and rich text are stored", async () => {
  await using trip = await Trip.open();
  const values = { Kind: "Air", Start: "06:30", Rebate: 12.5, Fee: 80, Story: "<p>Hi</p>" };
  const content = await trip.perform("EnterTrip", values);
  assert.deepEqual(pick(content, "Start", "Rebate", "Total", "Story"), {
    Start: "06:30:00",
    Rebate: 12.5,
    Total: 70,
    Story: "<p>Hi</p>",
  });
  await using other = await Trip.open();
  const wrong = await other.refused("EnterTrip", { Kind: "Air", Start: "25:00", Rebate: 101 });
  assert.deepEqual(describe(wrong), [
    [".Start", "25:00 is not a valid time of day (HH:MM:SS)"],
    [".Rebate", "101 is more than 100"],
  ]);
});

Deno.test("a hidden field is neither required nor changed, and a condition decides whether a value is required", async () => {
  await using trip = await Trip.open();
  const hidden = await trip.refused("EnterTrip", { Kind: "Rail", Fee: 3 });
  assert.deepEqual([hidden.status, hidden.details.map(({ localizedValue }) => localizedValue)], [
    400,
    ["'Fee' is not shown in this form now"],
  ]);
  const required = await trip.refused("EnterTrip", { Kind: "Air", Urgent: true });
  assert.deepEqual([required.status, describe(required)], [422, [[".Fee", "Fee is required"]]]);
  const locked = await trip.refused("EnterTrip", { Kind: "Air", Urgent: true, Fee: 1, Weight: 7 });
  assert.deepEqual(locked.details.map(({ localizedValue }) => localizedValue), [
    "'Weight' is not editable in this form now",
  ]);
  assert.equal((await trip.perform("EnterTrip", { Kind: "Rail", Urgent: true })).Kind, "Rail");
});

Deno.test("a saved value of a field that is hidden at the end is not stored", async () => {
  await using trip = await Trip.open();
  const { engine, assignmentId } = trip;
  const data = { Kind: "Air", Fee: 30 };
  await engine.call("assignments.save", { assignmentId, action: "EnterTrip", data, ifMatch: "*" });
  const content = await trip.perform("EnterTrip", { Kind: "Rail" });
  assert.deepEqual(pick(content, "Kind", "Fee"), { Kind: "Rail", Fee: "" });
});

Deno.test("conditions of a page use the page", async () => {
  await using trip = await Trip.open();
  const missing = await trip.refused("EditTrip", { Home: { City: "Oslo", Capital: true } });
  assert.match(JSON.stringify(missing.details), /Mayor is required/);
  const hidden = await trip.refused("EditTrip", { Home: { City: "Oslo", Mayor: "Marianne" } });
  assert.deepEqual(hidden.details.map(({ localizedValue }) => localizedValue), [
    "'Mayor' is not shown in this form now",
  ]);
  const { Home } = await trip.perform("EditTrip", {
    Home: { City: "Oslo", Capital: true, Mayor: "Marianne", Depot: { ID: 2 } },
  });
  assert.deepEqual([valueAt(Home, "Mayor"), valueAt(Home, "Depot.City")], ["Marianne", "Bergen"]);
});

Deno.test("only the members that a row's views show can be edited", async () => {
  await using trip = await Trip.open();
  const append = (target: string, content: JsonValue) => ({ instruction: "APPEND", target, content });
  const wrong = await trip.refused("Stops", {}, [append(".Bags", { Owner: "Ada", Sealed: true })]);
  assert.equal(wrong.status, 400);
  assert.match(String(wrong.details[0]?.localizedValue), /'Sealed' of \.Bags\(1\) is not editable in this form/);
  const { Stops, Bags } = await trip.perform("Stops", {}, [
    append(".Stops", { City: "Oslo", Note: "Sea", Locked: false }),
    append(".Stops(1).Guests", { Name: "Bo" }),
    append(".Bags", { Owner: "Ada", Kilos: 7 }),
  ]);
  assert.deepEqual([valueAt(Stops, "0.Note"), valueAt(Stops, "0.Guests.0.Name"), valueAt(Bags, "0.Kilos")], [
    "Sea",
    "Bo",
    7,
  ]);
});

Deno.test("rows are added and deleted only as the conditions of the list allow", async () => {
  await using trip = await Trip.open({ Bags: [{ Owner: "Ada" }] });
  const add = { instruction: "APPEND", target: ".Stops", content: { City: "Oslo" } };
  const urgent = await trip.refused("Stops", { Urgent: true }, [add]);
  const remove = await trip.refused("Stops", {}, [{ instruction: "DELETE", target: ".Bags", listIndex: 1 }]);
  assert.deepEqual([urgent, remove].map(({ status, details }) => [status, details[0]?.localizedValue]), [
    [400, "rows cannot be added to 'Stops' now"],
    [400, "rows of 'Bags' cannot be deleted now"],
  ]);
  const { Stops } = await trip.perform("Stops", { Urgent: false }, [add]);
  assert.equal(valueAt(Stops, "0.City"), "Oslo");
});

Deno.test("a form that is submitted as it was read changes nothing", async () => {
  await using trip = await Trip.open({ Depot: { ID: 1 }, Skills: [{ ID: "s1" }], Home: { City: "Oslo" } });
  for (const action of ["References", "EditTrip"]) {
    const { classID: _, ...content } = objectAt(await trip.form(action), "data.caseInfo.content");
    const fields = Object.fromEntries(Object.entries(content).filter(([name]) => !/^p[xy]/.test(name)));
    const before = objectAt(await trip.engine.body("cases.get", { caseId: trip.caseId }), "data.caseInfo.content");
    const after = await trip.perform(action, fields);
    const changing = ["pxUpdateDateTime"];
    for (const name of changing) delete before[name];
    for (const name of changing) delete after[name];
    assert.deepEqual(after, before);
  }
});

/** Returns the places and the texts of issues, without the general one. */
function describe({ details }: Refusal): [JsonValue | undefined, JsonValue | undefined][] {
  return details.slice(1).map((issue) => [issue.erroneousInputOutputFieldInPage, issue.localizedValue]);
}
