/** An application with a trip: an embedded page, a list with lists in its rows, and values that are computed from them. */
import type { JsonValue } from "../../../utils/json.ts";
import { type Engine, openEngine, textAt, valueAt } from "../../harness/service_engine.ts";

/** Definition of the application. */
export const TRIPS = `
application: { id: Trips, name: Trips, organisation: Org }
operators: { "ada@org": { name: Ada }, "bob@org": { name: Bob } }
caseTypes:
  Org-Trips-Work-Trip:
    name: Trip
    prefix: T
    workPool: ORG-TRIPS-WORK
    fields:
      Kind: { type: Dropdown, values: [Air, Sea] }
      Days: { type: Integer, required: true, max: 30 }
      Fee: { type: Currency }
      Abroad: { type: Boolean }
      Start: { type: Date }
      Home:
        type: Page
        fields:
          City: { type: Text }
          Floor: { type: Integer }
      Stops:
        type: List
        class: Org-Trips-Data-Stop
        fields:
          City: { type: Text, required: true, default: Oslo }
          Note: { type: Text }
          Fee: { type: Currency, min: 0 }
          Twice: { type: Currency, calculated: Fee * 2.0 }
          Guests:
            type: List
            fields:
              Name: { type: Text, required: true }
              Age: { type: Integer }
        views:
          StopForm: { fields: [City, Fee, Twice, { field: Note, visible: size(City) > 4 }] }
      Hint: { type: Text }
      Total: { type: Currency, calculated: "Fee + sum(Stops.map(stop, stop.Fee))" }
      PerDay: { type: Currency, calculated: "Abroad ? Fee / Days : 0.0" }
    views:
      Everything: { fields: [Kind, Days, Fee, Abroad, Start, Home, Stops, Total, PerDay, { field: Hint, visible: size(Stops) > 1 }] }
    stages:
      Start:
        name: Start
        transition: create
        processes:
          Plan:
            steps:
              First:
                type: screens
                screens:
                  EditTrip: { view: Everything }
                  Confirm: { fields: [Kind] }
`;

/** A trip with its assignment. */
export interface Trip extends AsyncDisposable {
  readonly engine: Engine;
  /** Arguments of the operations on the action `EditTrip`. */
  readonly form: { readonly assignmentId: string; readonly action: string };
  readonly caseId: string;
  /** Submits the form and returns the content of the case. */
  submit(data: object, pageInstructions?: object[]): Promise<JsonValue | undefined>;
}

/** Creates a trip. */
export async function openTrip(data: object = {}, yaml: string = TRIPS): Promise<Trip> {
  const engine = await openEngine(yaml);
  const created = await engine.body("cases.create", { type: "Org-Trips-Work-Trip", data });
  const form = { assignmentId: textAt(created, "nextAssignmentInfo.ID"), action: "EditTrip" };
  const caseId = textAt(created, "id");
  return {
    engine,
    form,
    caseId,
    async submit(data, pageInstructions) {
      await engine.call("assignments.perform", { ...form, data, pageInstructions, ifMatch: "*" });
      return valueAt(await engine.body("cases.get", { caseId }), "data.caseInfo.content");
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
