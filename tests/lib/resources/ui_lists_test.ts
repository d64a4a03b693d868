/** The requests and calls of `svc ui-lists`. */
import { C, PERMIT } from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

const PERSONALIZATION = "--name Mine --id I --personalization-state {} --mark-as-default --mark-as-app-default " +
  "--route-to-workbasket WB";
const personalization = {
  name: "Mine",
  ID: "I",
  personalizationState: "{}",
  markAsDefault: true,
  markAsAppDefault: true,
  pyRouteToWorkbasket: "WB",
};

testOperations("uiLists", {
  requests: {
    [`ui-lists list-personalizations L-1`]: { request: "GET /ui_lists/L-1/personalizations" },
    [`ui-lists create-personalization L-1 ${PERSONALIZATION}`]: {
      request: "POST /ui_lists/L-1/personalizations",
      body: personalization,
    },
    [`ui-lists update-personalization L-1 P-1 ${PERSONALIZATION}`]: {
      request: "PUT /ui_lists/L-1/personalizations/P-1",
      body: personalization,
    },
    [`ui-lists delete-personalization L-1 P-1`]: { request: "DELETE /ui_lists/L-1/personalizations/P-1" },
    [`ui-lists move 'ACME-Work-Claim!Items' --source-id 3 --destination-id 1 --context ${C} --list-class X`]: {
      request: "PATCH /ui_lists/ACME-Work-Claim!Items/move",
      body: { sourceID: "3", destinationID: "1", context: "ACME-WORK C-1", listClass: "X" },
    },
  },
  steps: [
    {
      line:
        "ui-lists create-personalization Permits --name Mine --id mine --personalization-state {} --mark-as-default",
      says: { "": "mine" },
    },
    { line: "ui-lists update-personalization Permits mine --name Ours", says: { "": "mine" } },
    {
      line: "ui-lists list-personalizations Permits",
      says: { "personalizations.0.ID": "mine", "personalizations.0.name": "Ours" },
    },
    { line: "ui-lists delete-personalization Permits mine" },
    {
      line: `ui-lists move '${PERMIT}!Documents' --source-id 2 --destination-id 1 --context '{permit}'`,
      says: { id: "{permit}", "data.caseInfo.content.Documents.0.Title": "B" },
    },
  ],
});
