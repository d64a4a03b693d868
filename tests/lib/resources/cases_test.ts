/** The requests and calls of `svc cases`. */
import {
  ATTACHMENTS,
  attachments,
  C,
  CALCULATION,
  calculation,
  CASE,
  CONDITION,
  condition,
  CONTENT,
  content,
  FEE,
  fee,
  INTEREST,
  interest,
  pageInstructions,
  PERMIT,
  REFRESH,
  REFRESH_QUERY,
} from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

const stage = "data.caseInfo.stageID";

testOperations("cases", {
  requests: {
    [`cases create --type ACME-Work-Claim --data '{"Name":"Ada"}'`]: {
      request: "POST /cases",
      body: { caseTypeID: "ACME-Work-Claim", content },
    },
    [`cases create --type ACME-Work-Claim --parent-case-id ${C} --process pyStartCase ${CONTENT} ${ATTACHMENTS}`]: {
      request: "POST /cases",
      body: {
        caseTypeID: "ACME-Work-Claim",
        content,
        pageInstructions,
        attachments,
        parentCaseID: "ACME-WORK C-1",
        processID: "pyStartCase",
      },
    },
    [`cases create --type ACME-Work-Claim`]: { request: "POST /cases", body: { caseTypeID: "ACME-Work-Claim" } },
    [`cases get ${C}`]: { request: `GET ${CASE}` },
    [`cases delete ${C}`]: { request: `DELETE ${CASE}` },
    [`cases discard-updates ${C}`]: { request: `DELETE ${CASE}/updates` },
    [`cases get-action ${C} --action Edit`]: { request: `GET ${CASE}/actions/Edit` },
    [`cases perform-action ${C} --action Edit ${CONTENT} ${ATTACHMENTS}`]: {
      request: `PATCH ${CASE}/actions/Edit`,
      body: { content, pageInstructions, attachments },
    },
    [`cases perform-action ${C} --action Edit --if-match '20260102T030405.678 GMT'`]: {
      request: `PATCH ${CASE}/actions/Edit`,
      tag: "20260102T030405.678 GMT",
    },
    [`cases recalculate ${C} --action Edit ${CALCULATION}`]: {
      request: `PATCH ${CASE}/actions/Edit/recalculate`,
      body: calculation,
    },
    [`cases refresh-action ${C} --action Edit ${CONTENT} ${INTEREST}`]: {
      request: `PATCH ${CASE}/actions/Edit/refresh`,
      body: { content, pageInstructions, ...interest },
    },
    [`cases refresh-action ${C} --action Edit ${INTEREST} ${REFRESH}`]: {
      request: `PATCH ${CASE}/actions/Edit/refresh?${REFRESH_QUERY}`,
      body: { ...interest, contextData: true },
    },
    [`cases refresh-view ${C} --view Item ${INTEREST} ${REFRESH}`]: {
      request: `PATCH ${CASE}/views/Item/refresh?${REFRESH_QUERY}`,
      body: { ...interest, contextData: true },
    },
    [`cases recalculate ${C} --action Edit ${CONDITION}`]: {
      request: `PATCH ${CASE}/actions/Edit/recalculate`,
      body: condition,
    },
    [`cases get-view ${C} --view pyDetails`]: { request: `GET ${CASE}/views/pyDetails` },
    [`cases refresh-view ${C} --view pyDetails ${CONTENT} ${INTEREST}`]: {
      request: `PATCH ${CASE}/views/pyDetails/refresh`,
      body: { content, pageInstructions, ...interest },
    },
    [`cases calc-fields ${C} --view pyDetails ${CALCULATION}`]: {
      request: `POST ${CASE}/views/pyDetails/calculated_fields`,
      body: calculation,
    },
    [`cases list-ancestors ${C}`]: { request: `GET ${CASE}/ancestors` },
    [`cases list-descendants ${C}`]: { request: `GET ${CASE}/descendants` },
    [`cases list-attachment-categories ${C}`]: { request: `GET ${CASE}/attachment_categories` },
    [`cases list-stages ${C}`]: { request: `GET ${CASE}/stages` },
    [`cases stage-go ${C} --stage 'In review'`]: { request: `PUT ${CASE}/stages/In%20review` },
    [`cases stage-next ${C}`]: { request: `POST ${CASE}/stages/next` },
    [`cases start-process ${C} --process Visit`]: { request: `POST ${CASE}/processes/Visit` },
    [`cases bulk-actions --cases 'ACME-WORK C-1,ACME-WORK C-2'`]: {
      request: "POST /cases/bulk-actions",
      body: { cases: [{ ID: "ACME-WORK C-1" }, { ID: "ACME-WORK C-2" }] },
    },
    [`cases bulk-perform --action Edit --cases 'ACME-WORK C-1' --running-mode async ${CONTENT} ${ATTACHMENTS}`]: {
      request: "PATCH /cases?actionID=Edit&runningMode=async",
      body: { cases: [{ ID: "ACME-WORK C-1" }], content, pageInstructions, attachments },
    },
    [`cases bulk-perform --action Edit --cases 'ACME-WORK C-1'`]: {
      request: "PATCH /cases?actionID=Edit",
      body: { cases: [{ ID: "ACME-WORK C-1" }] },
    },
  },
  steps: [
    {
      line:
        `cases create --type ${PERMIT} --data '{"Applicant":"Ada","Area":100,"Documents":[{"Title":"A"},{"Title":"B"}]}'`,
      says: { status: "New", "nextAssignmentInfo.ID": /!INTAKE$/ },
      keep: { permit: "id", intake: "nextAssignmentInfo.ID" },
    },
    { line: `cases create --type ${PERMIT} --data '{"Applicant":"Grace"}'`, keep: { other: "id" } },
    { line: `cases create --type ${PERMIT}`, keep: { mistake: "id" } },
    {
      line: `cases create --type ${PERMIT} --parent-case-id '{permit}' --process pyStartCase ` +
        `--page-instructions '[{"instruction":"APPEND","target":".Documents","content":{"Title":"A"}}]'`,
      says: { "data.caseInfo.parentCaseID": "{permit}", "data.caseInfo.content.Documents.0.Title": "A" },
      keep: { part: "id" },
    },
    { line: "cases delete '{part}'" },
    { line: "cases delete '{mistake}'" },
    { line: "cases get '{permit}'", says: { id: "{permit}", type: PERMIT, [fee]: 301 } },
    { line: "cases get-action '{permit}' --action Expedite", says: { "uiResources.root.config.name": "Expedite" } },
    {
      line: `cases perform-action '{permit}' --action Expedite --data '{"Reason":"Leaking roof"}'`,
      says: { "data.caseInfo.content.Urgent": true, [fee]: 401 },
    },
    { line: `cases recalculate '{permit}' --action pyUpdateCaseDetails ${FEE}`, says: { [fee]: 401 } },
    {
      line: `cases refresh-action '{permit}' --action pyUpdateCaseDetails --data '{"Area":0}'`,
      says: { [fee]: 151 },
    },
    {
      line: "cases refresh-action '{permit}' --action pyUpdateCaseDetails --operation showRow " +
        "--interest-page '.Documents(2)' --interest-page-action-id pyEdit",
      says: { "data.caseInfo.content.Documents.0": {}, "data.caseInfo.content.Documents.1.Title": "B" },
    },
    { line: "cases get-view '{permit}' --view Summary", says: { [fee]: 401 } },
    { line: `cases refresh-view '{permit}' --view Application --data '{"Area":0}'`, says: { [fee]: 151 } },
    { line: `cases calc-fields '{permit}' --view Summary ${FEE}`, says: { [fee]: 401 } },
    { line: `cases calc-fields '{permit}' --view Summary ${CONDITION}`, says: { "data.caseInfo.content": {} } },
    { line: "cases list-ancestors '{permit}'", says: { "": {} } },
    { line: "cases list-descendants '{permit}'", says: { "": {} } },
    { line: "cases list-attachment-categories '{permit}'", says: { "attachment_categories.1.id": "Plan" } },
    {
      line: "cases list-stages '{permit}'",
      says: {
        "stages.0.id": "PRIM0",
        "stages.0.visited_status": "active",
        "stages.0.processes.0.id": "Intake",
        "stages.0.processes.0.steps.0.id": "Register",
        "stages.2.name": "Decision",
      },
    },
    {
      line: "cases bulk-actions --cases '{permit},{other}'",
      says: { "bulkActions.2.id": "Expedite" },
    },
    {
      line: `cases bulk-perform --action pyUpdateCaseDetails --cases '{permit},{other}' --data '{"Channel":"Post"}'`,
      says: { successCount: 2, "results.1.ID": "{other}" },
    },
    { line: `data count D_Permits --params '{"Channel":"Post"}'`, says: { resultCount: 2 } },
    { line: `assignments save '{intake}' --action Register --data '{"Area":40}'`, says: { [fee]: 251 } },
    { line: "cases discard-updates '{permit}'", says: { [fee]: 401 } },
    { line: `assignments perform '{intake}' --action Register --data '{"Address":"Dam 1"}'` },
    {
      line: "cases start-process '{permit}' --process Site_Visit",
      says: { "data.caseInfo.assignments.1.processID": "Site_Visit" },
    },
    { line: "cases stage-next '{permit}'", says: { [stage]: "PRIM2", status: "Pending-Decision" } },
    { line: "cases stage-go '{permit}' --stage Review", says: { [stage]: "PRIM1" } },
  ],
});
