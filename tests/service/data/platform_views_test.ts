/** The data views of every application, with which clients of real servers start and list work. */
import assert from "node:assert/strict";
import { loadResources } from "../../../lib/resources/mod.ts";
import { CLIENT_ROUTES } from "../../../service/data/bootstrap.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../../utils/json.ts";
import {
  createApiCaller,
  openService,
  readErrorDetails,
  requestToken,
  type TestService,
} from "../../harness/service.ts";
import { objectAt, PERMIT_FILE, textAt, valueAt } from "../../harness/service_engine.ts";

const PERMIT = "City-Permit-Work-Permit";

async function createPermit(svc: TestService): Promise<string> {
  const { body } = await svc.call("POST", "/cases", { body: { caseTypeID: PERMIT, content: { Applicant: "Ada" } } });
  return textAt(body, "ID");
}

/** Reads a data view that is a page. */
async function readPage(svc: TestService, view: string, parameters?: JsonObject): Promise<JsonValue | undefined> {
  const query = parameters ? `?dataViewParameters=${encodeURIComponent(JSON.stringify(parameters))}` : "";
  const { status, body } = await svc.call("GET", `/data_views/${view}${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function attachLinks(svc: TestService, caseId: string, ...names: string[]): Promise<void> {
  for (const name of names) {
    const attachments = [{ type: "URL", category: "URL", name, url: `https://city.example/${name}` }];
    const { status } = await svc.call("POST", `/cases/${encodeURIComponent(caseId)}/attachments`, {
      body: { attachments },
    });
    assert.equal(status, 201);
  }
}

Deno.test("the worklist names the case of each assignment, its type and its short ID", async () => {
  await using svc = await openService();
  const id = await createPermit(svc);
  const [row] = await svc.rows("D_pyMyWorkList", {});
  assert.deepEqual(
    [row?.pxRefObjectKey, row?.pxRefObjectInsName, row?.pxRefObjectClass, row?.pxObjClass],
    [id, "P-1", PERMIT, "Assign-"],
  );
  assert.deepEqual([row?.pyLabel, row?.pxTaskLabel], ["Permit for Ada", "Register the application"]);
  await createPermit(svc);
  const filterConditions = { F1: { lhs: { field: ".pxRefObjectInsName" }, comparator: "EQ", rhs: { value: "P-2" } } };
  const select = [{ field: "pxRefObjectInsName" }, { field: "pxRefObjectClass" }, { field: "pzInsKey" }];
  const found = await svc.rows("D_pyMyWorkList", { query: { select, filter: { filterConditions } } });
  assert.deepEqual(found.map(({ pxRefObjectInsName }) => pxRefObjectInsName), ["P-2"]);
  const sorted = await svc.rows("D_pyMyWorkList", {
    query: { select, sortBy: [{ field: "pxRefObjectInsName", type: "DESC" }] },
  });
  assert.deepEqual(sorted.map(({ pxRefObjectInsName }) => pxRefObjectInsName), ["P-2", "P-1"]);
});

Deno.test("the attachments of a case are a data view", async () => {
  await using svc = await openService();
  const LinkRefFrom = await createPermit(svc);
  assert.deepEqual(await svc.rows("D_AttachmentList", { dataViewParameters: { LinkRefFrom } }), []);
  await attachLinks(svc, LinkRefFrom, "Plan", "Site");
  const rows = await svc.rows("D_AttachmentList", { dataViewParameters: [{ LinkRefFrom }] });
  assert.deepEqual(rows.map(({ pyMemo, pyCategory, pyLabel }) => [pyMemo, pyCategory, pyLabel]), [
    ["Site", "URL", "Link"],
    ["Plan", "URL", "Link"],
  ]);
  const [site] = rows;
  assert.deepEqual([site?.pxObjClass, site?.pyFileCategory, site?.pyFileName, site?.pyTopic, site?.pxCreateOpName], [
    "Link-Attachment",
    "URL",
    "",
    "",
    "Clara Clerk",
  ]);
  const AttachmentKey = String(site?.pzInsKey);
  assert.match(AttachmentKey, /^LINK-ATTACHMENT CITY-PERMIT-WORK P-1!/);
  const field = await readPage(svc, "D_AttachmentFieldInfo", { AttachmentKey, AttachmentFieldName: "Plan" });
  assert.equal(valueAt(field, "pyMemo"), "Site");
  const missing = await svc.call("POST", "/data_views/D_AttachmentList");
  assert.deepEqual([missing.status, readErrorDetails(missing.body)[0]?.message], [
    400,
    "D_AttachmentList needs the parameter LinkRefFrom.",
  ]);
  assert.deepEqual(
    await svc.rows("D_AttachmentList", { dataViewParameters: { LinkRefFrom: "CITY-PERMIT-WORK P-9" } }),
    [],
  );
});

Deno.test("computed rows are selected, filtered, sorted, paged, grouped and counted like stored ones", async () => {
  await using svc = await openService();
  const query = (body: JsonObject) => svc.rows("D_pyC11nOperatorsList", body);
  const all = await query({});
  assert.equal(all.length, 8);
  assert.deepEqual(all[0], {
    pxObjClass: "Data-Admin-Operator-ID",
    pyUserIdentifier: "clerk@city",
    pyUserName: "Clara Clerk",
    pyEmailAddress: "clara@city.example",
  });
  const F1 = { lhs: { field: ".pyUserName" }, comparator: "CONTAINS", rhs: { value: "MO" }, ignoreCase: true };
  const F2 = { lhs: { field: "pyUserIdentifier" }, comparator: "IN", rhs: { values: ["planner@city"] } };
  const filter = { filterConditions: { F1, F2 }, logic: "F1 OR F2" };
  const sortBy = [{ field: "pyUserName", type: "DESC" }];
  const select = [{ field: "pyUserName" }];
  assert.deepEqual(await query({ query: { select, filter, sortBy } }), [
    { pyUserName: "Piet Planner" },
    { pyUserName: "Mona Mediator" },
  ]);
  const page = await svc.call("POST", "/data_views/D_pyC11nOperatorsList", {
    body: { query: { select, sortBy }, paging: { pageNumber: 3, pageSize: 3 }, includeTotalCount: true },
  });
  assert.deepEqual(valueAt(page.body, "data"), [{ pyUserName: "Dan Decider" }, { pyUserName: "Clara Clerk" }]);
  assert.deepEqual([valueAt(page.body, "totalCount"), valueAt(page.body, "hasMoreResults")], [8, false]);
  const aggregations = { Operators: { field: "pyUserIdentifier", summaryFunction: "COUNT" } };
  assert.deepEqual(await query({ query: { select: [{ aggregation: "Operators" }], aggregations } }), [{
    Operators: 8,
  }]);
  const counted = await svc.call("POST", "/data_views/D_pyC11nOperatorsList/count", {
    body: { query: { select, filter } },
  });
  assert.equal(valueAt(counted.body, "resultCount"), 2);
  const metadata = await svc.call("GET", "/data_views/D_pyC11nOperatorsList/metadata");
  assert.deepEqual([valueAt(metadata.body, "isQueryable"), valueAt(metadata.body, "fields.0.fieldID")], [
    true,
    "pyUserIdentifier",
  ]);
});

Deno.test("computed rows do not show attachments and cases that the caller may not see", async () => {
  const sample = await Deno.readTextFile(PERMIT_FILE);
  const yaml = sample.replace("rights: { manage:", "rights: { read: \"'Receiving' in operator.queues\", manage:");
  await using svc = await openService({ yaml });
  const LinkRefFrom = await createPermit(svc);
  await attachLinks(svc, LinkRefFrom, "Plan");
  const token = await requestToken(svc.service, await svc.service.addClient("lawyer@city"));
  const lawyer = createApiCaller(svc.api, token);
  const body = { dataViewParameters: { LinkRefFrom } };
  const seen = await svc.call("POST", "/data_views/D_AttachmentList", { body });
  const hidden = await lawyer.call("POST", "/data_views/D_AttachmentList", { body });
  assert.deepEqual([valueAt(seen.body, "resultCount"), valueAt(hidden.body, "resultCount")], [1, 0]);
  const key = encodeURIComponent(JSON.stringify({ AttachmentKey: valueAt(seen.body, "data.0.pzInsKey") }));
  const path = `/data_views/D_AttachmentFieldInfo?dataViewParameters=${key}`;
  assert.deepEqual([(await svc.call("GET", path)).status, (await lawyer.call("GET", path)).status], [200, 404]);
  assert.equal(valueAt((await lawyer.call("POST", "/data_views/D_pyC11nOperatorsList")).body, "resultCount"), 8);
});

Deno.test("the profile of an operator is a page, by default that of the caller", async () => {
  await using svc = await openService();
  const own = objectAt(await readPage(svc, "D_pyOperatorMiniProfile"), "pyOperatorInfo");
  assert.deepEqual([own.pyUserName, own.pyEmailAddress], ["Clara Clerk", "clara@city.example"]);
  for (const name of ["OperatorId", "OperatorID"]) {
    const other = await readPage(svc, "D_pyOperatorMiniProfile", { [name]: "decider@city" });
    assert.equal(valueAt(other, "pyOperatorInfo.pyUserName"), "Dan Decider");
  }
  const details = await readPage(svc, "D_pxOperatorDetails", { OperatorId: "decider@city" });
  assert.deepEqual([valueAt(details, "pyUserName"), valueAt(details, "pyAddresses.Email.pyEmailAddress")], [
    "Dan Decider",
    "dan@city.example",
  ]);
  const query = encodeURIComponent(JSON.stringify({ OperatorId: "absent@city" }));
  assert.equal((await svc.call("GET", `/data_views/D_pyOperatorMiniProfile?dataViewParameters=${query}`)).status, 404);
});

Deno.test("a client finds the case types that it can create, and the calling codes of countries", async () => {
  await using svc = await openService();
  const page = await readPage(svc, "D_pxAvailableCaseTypesForPortal", { PortalName: "Desk" });
  const types = valueAt(page, "pyCaseTypesAvailableToCreate");
  const { body } = await svc.call("GET", "/casetypes");
  const listed = valueAt(body, "caseTypes");
  assert.ok(Array.isArray(types) && Array.isArray(listed));
  assert.deepEqual(types.map((one) => valueAt(one, "pyClassName")), listed.map((one) => valueAt(one, "ID")));
  const codes = await svc.rows("D_pyCountryCallingCodeList", {});
  for (const code of ["+1", "+31", "+47", "+998"]) assert.ok(codes.some((row) => row.pyCallingCode === code), code);
});

Deno.test("the bootstrap configuration describes the application, the caller, and routes that the service has", async () => {
  const apiRoot = "/prweb/api/application/v2";
  await using svc = await openService({ apiRoot });
  const config = parseJson(textAt(await readPage(svc, "D_pxBootstrapConfig"), "pyConfigJSON"));
  assert.equal(valueAt(config, "environmentInfo.pxOperator.pyUserIdentifier"), "clerk@city");
  assert.equal(valueAt(config, "environmentInfo.pxApplication.pyDefaultOperatorDP"), "D_pyC11nOperatorsList");
  assert.equal(valueAt(config, "environmentInfo.pyCaseTypeList.0.pyWorkTypeImplementationClassName"), PERMIT);
  assert.equal(valueAt(config, "serviceConfig.contextPath"), "/prweb");
  assert.deepEqual(valueAt(config, "routingInfo.routesMeta.finishAssignment.restApi"), {
    endPoint: "/api/application/v2/assignments/{assignmentID}/actions/{actionID}?viewType={viewType}",
    reqType: "PATCH",
    params: { assignmentID: "", actionID: "", viewType: "" },
  });

  await using other = await openService({ apiRoot: "/dx-api/v2" });
  const elsewhere = parseJson(textAt(await readPage(other, "D_pxBootstrapConfig"), "pyConfigJSON"));
  assert.equal(
    valueAt(elsewhere, "routingInfo.routesMeta.getNextWork.restApi.endPoint"),
    "/dx-api/v2/assignments/next",
  );
  assert.equal(valueAt(elsewhere, "serviceConfig.contextPath"), "");
});

Deno.test("each route of the bootstrap configuration is one of an operation", async () => {
  const operations = Object.values(await loadResources()).flatMap((group) => Object.values(group));
  const shape = (path: string) => path.replace(/\?.*/, "").replace(/\{\w+\}(!\{\w+\})?|previous|D_\w+/g, "{}");
  const served = new Set(operations.map(({ method, path }) => `${method} ${shape(path)}`));
  const unserved = Object.values(CLIENT_ROUTES).filter((route) => !served.has(shape(route)));
  assert.deepEqual(unserved, []);
});

Deno.test("an application may replace a data view of every application", async () => {
  const yaml = `
application: { id: Fees, name: Fees, organisation: Org }
operators: { "ada@fees": { name: Ada } }
caseTypes: {}
dataTypes:
  Org-Fees-Data-Person: { name: Person, key: [ID], fields: { ID: { type: Text } }, savable: D_pyC11nOperatorsList }
dataViews:
  D_pyC11nOperatorsList: { name: People, source: records, class: Org-Fees-Data-Person }
`;
  await using svc = await openService({ yaml });
  const created = await svc.call("POST", "/data/D_pyC11nOperatorsList", { body: { data: { ID: "ben" } } });
  assert.equal(created.status, 200);
  const rows = await svc.rows("D_pyC11nOperatorsList", {});
  assert.deepEqual(rows.map(({ ID }) => ID), ["ben"]);
  assert.ok(rows.every(isJsonObject));
});
