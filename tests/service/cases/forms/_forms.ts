/** Forms of the trips application, read and submitted without HTTP. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../utils/json.ts";
import { type Engine, objectAt, openEngine, type Refusal, textAt, valueAt } from "../../../harness/service_engine.ts";
import { TRIPS } from "./_trips.ts";

const RECORDS: readonly (readonly [view: string, records: readonly JsonObject[]])[] = [
  ["D_DepotRecords", [
    { ID: 1, City: "Oslo", Country: "NO" },
    { ID: 2, City: "Bergen", Country: "NO", Open: false },
    { ID: 3, City: "Lund", Country: "SE" },
  ]],
  ["D_Skills", [{ ID: "s1", Text: "Driving" }, { ID: "s2", Text: "Cooking" }]],
  ["D_StreetRecords", [
    { Country: "NO", Code: "q", Name: "Quay" },
    { Country: "SE", Code: "c", Name: "Canal" },
  ]],
];

/** A trip whose first step is open. */
export class Trip implements AsyncDisposable {
  readonly engine: Engine;
  readonly caseId: string;
  readonly assignmentId: string;

  private constructor(engine: Engine, caseId: string, assignmentId: string) {
    this.engine = engine;
    this.caseId = caseId;
    this.assignmentId = assignmentId;
  }

  /** Creates a trip, and the records to which its forms refer. */
  static async open(data: JsonObject = {}, yaml: string = TRIPS): Promise<Trip> {
    const engine = await openEngine(yaml);
    for (const [dataViewId, records] of RECORDS) {
      for (const record of records) await engine.call("data.create", { dataViewId, data: record });
    }
    const created = await engine.body("cases.create", { type: "Acme-Trips-Work-Trip", data });
    return new Trip(engine, textAt(created, "id"), textAt(created, "nextAssignmentInfo.ID"));
  }

  /** Reads the form of an action. */
  async form(action: string, viewType = "form"): Promise<JsonObject> {
    const { assignmentId } = this;
    return await this.engine.body("assignments.getAction", { assignmentId, action }, { query: { viewType } });
  }

  /** Submits the form of an action and returns the content of the case. */
  async perform(action: string, data: JsonObject, pageInstructions: JsonValue[] = []): Promise<JsonObject> {
    const { assignmentId, caseId, engine } = this;
    await engine.call("assignments.perform", { assignmentId, action, data, pageInstructions, ifMatch: "*" });
    return objectAt(await engine.body("cases.get", { caseId }), "data.caseInfo.content");
  }

  /** Submits the form of an action, which must be refused. */
  async refused(action: string, data: JsonObject, pageInstructions: JsonValue[] = []): Promise<Refusal> {
    const { assignmentId, engine } = this;
    return await engine.refused("assignments.perform", { assignmentId, action, data, pageInstructions, ifMatch: "*" });
  }

  /** Refreshes the form of an action. */
  async refresh(action: string, data: JsonObject, pageInstructions: JsonValue[] = []): Promise<JsonObject> {
    const { assignmentId, engine } = this;
    return await engine.body("assignments.refreshAction", { assignmentId, action, data, pageInstructions });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine[Symbol.asyncDispose]();
  }
}

/** Returns the view of a form that has a name, and a class if several have the name. */
export function viewOf(form: JsonObject, name: string, classId?: string): JsonObject {
  const views = valueAt(form, `uiResources.resources.views.${name}`);
  assert.ok(Array.isArray(views), `no view ${name}`);
  const found = views.filter(isJsonObject).find((view) => classId === undefined || view.classID === classId);
  assert.ok(found, `no view ${name} of ${classId}`);
  return found;
}

/** Returns the configuration of the first component in a tree whose configuration has a member with a value. */
export function configWith(node: JsonValue | undefined, member: string, value: JsonValue): JsonObject {
  const found = findConfig(node, member, value);
  assert.ok(found, `no component with ${member} ${value}`);
  return found;
}

function findConfig(node: JsonValue | undefined, member: string, value: JsonValue): JsonObject | undefined {
  if (Array.isArray(node)) return node.map((part) => findConfig(part, member, value)).find((one) => one !== undefined);
  if (!isJsonObject(node)) return undefined;
  if (node[member] === value) return node;
  return Object.values(node).map((part) => findConfig(part, member, value)).find((one) => one !== undefined);
}

/** Returns some members of an object. */
export function pick(object: JsonObject, ...names: string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, object[name]]));
}
