/**
 * Every command's dry run, word for word as the specification says. The table is written from the specification and
 * not from the descriptions: it is what holds them to it.
 */
import assert from "node:assert/strict";
import { permissionName } from "../../lib/operation/names.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import { CHECKOUT, splitWords, svc } from "../harness/svc.ts";

interface DryRun {
  /** Request line, with the path below the API root. */
  request: string;
  /** Body; `{}` for an empty one. */
  body?: unknown;
  /** Media type. Default: that of JSON. */
  type?: string;
  /** Value of `If-Match`, where the request has one. */
  tag?: string;
}

const C = "'ACME-WORK C-1'";
const CASE = "/cases/ACME-WORK%20C-1";
const A = "'ASSIGN-WORKLIST ACME-WORK C-1!INTAKE'";
const ASSIGNMENT = "/assignments/ASSIGN-WORKLIST%20ACME-WORK%20C-1!INTAKE";
const CONTENT =
  `--data '{"Name":"Ada"}' --page-instructions '[{"instruction":"DELETE","target":".Items","listIndex":1}]'`;
const content = { Name: "Ada" };
const pageInstructions = [{ instruction: "DELETE", target: ".Items", listIndex: 1 }];
const ATTACHMENTS = `--attachments '[{"type":"URL","category":"URL","name":"Site","url":"https://x.example"}]'`;
const attachments = [{ type: "URL", category: "URL", name: "Site", url: "https://x.example" }];
const CALCULATION = `--data '{"calculations":{"fields":[{"name":".Total","context":"content"}]}}'`;
const calculation = { calculations: { fields: [{ name: ".Total", context: "content" }] } };
const INTEREST = "--interest-page '.Items(1)' --interest-page-action-id EditItem";
const interest = { interestPage: ".Items(1)", interestPageActionID: "EditItem" };
const VIEW = "/data_views/D_Cars";
const AGENT = "@baseclass!Guide";
const AGENT_SEGMENT = "%40baseclass!Guide";
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

const FILE = "LICENSE";
const file = { name: FILE, size: Deno.statSync(`${CHECKOUT}/${FILE}`).size };

const DRY_RUNS: Record<string, DryRun> = {
  [`cases create --type ACME-Work-Claim --data '{"Name":"Ada"}'`]: {
    request: "POST /cases",
    body: { caseTypeID: "ACME-Work-Claim", content },
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
  [`assignments navigate-back ${A} ${CONTENT} ${ATTACHMENTS}`]: {
    request: `PATCH ${ASSIGNMENT}/navigation_steps/previous`,
    body: { content, pageInstructions, attachments },
  },
  [`assignments navigate-to-step ${A} --step AssignmentSF1 ${CONTENT} ${ATTACHMENTS}`]: {
    request: `PATCH ${ASSIGNMENT}/navigation_steps/AssignmentSF1`,
    body: { content, pageInstructions, attachments },
  },

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

  [`case-types list`]: { request: "GET /casetypes" },
  [`case-types get ACME-Work-Claim`]: { request: "GET /casetypes" },
  [`case-types get-action ACME-Work-Claim --action Create`]: {
    request: "GET /casetypes/ACME-Work-Claim/actions/Create",
  },
  [`case-types list-bulk-actions ACME-Work-Claim`]: { request: "GET /casetypes/ACME-Work-Claim/bulk-actions" },

  [`participants list ${C}`]: { request: `GET ${CASE}/participants` },
  [`participants add ${C} --role Customer --data '{"pyFirstName":"Ada"}'`]: {
    request: `POST ${CASE}/participants`,
    body: { participantRoleID: "Customer", content: { pyFirstName: "Ada" } },
  },
  [`participants get ${C} --participant-id 'PARTY 1'`]: { request: `GET ${CASE}/participants/PARTY%201` },
  [`participants update ${C} --participant-id 'PARTY 1' ${CONTENT} ${ATTACHMENTS}`]: {
    request: `PATCH ${CASE}/participants/PARTY%201`,
    body: { content, pageInstructions, attachments },
  },
  [`participants delete ${C} --participant-id 'PARTY 1'`]: { request: `DELETE ${CASE}/participants/PARTY%201` },
  [`participants list-roles ${C}`]: { request: `GET ${CASE}/participant_roles` },
  [`participants get-role ${C} --role-id Customer`]: { request: `GET ${CASE}/participant_roles/Customer` },

  [`attachments list ${C}`]: { request: `GET ${CASE}/attachments` },
  [`attachments list ${C} --include-thumbnails`]: { request: `GET ${CASE}/attachments?includeThumbnails=true` },
  [`attachments add ${C} ${ATTACHMENTS}`]: { request: `POST ${CASE}/attachments`, body: { attachments } },
  [`attachments get 'LINK-ATTACHMENT X!1'`]: { request: "GET /attachments/LINK-ATTACHMENT%20X!1" },
  [`attachments patch A-1 --name plan --category File`]: {
    request: "PATCH /attachments/A-1",
    body: { name: "plan", category: "File" },
  },
  [`attachments upload -f ${FILE}`]: {
    request: "POST /attachments/upload",
    type: "multipart/form-data",
    body: { file },
  },
  [`attachments upload --file ${FILE} --append-unique-id`]: {
    request: "POST /attachments/upload",
    type: "multipart/form-data",
    body: { appendUniqueIdToFileName: "true", file },
  },
  [`attachments delete A-1`]: { request: "DELETE /attachments/A-1" },

  [`tags list ${C}`]: { request: `GET ${CASE}/tags` },
  [`tags add ${C} --tag hot --tag 'old, big'`]: {
    request: `POST ${CASE}/tags`,
    body: { tags: [{ Name: "hot" }, { Name: "old, big" }] },
  },
  [`tags delete ${C} --tag hot`]: { request: `DELETE ${CASE}/tags/hot` },
  [`followers list ${C}`]: { request: `GET ${CASE}/followers` },
  [`followers add ${C} --user rep@acme`]: { request: `POST ${CASE}/followers`, body: { users: [{ ID: "rep@acme" }] } },
  [`followers delete ${C} --user rep@acme`]: { request: `DELETE ${CASE}/followers/rep%40acme` },
  [`related list ${C}`]: { request: `GET ${CASE}/related_cases` },
  [`related add ${C} --related-case-id 'ACME-WORK C-2' --relationship duplicate`]: {
    request: `POST ${CASE}/related_cases`,
    body: { cases: [{ ID: "ACME-WORK C-2", relationship: "duplicate" }] },
  },
  [`related delete ${C} --related-case-id 'ACME-WORK C-2'`]: {
    request: `DELETE ${CASE}/related_cases/ACME-WORK%20C-2`,
  },

  [`social list-messages --filter-by messages --filter-for ${C} --page-size 5 --older-than 2026-01-02T03:04:05Z`]: {
    request: "GET /messages?filterBy=messages&filterFor=ACME-WORK%20C-1&pageSize=5&olderThan=2026-01-02T03%3A04%3A05Z",
  },
  [`social post-message --context ${C} --message hi --route-to-workbasket WB --message-type News`]: {
    request: "POST /messages?message-type=News",
    body: { context: "ACME-WORK C-1", message: "hi", pyRouteToWorkbasket: "WB" },
  },
  [`social get-message M-1`]: { request: "GET /messages/M-1" },
  [`social update-message M-1 --message hi --route-to-workbasket WB`]: {
    request: "PUT /messages/M-1",
    body: { message: "hi", pyRouteToWorkbasket: "WB" },
  },
  [`social delete-message M-1`]: { request: "DELETE /messages/M-1" },
  [`social like-message M-1`]: { request: "POST /messages/M-1/likes" },
  [`social list-likes M-1`]: { request: "GET /messages/M-1/likes" },
  [`social unlike-message M-1`]: { request: "DELETE /messages/M-1/likes" },
  [`social get-feed pyCaseFeed --filter-for ${C} --older-than 2026-01-02 --page-size 5 --feed-class X --filter-by a,b`]:
    {
      request:
        "GET /feeds/pyCaseFeed?filterFor=ACME-WORK%20C-1&olderThan=2026-01-02&pageSize=5&feedClass=X&filterBy=a%2Cb",
    },
  [`social get-message-type Pega-Social-Message`]: { request: "GET /message-types/Pega-Social-Message" },
  [`social list-mention-types`]: { request: "GET /mention_types" },
  [`social list-mentions --mentions-type Users --context ${C} --search-for re --list-size 3`]: {
    request: "GET /mentions?mentionsType=Users&context=ACME-WORK%20C-1&searchFor=re&listSize=3",
  },
  [`social list-suggested-tags --context ${C}`]: { request: "GET /suggested_tags?context=ACME-WORK%20C-1" },
  [`social search-tags --search-for ho --list-size 3`]: { request: "GET /tags?searchFor=ho&listSize=3" },

  [`ai-agents list`]: { request: "GET /ai-agents" },
  [`ai-agents start-conversation ${AGENT} --context-id ${C} --interaction-id I --execute-starter --active-channel Web --active-channel-id W`]:
    {
      request: `POST /ai-agents/${AGENT_SEGMENT}/conversations`,
      body: {
        contextID: "ACME-WORK C-1",
        interactionID: "I",
        executeStarterQuestion: true,
        activeChannel: "Web",
        activeChannelID: "W",
      },
    },
  [`ai-agents start-conversation ${AGENT} --no-execute-starter`]: {
    request: `POST /ai-agents/${AGENT_SEGMENT}/conversations`,
    body: { executeStarterQuestion: false },
  },
  [`ai-agents list-conversations ${AGENT} --context-id ${C} --page-size 5 --page-index 0`]: {
    request: `GET /ai-agents/${AGENT_SEGMENT}/conversations?contextID=ACME-WORK%20C-1&pageSize=5&pageIndex=0`,
  },
  [`ai-agents get-conversation ${AGENT} --conversation V-1`]: {
    request: `GET /ai-agents/${AGENT_SEGMENT}/conversations/V-1`,
  },
  [`ai-agents send-message ${AGENT} --conversation V-1 --request hi ${ATTACHMENTS} --active-channel Web --active-channel-id W`]:
    {
      request: `PATCH /ai-agents/${AGENT_SEGMENT}/conversations/V-1`,
      body: { Request: "hi", Attachments: attachments, activeChannel: "Web", activeChannelID: "W" },
    },
  [`ai-agents close-conversation ${AGENT} --conversation V-1`]: {
    request: `PUT /ai-agents/${AGENT_SEGMENT}/conversations/V-1/close`,
  },
  [`ai-agents like ${AGENT} --conversation V-1 --message M-1`]: {
    request: `PUT /ai-agents/${AGENT_SEGMENT}/conversations/V-1/messages/M-1/like`,
  },
  [`ai-agents dislike ${AGENT} --conversation V-1 --message M-1 --feedback wrong`]: {
    request: `PUT /ai-agents/${AGENT_SEGMENT}/conversations/V-1/messages/M-1/dislike`,
    body: { feedbackText: "wrong" },
  },
  [`assistants start-conversation ${AGENT} --context-id ${C} --interaction-id I --execute-starter`]: {
    request: `POST /assistants/${AGENT_SEGMENT}/conversations`,
    body: { contextID: "ACME-WORK C-1", interactionID: "I", executeStarterQuestion: true },
  },
  [`assistants list-conversations ${AGENT} --context-id ${C} --page-size 5 --page-index 1`]: {
    request: `GET /assistants/${AGENT_SEGMENT}/conversations?contextID=ACME-WORK%20C-1&pageSize=5&pageIndex=1`,
  },
  [`assistants get-conversation ${AGENT} --conversation V-1`]: {
    request: `GET /assistants/${AGENT_SEGMENT}/conversations/V-1`,
  },
  [`assistants send-message ${AGENT} --conversation V-1 --request hi`]: {
    request: `PATCH /assistants/${AGENT_SEGMENT}/conversations/V-1`,
    body: { Request: "hi" },
  },
  [`assistants close-conversation ${AGENT} --conversation V-1`]: {
    request: `PUT /assistants/${AGENT_SEGMENT}/conversations/V-1/close`,
  },

  [`pages get Welcome --page-class Data-Portal`]: { request: "GET /pages/Welcome?pageClass=Data-Portal" },
  [`pages get-with-context Summary --data-context ${C}`]: {
    request: "POST /pages/Summary",
    body: { dataContext: "ACME-WORK C-1" },
  },
  [`pages dashboard Main`]: { request: "GET /dashboard/Main" },
  [`pages insight ByStatus`]: { request: "GET /insight/ByStatus" },
  [`pages channel Web`]: { request: "GET /channels/Web" },
  [`pages portal Desk`]: { request: "GET /portals/Desk" },
  [`pages localization nl_NL`]: { request: "GET /localizations/nl_NL" },

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

  [`static-content component Map`]: { request: "GET /components/Map" },
  [`static-content file logo.png -o logo.png`]: { request: "GET /files/logo.png" },
  [`static-content profile-image rep@acme`]: { request: "GET /users/rep%40acme/profile-image" },
};

for (const [line, { request, body, type, tag }] of Object.entries(DRY_RUNS)) {
  Deno.test(`svc ${line} --dry-run prints the request of the specification`, async () => {
    const { code, stdout, stderr } = await svc([...splitWords(line), "--dry-run"], {
      env: { SVC_BASE_URL: "https://svc.example:8443" },
      cwd: CHECKOUT,
    });
    const [method, path] = request.split(" ");
    assert.equal(
      stdout,
      `${method} /dx-api/v2${path}\nHost: svc.example:8443\nAuthorization: Bearer [REDACTED]\n` +
        (tag === undefined ? "" : `If-Match: ${tag}\n`) +
        `Content-Type: ${type ?? "application/json"}\n\n${JSON.stringify(body ?? {}, null, 2)}\n`,
    );
    assert.equal(stderr, "");
    assert.equal(code, 0);
  });
}

Deno.test("the dry runs cover every operation", async () => {
  const named = new Set(Object.keys(DRY_RUNS).map((line) => splitWords(line).slice(0, 2).join(".")));
  const operations = Object.entries(await loadResources()).flatMap(([group, operations]) =>
    Object.keys(operations).map((operation) => permissionName(group, operation))
  );
  assert.deepEqual([...named].sort(), operations.sort());
});
