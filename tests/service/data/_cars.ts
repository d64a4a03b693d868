/** A data view of cars. Some cars lack values. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../../utils/json.ts";
import { openService, type TestService } from "../../harness/service.ts";

/** An application that knows of cars. */
const CARS = `
application: { id: Cars, name: Cars, organisation: Org, variant: hosted, platformVersion: 25 }
operators: { "ada@cars": { name: Ada, queues: [] } }
queues: {}
caseTypes: {}
dataTypes:
  Org-Cars-Data-Car:
    name: Car
    key: [ID]
    savable: D_Cars
    fields:
      ID: { type: Integer }
      Model: { type: Text }
      Price: { type: Decimal }
      Electric: { type: Boolean }
      Built: { type: Date }
      SoldAt: { type: DateTime }
      Owner: { type: Page, fields: { Name: { type: Text }, Age: { type: Integer } } }
    views:
      Short: { fields: [ID, Model] }
dataViews:
  D_Cars: { name: Cars, source: records, class: Org-Cars-Data-Car }
  D_CarsOf:
    name: Cars of a model
    source: records
    class: Org-Cars-Data-Car
    parameters:
      Model: { description: Model, required: true }
      Least: { description: Least price, type: Decimal }
    filter:
      - { field: Model, parameter: Model }
      - { field: Price, comparator: GTE, parameter: Least }
  D_Car:
    name: Car
    source: records
    class: Org-Cars-Data-Car
    structure: page
    parameters: { Number: { description: Number, type: Integer, required: true } }
    filter: [{ field: ID, parameter: Number }]
  D_Fixed: { name: Fixed, source: records, class: Org-Cars-Data-Car, queryable: false }
`;

/** The cars. */
const ROWS: JsonObject[] = [
  {
    ID: 1,
    Model: "Ant",
    Price: 10.5,
    Electric: true,
    Built: "2020-01-01",
    SoldAt: "2026-01-01T01:00:00+02:00",
    Owner: { Name: "Ada", Age: 36 },
  },
  { ID: 2, Model: "Bee", Price: 20, Electric: false, Built: "2021-06-01", SoldAt: "2025-12-31T23:30:00Z" },
  { ID: 3, Model: "Ant", Price: 30, Electric: true, Built: "2022-01-01", Owner: { Name: "Grace", Age: 85 } },
  { ID: 4, Model: "ant", Built: "2023-01-01" },
];

/** Works with a service that has four cars in its data view. */
export async function withCars(work: (svc: TestService) => Promise<void>): Promise<void> {
  await using svc = await openService({ yaml: CARS });
  for (const data of ROWS) {
    const { status, body } = await svc.call("POST", "/data/D_Cars", { body: { data } });
    assert.equal(status, 200, JSON.stringify(body));
  }
  await work(svc);
}
