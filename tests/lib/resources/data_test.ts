/** The requests and calls of `svc data`. */
import { ATTACHMENTS, attachments, CONTENT, content, pageInstructions, PERMIT } from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

const VIEW = "/data_views/D_Cars";

testOperations("data", {
  requests: {
    [`data get D_Cars`]: { request: `GET ${VIEW}` },
    [`data get D_Car --params '{"ID":"1"}'`]: {
      request: "GET /data_views/D_Car?dataViewParameters=%7B%22ID%22%3A%221%22%7D",
    },
    [`data get-metadata D_Cars`]: { request: `GET ${VIEW}/metadata` },
    [`data query-metadata D_Cars --params '{"Make":"A"}'`]: {
      request: `POST ${VIEW}/metadata`,
      body: { dataViewParameters: { Make: "A" } },
    },
    [`data count D_Cars --params '{"Make":"A"}'`]: {
      request: `POST ${VIEW}/count`,
      body: { dataViewParameters: { Make: "A" } },
    },
    [`data count D_Cars -d '{"query":{"select":["Make"]}}'`]: {
      request: `POST ${VIEW}/count`,
      body: { query: { select: ["Make"] } },
    },
    [`data query D_Cars --params '{"Make":"A"}' --max 20 --page 2 --include-total`]: {
      request: `POST ${VIEW}`,
      body: {
        dataViewParameters: { Make: "A" },
        paging: { maxResultsToFetch: 20, pageNumber: 2, includeTotalCount: true },
      },
    },
    [`data query D_Cars --page-size 20 --page 2`]: {
      request: `POST ${VIEW}`,
      body: { paging: { pageNumber: 2, pageSize: 20 } },
    },
    [`data query-view D_Cars --view Row --page-size 20 --include-total`]: {
      request: `POST ${VIEW}/views/Row`,
      body: { paging: { pageNumber: 1, pageSize: 20, includeTotalCount: true } },
    },
    [`data query D_Cars -d '{"query":{"select":["Make"]}}'`]: {
      request: `POST ${VIEW}`,
      body: { query: { select: ["Make"] } },
    },
    [`data query-view D_Cars --view Row --params '{"Make":"A"}' --max 20 --page 2 --include-total`]: {
      request: `POST ${VIEW}/views/Row`,
      body: {
        dataViewParameters: { Make: "A" },
        paging: { maxResultsToFetch: 20, pageNumber: 2, includeTotalCount: true },
      },
    },
    [`data create D_Cars --data '{"ID":"1"}'`]: { request: "POST /data/D_Cars", body: { data: { ID: "1" } } },
    [`data update D_Cars --data '{"ID":"1","Parts":[]}'`]: {
      request: "PUT /data/D_Cars",
      body: { data: { ID: "1", Parts: [] } },
      tag: "[FETCHED]",
    },
    [`data patch D_Cars --data '{"ID":"1"}'`]: {
      request: "PATCH /data/D_Cars",
      body: { data: { ID: "1" } },
      tag: "[FETCHED]",
    },
    [`data delete D_Cars --params '{"ID":"1","Year":2026}'`]: { request: "DELETE /data/D_Cars?ID=1&Year=2026" },
    [`data list-actions D_Cars`]: { request: "POST /data/D_Cars/actions" },
    [`data get-action D_Cars --action Edit --data '{"ID":"1"}'`]: {
      request: "POST /data/D_Cars/actions/Edit",
      body: { ID: "1" },
    },
    [`data perform-action D_Cars --action Edit ${CONTENT} ${ATTACHMENTS}`]: {
      request: "PATCH /data/D_Cars/actions/Edit",
      body: { content, pageInstructions, attachments },
    },
    [`data list-objects`]: { request: "GET /data_objects" },
    [`data list-pages`]: { request: "GET /data_pages?type=all" },
    [`data list-pages --type explorable`]: { request: "GET /data_pages?type=explorable" },
  },
  steps: [
    {
      line: "data list-objects",
      says: { "dataObjects.4.id": PERMIT, "dataObjects.4.defaultListDataView": "D_Permits" },
    },
    { line: "data list-pages --type explorable", says: { "dataPages.0.id": "D_pyWorkHistory" } },
    { line: "data get-metadata D_Inspectors", says: { classID: "City-Permit-Data-Inspector" } },
    { line: `data query-metadata D_Permits --params '{"Channel":"Desk"}'`, says: { isQueryable: true } },
    {
      line: `data create D_Inspectors --data '{"ID":"I-1","Name":"Ines"}'`,
      says: { "responseData.Name": "Ines" },
    },
    {
      line: `data update D_Inspectors --data '{"ID":"I-1","Name":"Ines","Phone":"555-0100"}'`,
      says: { "responseData.Phone": "555-0100" },
    },
    {
      line: `data patch D_Inspectors --data '{"ID":"I-1","Name":"Ines I."}'`,
      says: { "responseData.Phone": "555-0100", "responseData.Name": "Ines I." },
    },
    { line: `data get D_Inspectors --params '{"ID":"I-1"}'`, says: { Name: "Ines I." } },
    { line: `data count D_Permits --params '{"Channel":"Desk"}'`, says: { resultCount: 2 } },
    { line: "data query D_Permits --max 1 --include-total", says: { totalCount: 2, "data.0.Applicant": "Ada" } },
    { line: "data query D_Permits --page-size 1 --page 2", says: { pageNumber: 2, "data.0.Applicant": "Grace" } },
    { line: "data query-view D_Inspectors --view pyDetails", says: { "data.2.Name": "Ines I." } },
    { line: "data list-actions D_Inspectors", says: { "actions.0.id": "Edit" } },
    {
      line: `data get-action D_Inspectors --action Edit --data '{"ID":"I-1"}'`,
      says: { id: "I-1", "data.Name": "Ines I." },
    },
    {
      line: `data perform-action D_Inspectors --action Edit --data '{"ID":"I-1","Active":false}'`,
      says: { "responseData.Active": false },
    },
    { line: `data delete D_Inspectors --params '{"ID":"I-1"}'` },
  ],
});
