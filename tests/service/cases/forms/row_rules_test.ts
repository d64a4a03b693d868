/** Rules about the rows of lists: each change of a row is checked before it is made. */
import assert from "node:assert/strict";
import { readForm } from "../../../../lib/forms/mod.ts";
import type { JsonObject, JsonValue } from "../../../../utils/json.ts";
import { readCpuTime } from "../../../harness/cpu_time.ts";
import { objectAt, openEngine, type Refusal, textAt } from "../../../harness/service_engine.ts";
import { configWith } from "./_forms.ts";

const TOURS = `
application: { id: Tours, name: Tours, organisation: Acme, platformVersion: 25 }
operators: { "ada@acme": { name: Ada } }
dataTypes:
  Acme-Tours-Data-City:
    name: City
    key: [ID]
    savable: D_Cities
    fields: { ID: { type: Text, required: true }, Name: { type: Text } }
dataViews:
  D_Cities: { name: Cities, source: records, class: Acme-Tours-Data-City }
caseTypes:
  Acme-Tours-Work-Tour:
    name: Tour
    prefix: T
    workPool: ACME-TOURS-WORK
    fields:
      Frozen: { type: Boolean }
      Total: { type: Integer, calculated: "sum(Stops.map(s, s.Fee))" }
      Stops:
        type: List
        class: Acme-Tours-Data-Stop
        fields:
          City: { type: Text }
          Fee: { type: Integer }
          Double: { type: Integer, calculated: Fee * 2 }
          Locked: { type: Boolean }
          Place: { type: Reference, to: Acme-Tours-Data-City, text: Name }
          Guests: { type: List, class: Acme-Tours-Data-Guest, fields: { Name: { type: Text } } }
          Guide: { type: Page, fields: { Name: { type: Text } } }
        views:
          Stop:
            fields: [City, Fee, Locked, Place, { field: Guests, allowAdd: Fee < 100.0, allowMove: false }, Guide]
      Home:
        type: Page
        class: Acme-Tours-Data-Home
        fields:
          Closed: { type: Boolean }
          Rooms: { type: List, class: Acme-Tours-Data-Room, fields: { Name: { type: Text } } }
        views:
          Home: { fields: [Closed, { field: Rooms, allowAdd: Closed == false, allowDelete: false }] }
    stages:
      PRIM0:
        name: Plan
        transition: create
        processes:
          Plan:
            steps:
              Enter:
                view: pyDetails
                actions:
                  Any: { fields: [Frozen, { field: Stops, rowView: Stop }], next: [{ step: Enter }] }
                  NoEdit: { fields: [Frozen, { field: Stops, rowView: Stop, allowEdit: Frozen == false }] }
                  NoMove: { fields: [{ field: Stops, rowView: Stop, allowMove: false }], next: [{ step: Enter }] }
                  NoTable: { fields: [{ field: Stops, rowView: Stop, allowTableEdit: false }], next: [{ step: Enter }] }
                  Rows:
                    fields:
                      - field: Stops
                        rowView: Stop
                        allowRowEdit: Locked == false
                        allowRowDelete: City != 'Oslo'
                    next: [{ step: Enter }]
                  Few:
                    fields: [{ field: Stops, rowView: Stop, allowAdd: "size(Stops) < 3" }]
                    next: [{ step: Enter }]
                  Cheap:
                    fields: [{ field: Stops, rowView: Stop, allowAdd: Total < 100.0 }]
                    next: [{ step: Enter }]
                  Home: { fields: [{ field: Home, view: Home }], next: [{ step: Enter }] }
`;

const OSLO = { City: "Oslo", Fee: 10 };
const ROME = { City: "Rome", Fee: 20 };
const LIMA = { City: "Lima", Fee: 30, Locked: true };

/** Submits forms of one tour, each with the same content before. */
class Tour implements AsyncDisposable {
  readonly #engine: Awaited<ReturnType<typeof openEngine>>;
  readonly #data: JsonObject;

  private constructor(engine: Awaited<ReturnType<typeof openEngine>>, data: JsonObject) {
    this.#engine = engine;
    this.#data = data;
  }

  static async open(data: JsonObject): Promise<Tour> {
    const engine = await openEngine(TOURS);
    await engine.call("data.create", { dataViewId: "D_Cities", data: { ID: "o", Name: "Oslo" } });
    return new Tour(engine, data);
  }

  async #create(): Promise<{ caseId: string; assignmentId: string }> {
    const created = await this.#engine.body("cases.create", { type: "Acme-Tours-Work-Tour", data: this.#data });
    return { caseId: textAt(created, "id"), assignmentId: textAt(created, "nextAssignmentInfo.ID") };
  }

  /** Submits a form of a new tour, and returns the cities of its stops. */
  async cities(action: string, pageInstructions: JsonValue[], data: JsonObject = {}): Promise<string> {
    const content = await this.perform(action, pageInstructions, data);
    const stops = Array.isArray(content.Stops) ? content.Stops : [];
    return stops.map((stop) => textAt(stop, "City")).join(" ");
  }

  async perform(action: string, pageInstructions: JsonValue[], data: JsonObject = {}): Promise<JsonObject> {
    const { caseId, assignmentId } = await this.#create();
    await this.#engine.call("assignments.perform", { assignmentId, action, data, pageInstructions, ifMatch: "*" });
    return objectAt(await this.#engine.body("cases.get", { caseId }), "data.caseInfo.content");
  }

  /** Submits a form of a new tour, which must be refused, and returns the places and reasons. */
  async refused(action: string, pageInstructions: JsonValue[], data: JsonObject = {}): Promise<string[]> {
    const { assignmentId } = await this.#create();
    const body = { assignmentId, action, data, pageInstructions, ifMatch: "*" };
    const reasons = describe(await this.#engine.refused("assignments.perform", body));
    const saved = describe(await this.#engine.refused("assignments.save", body));
    assert.deepEqual(saved, reasons, "a draft cannot evade the rules");
    const refreshed = await this.#engine.call("assignments.refreshAction", {
      assignmentId,
      action,
      data,
      pageInstructions,
    });
    assert.ok(refreshed, "a refresh accepts any change");
    return reasons;
  }

  /** Opens a form as a client reads it. */
  async form(action: string) {
    const { assignmentId } = await this.#create();
    const query = { query: { viewType: "form" } };
    return await this.#engine.body("assignments.getAction", { assignmentId, action }, query);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine[Symbol.asyncDispose]();
  }
}

function describe({ status, details }: Refusal): string[] {
  assert.equal(status, 400);
  return details.map(({ erroneousInputOutputFieldInPage: place, localizedValue }) => `${place}: ${localizedValue}`);
}

const target = ".Stops";
const update = (listIndex: number, content: JsonObject) => ({ instruction: "UPDATE", target, listIndex, content });
const remove = (listIndex: number) => ({ instruction: "DELETE", target, listIndex });
const append = (content: JsonObject) => ({ instruction: "APPEND", target, content });
const move = (listIndex: number, listMoveToIndex: number) => ({
  instruction: "MOVE",
  target,
  listIndex,
  listMoveToIndex,
});

Deno.test("a form that does not allow it refuses changes of rows, and accepts unchanged ones", async () => {
  await using tour = await Tour.open({ Frozen: true, Stops: [{ ...OSLO, Place: { ID: "o" } }, ROME] });
  const unchanged = [
    update(1, { classID: "Acme-Tours-Data-Stop", City: "Oslo", Fee: "10", Locked: "", Double: 7, Guests: [] }),
    update(1, { Place: { ID: "o" }, Guide: { Name: "" } }),
    update(2, ROME),
    { instruction: "UPDATE ALL", target, content: {} },
  ];
  assert.equal(await tour.cities("NoEdit", unchanged), "Oslo Rome");
  assert.deepEqual(await tour.refused("NoEdit", [...unchanged, update(2, { Fee: 21, City: "Roma" })]), [
    ".Stops(2).City: 'City' of .Stops(2) is not editable in this form now",
    ".Stops(2).Fee: 'Fee' of .Stops(2) is not editable in this form now",
  ]);
  assert.equal((await tour.refused("NoEdit", [{ ...update(1, { City: "Rome" }), instruction: "REPLACE" }])).length, 3);
  assert.equal(
    (await tour.refused("NoEdit", [{ instruction: "UPDATE ALL", target, content: { City: "Oslo" } }])).length,
    1,
  );
  assert.equal(await tour.cities("NoEdit", [update(2, { City: "Roma" })], { Frozen: false }), "Oslo Roma");
  assert.equal(await tour.cities("NoEdit", [append(LIMA), update(3, { City: "Quito" }), remove(3)]), "Oslo Rome");
});

Deno.test("a form that does not allow it refuses moves of rows", async () => {
  await using tour = await Tour.open({ Stops: [OSLO, ROME, LIMA] });
  assert.deepEqual(await tour.refused("NoMove", [move(3, 1)]), [".Stops(3): rows of 'Stops' cannot be moved now"]);
  assert.deepEqual(await tour.refused("NoMove", [], { Stops: [ROME, OSLO, LIMA] }), [
    ".Stops(1): rows of 'Stops' cannot be moved now",
  ]);
  assert.equal(await tour.cities("NoMove", [move(2, 2), remove(1)]), "Rome Lima");
  assert.equal(await tour.cities("Any", [move(3, 1)]), "Lima Oslo Rome");
});

Deno.test("the conditions of a row decide by its values before the change", async () => {
  await using tour = await Tour.open({ Stops: [OSLO, ROME, LIMA] });
  assert.deepEqual(await tour.refused("Rows", [update(3, { Fee: 31 })]), [
    ".Stops(3).Fee: 'Fee' of .Stops(3) is not editable in this form now",
  ]);
  assert.deepEqual(await tour.refused("Rows", [remove(1)]), [".Stops(1): row 1 of 'Stops' cannot be deleted now"]);
  assert.deepEqual(await tour.refused("Rows", [{ instruction: "DELETE ALL", target }]), [
    ".Stops(1): row 1 of 'Stops' cannot be deleted now",
  ]);
  assert.deepEqual(await tour.refused("Rows", [move(1, 3), remove(3)]), [
    ".Stops(3): row 3 of 'Stops' cannot be deleted now",
  ]);
  assert.equal(
    await tour.cities("Rows", [update(1, { Locked: true }), update(1, { City: "Bonn" }), remove(1)]),
    "Rome Lima",
    "a row that was changed stays editable",
  );
  assert.equal(await tour.cities("Rows", [append(OSLO), remove(4), remove(3)]), "Oslo Rome", "a new row is not locked");
});

Deno.test("a fixed table accepts changed cells, and neither new, nor deleted, nor moved rows", async () => {
  await using tour = await Tour.open({ Stops: [OSLO, ROME] });
  const reasons = await Promise.all(
    [append(LIMA), remove(1), move(1, 2)].map((instruction) => tour.refused("NoTable", [instruction])),
  );
  assert.deepEqual(reasons.flat(), [
    ".Stops: rows cannot be added to 'Stops' now",
    ".Stops(1): rows of 'Stops' cannot be deleted now",
    ".Stops(1): rows of 'Stops' cannot be moved now",
  ]);
  assert.equal(await tour.cities("NoTable", [update(1, { City: "Bonn" })]), "Bonn Rome");
  const form = await tour.form("NoTable");
  const { allowTableEdit, allowActions } = configWith(form, "referenceList", "@P .Stops");
  assert.deepEqual([allowTableEdit, allowActions], [false, undefined]);
  const [list] = readForm(form).nodes;
  assert.ok(list?.type === "list");
  assert.deepEqual([list.canAdd, list.canReorder, ...list.rows.map(({ canEdit, canDelete }) => [canEdit, canDelete])], [
    false,
    false,
    [true, false],
    [true, false],
  ]);
});

Deno.test("a condition about a list counts the rows before each instruction", async () => {
  await using tour = await Tour.open({ Stops: [OSLO, ROME] });
  assert.equal(await tour.cities("Few", [append(LIMA)]), "Oslo Rome Lima");
  assert.equal(await tour.cities("Few", [append(LIMA), remove(1), append(OSLO)]), "Rome Lima Oslo");
  const tooMany = [".Stops: rows cannot be added to 'Stops' now"];
  assert.deepEqual(await tour.refused("Few", [append(LIMA), append(OSLO), remove(1)]), tooMany);
  assert.deepEqual(await tour.refused("Few", [], { Stops: [OSLO, ROME, LIMA, OSLO] }), tooMany);
  assert.equal(await tour.cities("Few", [], { Stops: [OSLO, LIMA, ROME] }), "Oslo Lima Rome");
  assert.deepEqual(await tour.refused("Cheap", [append({ Fee: 80 }), append({ Fee: 1 })]), tooMany);
});

Deno.test("a list in the content follows the same rules", async () => {
  await using tour = await Tour.open({ Frozen: true, Stops: [OSLO, ROME, LIMA] });
  const submit = (action: string, ...Stops: JsonObject[]) => tour.cities(action, [], { Stops });
  const refused = (action: string, ...Stops: JsonObject[]) => tour.refused(action, [], { Stops });
  assert.equal(await submit("NoEdit", ROME, LIMA), "Rome Lima", "a row is deleted, and none edited");
  assert.equal(await submit("NoEdit", OSLO, { City: "Bonn" }, ROME, LIMA), "Oslo Bonn Rome Lima");
  assert.deepEqual(await refused("NoEdit", OSLO, { ...ROME, Fee: 21 }, LIMA), [
    ".Stops(2).Fee: 'Fee' of .Stops(2) is not editable in this form now",
  ]);
  assert.deepEqual(await refused("Rows", ROME, LIMA), [".Stops(1): row 1 of 'Stops' cannot be deleted now"]);
  assert.deepEqual(await refused("Rows", OSLO, ROME, { ...LIMA, Locked: false }), [
    ".Stops(3).Locked: 'Locked' of .Stops(3) is not editable in this form now",
  ]);
  assert.equal(await submit("Rows", OSLO, { City: "Bonn" }), "Oslo Bonn");
  assert.equal(await submit("NoTable", { City: "Bonn" }, ROME, LIMA), "Bonn Rome Lima");
});

Deno.test("rules of lists in rows and pages are checked, and a row that cannot be edited protects what it contains", async () => {
  const guests = (row: number) => `.Stops(${row}).Guests`;
  const invite = (row: number) => ({ instruction: "APPEND", target: guests(row), content: { Name: "Bo" } });
  await using tour = await Tour.open({
    Home: { Rooms: [{ Name: "Hall" }] },
    Stops: [{ ...OSLO, Fee: 100, Guests: [{ Name: "Ada" }, { Name: "Eve" }] }, { ...LIMA, Guests: [{ Name: "Kim" }] }],
  });
  const full = [".Stops(1).Guests: rows cannot be added to 'Guests' now"];
  assert.deepEqual(await tour.refused("Any", [invite(1)]), full);
  assert.deepEqual(
    await tour.refused("Any", [update(1, { Guests: ["Ada", "Eve", "Bo"].map((Name) => ({ Name })) })]),
    full,
  );
  assert.deepEqual(await tour.refused("Any", [append({ Fee: 100, Guests: [{ Name: "Bo" }] })]), [
    ".Stops(3).Guests: rows cannot be added to 'Guests' now",
  ]);
  assert.equal(await tour.cities("Any", [update(1, { Fee: 99 }), invite(1), invite(2)]), "Oslo Lima");
  assert.deepEqual(await tour.refused("Any", [{ ...move(1, 2), target: guests(1) }]), [
    ".Stops(1).Guests(1): rows of 'Guests' cannot be moved now",
  ]);
  const same = { instruction: "UPDATE", target: guests(2), listIndex: 1, content: { Name: "Kim" } };
  assert.equal(await tour.cities("Rows", [same, update(2, LIMA)]), "Oslo Lima");
  assert.deepEqual(await tour.refused("Rows", [{ ...same, content: { Name: "Kai" } }]), [
    ".Stops(2).Guests: .Stops(2).Guests is not editable in this form now",
  ]);
  const guide = { instruction: "UPDATE", target: ".Stops(2).Guide", content: { Name: "Kai" } };
  assert.deepEqual(await tour.refused("Rows", [guide]), [
    ".Stops(2).Guide: .Stops(2).Guide is not editable in this form now",
  ]);
  const closed = [".Home.Rooms: rows cannot be added to 'Rooms' now"];
  const Rooms = [{ Name: "Hall" }, { Name: "Bath" }];
  assert.deepEqual(await tour.refused("Home", [], { Home: { Closed: true, Rooms } }), closed);
  assert.deepEqual(
    await tour.refused("Home", [{ instruction: "UPDATE", target: ".Home", content: { Closed: true, Rooms } }]),
    closed,
  );
  assert.deepEqual(await tour.refused("Home", [{ instruction: "DELETE", target: ".Home" }]), [
    ".Home.Rooms(1): rows of 'Rooms' cannot be deleted now",
  ]);
  assert.ok(await tour.perform("Home", [{ instruction: "APPEND", target: ".Home.Rooms", content: { Name: "Bath" } }]));
});

Deno.test("many changes of rows cannot hold up the service", async () => {
  await using tour = await Tour.open({ Stops: Array(2000).fill(OSLO) });
  const started = readCpuTime();
  const everyRow = Array.from({ length: 2000 }, (_, i) => update(i + 1, { City: "Bonn" }));
  assert.equal((await tour.cities("Rows", everyRow)).length, 2000 * 5 - 1);
  assert.deepEqual(await tour.refused("Cheap", Array(2000).fill(append({ Fee: 1 }))), [
    "undefined: The form has too many changes of rows for its conditions. Submit them in several steps.",
  ]);
  assert.ok(readCpuTime() - started < 10_000, "a call holds up all others while it is served");
});
