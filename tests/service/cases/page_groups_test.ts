/** Page groups: embedded pages by name, which page instructions add, change and delete. */
import assert from "node:assert/strict";
import type { JsonValue } from "../../../utils/json.ts";
import { parseApplication } from "../../../service/application/load.ts";
import { writeTypes } from "../../../service/application/write_types.ts";
import { readForm } from "../../../lib/forms/mod.ts";
import { type Engine, objectAt, openEngine, textAt, valueAt } from "../../harness/service_engine.ts";

const HOUSE = `
application: { id: Homes, name: Homes, organisation: Org }
operators: { ada@org: { name: Ada, queues: [Desk] } }
queues: { Desk: { name: Desk } }
caseTypes:
  Org-Homes-Work-House:
    name: House
    prefix: H
    workPool: ORG-HOMES-WORK
    fields:
      Rooms:
        type: PageGroup
        class: Org-Homes-Data-Room
        fields:
          Width: { type: Decimal, required: true, min: 1 }
          Length: { type: Decimal, default: 2 }
          Built: { type: DateTime }
          Area: { type: Decimal, calculated: Width * Length }
          Doors: { type: List, class: Org-Homes-Data-Door, fields: { Color: { type: Text } } }
      Kitchen: { type: Decimal, calculated: "'Kitchen' in Rooms ? Rooms['Kitchen'].Area : 0.0" }
    stages:
      Start:
        name: Start
        processes:
          Plan: { steps: { Fill: { route: { queue: Desk }, actions: { Submit: { fields: [Rooms, Kitchen] } } } } }
`;

interface House {
  /** Refreshes the form with page instructions, and returns its content. */
  apply(...pageInstructions: object[]): Promise<JsonValue | undefined>;
  /** Returns the reason why a page instruction is refused. */
  refuse(instruction: object): Promise<string>;
  readonly assignmentId: string;
  readonly tag: string;
}

async function build(engine: Engine): Promise<House> {
  const created = await engine.body("cases.create", { type: "Org-Homes-Work-House" });
  const assignmentId = textAt(created, "nextAssignmentInfo.ID");
  const toValues = (pageInstructions: object[]) => ({ assignmentId, action: "Submit", pageInstructions });
  return {
    assignmentId,
    tag: textAt(created, "etag"),
    async apply(...pageInstructions) {
      const body = await engine.body("assignments.refreshAction", toValues(pageInstructions));
      return valueAt(body, "data.caseInfo.content");
    },
    async refuse(instruction) {
      const { status, message } = await engine.refused("assignments.refreshAction", toValues([instruction]));
      assert.equal(status, 400);
      return message.replace("Page instruction 1: ", "");
    },
  };
}

const KITCHEN = { instruction: "ADD", target: ".Rooms", groupIndex: "Kitchen", content: { Width: 3 } };
const HALL = { instruction: "ADD", target: ".Rooms(Hall)", content: { Width: 1 } };

Deno.test("page instructions add, change and delete pages of a page group", async () => {
  await using engine = await openEngine(HOUSE);
  const house = await build(engine);
  const both = await house.apply(KITCHEN, { ...HALL, targetClassID: "Org-Homes-Data-Room" });
  assert.equal(valueAt(both, "Rooms.Kitchen.Area"), 6);
  assert.equal(valueAt(both, "Rooms.Kitchen.classID"), "Org-Homes-Data-Room");
  assert.deepEqual([valueAt(both, "Rooms.Hall.Area"), valueAt(both, "Kitchen")], [2, 6]);

  const on = { target: ".Rooms", groupIndex: "Kitchen" };
  const read = async (instruction: object, name: string) =>
    valueAt(await house.apply(KITCHEN, HALL, instruction), name);
  assert.equal(await read({ ...on, instruction: "UPDATE", content: { Length: 5 } }, "Kitchen"), 15);
  assert.equal(await read({ ...on, instruction: "REPLACE", content: { Width: 7 } }, "Kitchen"), 14);
  assert.equal(await read({ ...on, instruction: "DELETE" }, "Kitchen"), 0);
  const all = { instruction: "UPDATE ALL", target: "Rooms", content: { Length: 10 } };
  assert.deepEqual([await read(all, "Rooms.Hall.Area"), await read(all, "Kitchen")], [10, 30]);
  assert.deepEqual(await read({ instruction: "DELETE ALL", target: ".Rooms" }, "Rooms"), {});
  const door = { instruction: "APPEND", target: ".Rooms(Kitchen).Doors", content: { Color: "red" } };
  assert.equal(await read(door, "Rooms.Kitchen.Doors.0.Color"), "red");
});

Deno.test("an instruction that does not fit a page group is refused with the reason", async () => {
  await using engine = await openEngine(HOUSE);
  const house = await build(engine);
  const refusals: [instruction: object, reason: string][] = [
    [{ ...KITCHEN, groupIndex: undefined }, "ADD needs 'groupIndex'."],
    [{ ...KITCHEN, instruction: "UPDATE" }, "'Rooms' has no page Kitchen."],
    [{ ...HALL, groupIndex: "Kitchen" }, "'groupIndex' Kitchen does not match the page in '.Rooms(Hall)'."],
    [{ ...HALL, target: ".Rooms(__proto__)" }, "'.Rooms(__proto__)' is not a valid target."],
    [{ ...KITCHEN, instruction: "APPEND" }, "APPEND is not an instruction for a page group."],
    [
      { ...KITCHEN, groupIndex: "7 up" },
      "'groupIndex' must start with a letter and have at most 64 letters, digits, '_' and '-'.",
    ],
    [{ ...KITCHEN, target: ".Rooms(Attic).Doors", instruction: "APPEND" }, "'Rooms' has no page Attic."],
  ];
  for (const [instruction, reason] of refusals) assert.equal(await house.refuse(instruction), reason);
});

Deno.test("the pages of a page group are checked, shown and stored like other pages", async () => {
  await using engine = await openEngine(HOUSE);
  const { assignmentId, tag: ifMatch } = await build(engine);
  const submit = (Rooms: object) => ({ assignmentId, action: "Submit", data: { Rooms }, ifMatch });
  const { details } = await engine.refused("assignments.perform", submit({ Kitchen: {}, Hall: { Width: 0 } }));
  assert.deepEqual(
    details.slice(1).map((issue) => issue.erroneousInputOutputFieldInPage).sort(),
    [".Rooms(Hall).Width", ".Rooms(Kitchen).Width"],
  );
  for (const Rooms of [[{ Width: 3 }], { "a b": { Width: 3 } }, { Kitchen: 3 }]) {
    const { details: [, detail] } = await engine.refused("assignments.perform", submit(Rooms));
    assert.match(String(detail?.localizedValue), /is not a valid page group/);
  }
  await engine.body("assignments.perform", submit({ Kitchen: { Width: 3, Built: "2026-01-31T09:30:00+01:00" } }));
  const found = await engine.body("cases.get", { caseId: "ORG-HOMES-WORK H-1" });
  assert.deepEqual(valueAt(found, "data.caseInfo.content.Rooms.Kitchen"), {
    classID: "Org-Homes-Data-Room",
    Width: 3,
    Length: 2,
    Built: "2026-01-31T08:30:00.000Z",
    Area: 6,
    Doors: [],
  });
});

Deno.test("a calculation returns values of the page of a page group that its context names", async () => {
  await using engine = await openEngine(HOUSE);
  const { assignmentId, tag: ifMatch } = await build(engine);
  const Rooms = { Kitchen: { Width: 3, Doors: [{ Color: "red" }] } };
  await engine.body("assignments.perform", { assignmentId, action: "Submit", data: { Rooms }, ifMatch });
  const calculate = (name: string, context: string) => ({
    caseId: "ORG-HOMES-WORK H-1",
    view: "pyDetails",
    data: { calculations: { fields: [{ name, context }] } },
  });
  const read = async (name: string, context: string) =>
    valueAt(await engine.body("cases.calcFields", calculate(name, context)), "data.caseInfo.content");
  assert.deepEqual(await read(".Area", "content.Rooms(Kitchen)"), { Rooms: { Kitchen: { Area: 6 } } });
  assert.deepEqual(await read(".Color", "content.Rooms(Kitchen).Doors(1)"), {
    Rooms: { Kitchen: { Doors: [{ Color: "red" }] } },
  });
  for (const context of ["content.Rooms", "content.Rooms(Attic)", "content.Rooms(Kitchen).Doors"]) {
    const { status } = await engine.refused("cases.calcFields", calculate(".Area", context));
    assert.equal(status, 400, context);
  }
});

Deno.test("the types of an application declare a page group as a record", () => {
  assert.match(writeTypes(parseApplication(HOUSE, "homes.yaml")), /Rooms\?: Record<string, OrgHomesDataRoom>;/);
});

Deno.test("a form describes a page group as a list, which clients show page by page", async () => {
  await using engine = await openEngine(HOUSE);
  const data = { Rooms: { Kitchen: { Width: 3 } } };
  const created = await engine.body("cases.create", { type: "Org-Homes-Work-House", data });
  const assignmentId = textAt(created, "nextAssignmentInfo.ID");
  const form = await engine.body("assignments.getAction", { assignmentId, action: "Submit" });
  const { type, dataRetrievalType } = objectAt(form, "uiResources.resources.fields.Rooms.0");
  assert.deepEqual([type, dataRetrievalType], ["Page Group", "manual"]);
  const view = objectAt(form, "uiResources.resources.views.Submit_Rooms.0");
  assert.deepEqual([valueAt(view, "config.type"), valueAt(view, "config.multiRecordDisplayAs")], [
    "multirecordlist",
    "fieldGroup",
  ]);
  const drawn = readForm(form);
  const rooms = drawn.find("Rooms");
  assert.deepEqual(rooms?.type === "list" && rooms.rows.map(({ heading }) => heading), ["Kitchen"]);
  assert.deepEqual(drawn.problems, ["Rooms cannot be filled in here. Its rows have names instead of positions."]);
});
