/** Data pages, views, metadata, and data views over cases. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { withCars } from "./_cars.ts";
import { openService, readErrorDetails } from "../../harness/service.ts";
import { valueAt } from "../../harness/service_engine.ts";

Deno.test("a data page returns its one row, and a list is refused", () =>
  withCars(async (svc) => {
    const get = (view: string, parameters: JsonObject) =>
      svc.call("GET", `/data_views/${view}?dataViewParameters=${encodeURIComponent(JSON.stringify(parameters))}`);
    const page = await get("D_Car", { Number: 2 });
    assert.ok(isJsonObject(page.body));
    assert.equal(page.body.Model, "Bee");
    assert.equal((await get("D_Car", { Number: 99 })).status, 404);
    assert.equal((await get("D_Car", {})).status, 400);
    const list = await get("D_CarsOf", { Model: "Ant" });
    assert.equal(list.status, 422);
    assert.equal(readErrorDetails(list.body)[0]?.message, "Error_Request_Validation_Pagelist_Type_Dataview");
  }));

Deno.test("a view of a data view returns its fields with their resources", () =>
  withCars(async (svc) => {
    const { status, body } = await svc.call("POST", "/data_views/D_Cars/views/Short", {
      body: { paging: { maxResultsToFetch: 1 } },
    });
    assert.equal(status, 200);
    assert.ok(isJsonObject(body));
    assert.deepEqual(body.data, [{ ID: 1, Model: "Ant" }]);
    assert.deepEqual(valueAt(body, "uiResources.context_data"), {});
    const long = await svc.call("POST", "/data_views/D_Cars/views/Shor");
    assert.deepEqual([long.status, readErrorDetails(long.body)[0]?.message], [
      404,
      "D_Cars has no view Shor; did you mean 'Short'?",
    ]);
  }));

Deno.test("metadata, data objects and data pages describe the data views", () =>
  withCars(async (svc) => {
    const { body } = await svc.call("GET", "/data_views/D_CarsOf/metadata");
    assert.ok(isJsonObject(body) && Array.isArray(body.fields) && Array.isArray(body.parameters));
    assert.deepEqual(body.parameters[0], {
      name: "Model",
      description: "Model",
      dataType: "Text",
      required: true,
      defaultValue: "",
    });
    assert.equal(
      body.fields.filter(isJsonObject).find((field) => field.fieldID === "SoldAt")?.fieldType,
      "Date & time",
    );
    assert.deepEqual((await svc.call("POST", "/data_views/D_CarsOf/metadata", { body: {} })).body, body);
    const objects = await svc.call("GET", "/data_objects?type=data");
    assert.match(JSON.stringify(objects.body), /"dataObjectID":"Org-Cars-Data-Car".*"defaultListDataView":"D_Cars"/);
    const all = JSON.stringify((await svc.call("GET", "/data_pages")).body);
    const explorable = JSON.stringify((await svc.call("GET", "/data_pages?type=explorable")).body);
    assert.match(all, /D_Fixed/);
    assert.doesNotMatch(explorable, /"D_Fixed"|"D_Car"/);
    assert.equal((await svc.call("GET", "/data_pages?type=some")).status, 400);
  }));

Deno.test("the worklist and the history of a case are data views", async () => {
  await using svc = await openService();
  const created = await svc.call("POST", "/cases", {
    body: { caseTypeID: "City-Permit-Work-Permit", content: { Applicant: "Ada" } },
  });
  const id = isJsonObject(created.body) ? String(created.body.id) : "";
  const [work] = await svc.rows("D_pyMyWorkList", {});
  assert.equal(work?.pxRefObjectKey, id);
  const [event] = await svc.rows("D_pyWorkHistory", { dataViewParameters: { CaseInstanceKey: id } });
  assert.equal(event?.pyPerformer, "clerk@city");
  assert.equal(event?.pxHistoryForReference, id);
  assert.equal((await svc.call("POST", "/data_views/D_pyWorkHistory")).status, 400);
  const [permit] = await svc.rows("D_Permits", { query: { select: ["pyID", "pyStatusWork", "Applicant"] } });
  assert.deepEqual(permit, { pyID: "P-1", pyStatusWork: "New", Applicant: "Ada" });
});

const KINDS = `
application: { id: Fees, name: Fees, organisation: Org }
operators: { "ada@fees": { name: Ada } }
caseTypes:
  Org-Fees-Work-Fine:
    name: Fine
    prefix: F
    workPool: ORG-FEES-WORK
    fields: { Fee: { type: Decimal }, Place: { type: Page, fields: { Street: { type: Text }, Size: { type: Decimal } } } }
    stages: { PRIM0: { name: All, transition: resolution, processes: {} } }
  Org-Fees-Work-Toll:
    name: Toll
    prefix: T
    workPool: ORG-FEES-WORK
    fields: { Fee: { type: Integer }, Place: { type: Page, fields: { Road: { type: Text }, Size: { type: Integer } } } }
    stages: { PRIM0: { name: All, transition: resolution, processes: {} } }
dataViews:
  D_All: { name: All, source: cases }
`;

Deno.test("a data view over several case types supports the comparisons of each of them", async () => {
  await using svc = await openService({ yaml: KINDS });
  const create = (type: string, content: JsonObject) =>
    svc.call("POST", "/cases", { body: { caseTypeID: `Org-Fees-Work-${type}`, content } });
  assert.equal((await create("Fine", { Fee: 1.5, Place: { Street: "Elm", Size: 1.5 } })).status, 201);
  assert.equal((await create("Toll", { Fee: 1, Place: { Road: "A1", Size: 1 } })).status, 201);
  const found = async (field: string, comparator: string, value: JsonValue) => {
    const filterConditions = { F1: { lhs: { field }, comparator, rhs: { value } } };
    const rows = await svc.rows("D_All", {
      query: { select: [{ field: "pyID" }, { field }], filter: { filterConditions } },
    });
    return rows.map(({ pyID }) => pyID);
  };
  assert.deepEqual(await found("Fee", "GTE", 1.2), ["F-1"]);
  assert.deepEqual(await found("Place.Size", "LT", 1.2), ["T-1"]);
  assert.deepEqual(await found("Place.Street", "EQ", "Elm"), ["F-1"]);
  assert.deepEqual(await found("Place.Road", "EQ", "A1"), ["T-1"]);
});
