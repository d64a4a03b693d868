/** The requests and calls of `svc assignments`. */
import {
  ATTACHMENTS,
  attachments,
  CALCULATION,
  calculation,
  CONDITION,
  condition,
  CONTENT,
  content,
  FEE,
  fee,
  INTEREST,
  interest,
  pageInstructions,
  REFRESH,
  REFRESH_QUERY,
} from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

const A = "'ASSIGN-WORKLIST ACME-WORK C-1!INTAKE'";
const ASSIGNMENT = "/assignments/ASSIGN-WORKLIST%20ACME-WORK%20C-1!INTAKE";

testOperations("assignments", {
  requests: {
    [`assignments get ${A}`]: { request: `GET ${ASSIGNMENT}` },
    [`assignments get-next`]: { request: "GET /assignments/next" },
    [`assignments get-action ${A} --action Enter`]: { request: `GET ${ASSIGNMENT}/actions/Enter` },
    [`assignments perform ${A} --action Enter ${CONTENT} ${ATTACHMENTS}`]: {
      request: `PATCH ${ASSIGNMENT}/actions/Enter`,
      body: { content, pageInstructions, attachments },
      tag: "[FETCHED]",
    },
    [`assignments perform ${A} --action Enter --if-match T1`]: {
      request: `PATCH ${ASSIGNMENT}/actions/Enter`,
      tag: "T1",
    },
    [`assignments save ${A} --action Enter ${CONTENT} ${ATTACHMENTS}`]: {
      request: `PATCH ${ASSIGNMENT}/actions/Enter/save`,
      body: { content, pageInstructions, attachments },
    },
    [`assignments recalculate ${A} --action Enter ${CALCULATION}`]: {
      request: `PATCH ${ASSIGNMENT}/actions/Enter/recalculate`,
      body: calculation,
    },
    [`assignments refresh-action ${A} --action Enter ${CONTENT} ${INTEREST}`]: {
      request: `PATCH ${ASSIGNMENT}/actions/Enter/refresh`,
      body: { content, pageInstructions, ...interest },
    },
    [`assignments refresh-action ${A} --action Enter ${INTEREST} ${REFRESH}`]: {
      request: `PATCH ${ASSIGNMENT}/actions/Enter/refresh?${REFRESH_QUERY}`,
      body: { ...interest, contextData: true },
    },
    [`assignments recalculate ${A} --action Enter ${CONDITION}`]: {
      request: `PATCH ${ASSIGNMENT}/actions/Enter/recalculate`,
      body: condition,
    },
    [`assignments navigate-back ${A} ${CONTENT} ${ATTACHMENTS}`]: {
      request: `PATCH ${ASSIGNMENT}/navigation_steps/previous`,
      body: { content, pageInstructions, attachments },
    },
    [`assignments navigate-to-step ${A} --step AssignmentSF1 ${CONTENT} ${ATTACHMENTS}`]: {
      request: `PATCH ${ASSIGNMENT}/navigation_steps/AssignmentSF1`,
      body: { content, pageInstructions, attachments },
    },
  },
  steps: [
    { line: "assignments get-next", says: { id: "{review}" } },
    { line: "assignments get '{intake}'", says: { id: "{intake}" } },
    { line: "assignments get-action '{intake}' --action Register", says: { [fee]: 300 } },
    {
      line: `assignments save '{intake}' --action Register --data '{"Area":40}'`,
      says: { "data.caseInfo.content.Area": 40 },
    },
    { line: `assignments recalculate '{intake}' --action Register ${FEE}`, says: { [fee]: 150 } },
    { line: `assignments refresh-action '{intake}' --action Register --data '{"Area":0}'`, says: { [fee]: 50 } },
    {
      line:
        `assignments refresh-action '{intake}' --action Register --data '{"Area":"0"}' --refresh-for .Area --context-data`,
      says: { [fee]: 50 },
    },
    {
      line: `assignments perform '{intake}' --action Register --data '{"Address":"Dam 1"}'`,
      says: { status: "Pending-Review" },
      keep: { review: "nextAssignmentInfo.ID" },
    },
    {
      line: "assignments perform '{review}' --action CheckApplication",
      says: { "nextAssignmentInfo.ID": "{review}" },
    },
    {
      line: "assignments navigate-back '{review}'",
      says: { "uiResources.navigation.steps.0.visited_status": "current" },
    },
    {
      line: "assignments navigate-to-step '{review}' --step AssignmentSF2",
      says: { "uiResources.navigation.steps.1.visited_status": "current" },
    },
  ],
});
