/**
 * Runs every command against one service of the sample application. Each must answer in the shape that its description
 * declares. A change is first rejected with a stale entity tag. A step saves what later steps need.
 */
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import type { JsonValue } from "../../utils/json.ts";
import { permissionName, toCamel } from "../../lib/operation/names.ts";
import { type Operation, takesTag } from "../../lib/operation/operation.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import { openLive } from "../harness/service.ts";
import { valueAt } from "../harness/service_engine.ts";
import { CHECKOUT, makeFolder, splitWords } from "../harness/svc.ts";

interface Step {
  /** Command line. `{name}` is a value that an earlier step kept. */
  readonly line: string;
  /** Operator who runs it (default: `clerk@city`). */
  readonly as?: string;
  /** Expected values of the response, by path. The path `` is the whole response. */
  readonly says?: Readonly<Record<string, JsonValue | RegExp>>;
  /** Values of the response to keep for later steps, by path. */
  readonly keep?: Readonly<Record<string, string>>;
  /** The file that it writes, and the one that this must be a copy of. */
  readonly file?: readonly [copy: string, original: string];
}

const PERMIT = "City-Permit-Work-Permit";
const FEE = `--data '{"calculations":{"fields":[{"name":".Fee","context":"content"}]}}'`;
const GUIDE = "'@baseclass!PermitGuide'";
const DESK = "'@baseclass!Desk'";
const STATIC = `${CHECKOUT}/service/sample/static`;
const fee = "data.caseInfo.content.Fee";
const stage = "data.caseInfo.stageID";

const CASES: Step[] = [
  {
    line:
      `cases create --type ${PERMIT} --data '{"Applicant":"Ada","Area":100,"Documents":[{"Title":"A"},{"Title":"B"}]}'`,
    says: { status: "New", "nextAssignmentInfo.ID": /!INTAKE$/ },
    keep: { permit: "id", intake: "nextAssignmentInfo.ID" },
  },
  { line: `cases create --type ${PERMIT} --data '{"Applicant":"Grace"}'`, keep: { other: "id" } },
  { line: `cases create --type ${PERMIT}`, keep: { mistake: "id" } },
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
  { line: "cases get-view '{permit}' --view Summary", says: { [fee]: 401 } },
  { line: `cases refresh-view '{permit}' --view Application --data '{"Area":0}'`, says: { [fee]: 151 } },
  { line: `cases calc-fields '{permit}' --view Summary ${FEE}`, says: { [fee]: 401 } },
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
    line: `cases bulk-perform --action pyUpdateCaseDetails --cases '{permit},{other}' --data '{"Channel":"Desk"}'`,
    says: { successCount: 2, "results.1.ID": "{other}" },
  },
  { line: "case-types list", says: { "caseTypes.0.id": PERMIT } },
  { line: `case-types get ${PERMIT}`, says: { id: PERMIT, name: "Permit" } },
  {
    line: `case-types get-action ${PERMIT} --action Create`,
    says: { "uiResources.resources.fields.Area.0.max": 100000 },
  },
  { line: `case-types list-bulk-actions ${PERMIT}`, says: { "bulkActions.0.id": "pyUpdateCaseDetails" } },
];

const ASSIGNMENTS: Step[] = [
  { line: "assignments get-next", says: { id: /!INTAKE$/ } },
  { line: "assignments get '{intake}'", says: { id: "{intake}" } },
  { line: "assignments get-action '{intake}' --action Register", says: { [fee]: 401 } },
  {
    line: `assignments save '{intake}' --action Register --data '{"Area":40}'`,
    says: { "data.caseInfo.content.Area": 40 },
  },
  { line: `assignments recalculate '{intake}' --action Register ${FEE}`, says: { [fee]: 251 } },
  { line: `assignments refresh-action '{intake}' --action Register --data '{"Area":0}'`, says: { [fee]: 151 } },
  { line: "cases discard-updates '{permit}'", says: { [fee]: 401 } },
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
  {
    line: "cases start-process '{permit}' --process Site_Visit",
    says: { "data.caseInfo.assignments.1.processID": "Site_Visit" },
  },
  { line: "cases stage-next '{permit}'", says: { [stage]: "PRIM2", status: "Pending-Decision" } },
  { line: "cases stage-go '{permit}' --stage Review", says: { [stage]: "PRIM1" } },
];

const DATA: Step[] = [
  { line: "data list-objects", says: { "dataObjects.1.id": PERMIT, "dataObjects.1.defaultListDataView": "D_Permits" } },
  { line: "data list-pages --type explorable", says: { "dataPages.0.id": "D_pyWorkHistory" } },
  { line: "data get-metadata D_Inspectors", says: { classID: "City-Permit-Data-Inspector" } },
  { line: `data query-metadata D_Permits --params '{"Channel":"Desk"}'`, says: { isQueryable: true } },
  { line: `data create D_Inspectors --data '{"ID":"I-1","Name":"Ines"}'`, says: { "responseData.Name": "Ines" } },
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
  { line: "data query-view D_Inspectors --view pyDetails", says: { "data.0.Name": "Ines I." } },
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
];

const PEOPLE: Step[] = [
  { line: "participants list-roles '{permit}'", says: { "participantRoles.0.id": "Applicant" } },
  { line: "participants get-role '{permit}' --role-id Adviser", says: { id: "Adviser", multiple: true } },
  {
    line: `participants add '{permit}' --role Applicant --data '{"pyFirstName":"Ada","pyLastName":"Lovelace"}'`,
    says: { participantRoleID: "Applicant" },
    keep: { participant: "id" },
  },
  {
    line: `participants update '{permit}' --participant-id '{participant}' --data '{"pyPhoneNumber":"555-0100"}'`,
    says: { "data.caseInfo.content.pyPhoneNumber": "555-0100", "data.caseInfo.content.pyFirstName": "Ada" },
  },
  { line: "participants get '{permit}' --participant-id '{participant}'", says: { id: "{participant}" } },
  { line: "participants list '{permit}'", says: { "participants.0.id": "{participant}" } },
  { line: "participants delete '{permit}' --participant-id '{participant}'" },
  { line: "tags add '{permit}' --tag Hot --tag 'old, big'", says: { "0.ID": "hot", "1.status": "201" } },
  { line: "tags list '{permit}'", says: { "tagsList.1.tagName": "old, big" } },
  { line: "tags delete '{permit}' --tag hot" },
  { line: "followers add '{permit}' --user reviewer@city", says: { "0.status": "201" } },
  {
    line: "followers list '{permit}'",
    says: { "followers.0.id": "reviewer@city", "followers.0.name": "Rosa Reviewer" },
  },
  { line: "followers delete '{permit}' --user reviewer@city" },
  {
    line: "related add '{permit}' --related-case-id '{other}' --relationship duplicate",
    says: { "0.ID": "{other}", "0.status": "201" },
  },
  {
    line: "related list '{other}'",
    says: { "associatedCases.0.id": "{permit}", "associatedCases.0.relationship": "duplicate" },
  },
  { line: "related delete '{other}' --related-case-id '{permit}'" },
];

const SOCIAL: Step[] = [
  {
    line: "social post-message --context '{permit}' --message 'Plan received, @Rosa #urgent'",
    says: { "tags.0": "urgent", "mentions.0.mentionsID": "reviewer@city" },
    keep: { message: "id" },
  },
  { line: "social get-message '{message}'", says: { id: "{message}" } },
  { line: "social update-message '{message}' --message 'Plan complete #urgent'", says: { message: /complete/ } },
  { line: "social like-message '{message}'", as: "reviewer@city" },
  { line: "social list-likes '{message}'", says: { pxLikeCount: 1, "likes.0.ID": "reviewer@city" } },
  { line: "social unlike-message '{message}'", as: "reviewer@city" },
  {
    line: "social list-messages --filter-by messages --filter-for '{permit}'",
    says: { "messages.0.id": "{message}" },
  },
  {
    line: "social get-feed pyCaseFeed --filter-for '{permit}' --page-size 20",
    says: { "data.FeedList.pxResults.0.id": "{message}" },
  },
  { line: "social get-message-type City-Permit-Social-Question", says: { pyRouteToWorkbasket: "Review" } },
  { line: "social list-mention-types", says: { "0.id": "Users" } },
  {
    line: "social list-mentions --mentions-type Users --search-for cla",
    says: { "0.mentionsID": "clerk@city" },
  },
  { line: "social list-suggested-tags --context '{permit}'", says: { tags: ["old, big", "urgent"] } },
  { line: "social search-tags --search-for urg", says: { "tags.0": "urgent" } },
  { line: "social delete-message '{message}'" },
];

const CONVERSATIONS: Step[] = [
  { line: "ai-agents list", says: { "0.agentClass": "@baseclass", "0.name": "PermitGuide" } },
  {
    line: `ai-agents start-conversation ${GUIDE} --context-id '{permit}' --execute-starter`,
    says: { response: /is Pending-Review\.$/ },
    keep: { talk: "id" },
  },
  {
    line: `ai-agents send-message ${GUIDE} --conversation '{talk}' --request 'What is missing?'`,
    says: { response: "Nothing is missing." },
    keep: { answer: "messageID" },
  },
  { line: `ai-agents like ${GUIDE} --conversation '{talk}' --message '{answer}'` },
  { line: `ai-agents dislike ${GUIDE} --conversation '{talk}' --message '{answer}' --feedback 'Too short'` },
  {
    line: `ai-agents get-conversation ${GUIDE} --conversation '{talk}'`,
    says: { id: "{talk}", "messages.3.feedbackText": "Too short" },
  },
  {
    line: `ai-agents list-conversations ${GUIDE} --context-id '{permit}'`,
    says: { "conversations.0.id": "{talk}" },
  },
  { line: `ai-agents close-conversation ${GUIDE} --conversation '{talk}'` },
  {
    line: `assistants start-conversation ${DESK} --context-id '{permit}' --no-execute-starter`,
    says: { response: "" },
    keep: { chat: "id" },
  },
  {
    line: `assistants send-message ${DESK} --conversation '{chat}' --request 'Who opened it?'`,
    says: { response: /^clerk@city opened P-/ },
  },
  { line: `assistants get-conversation ${DESK} --conversation '{chat}'`, says: { "messages.0.role": "user" } },
  {
    line: `assistants list-conversations ${DESK} --context-id '{permit}'`,
    says: { "conversations.0.id": "{chat}" },
  },
  { line: `assistants close-conversation ${DESK} --conversation '{chat}'` },
];

const PAGES: Step[] = [
  { line: "pages get Welcome --page-class Data-Portal", says: { id: "Welcome", "data.pageClass": "Data-Portal" } },
  {
    line: "pages get-with-context CaseSummary --data-context '{permit}'",
    says: { id: "CaseSummary", "data.caseInfo.ID": "{permit}" },
  },
  { line: "pages dashboard Permits", says: { id: "Permits", "data.insights.1.ID": "FeesByChannel" } },
  { line: "pages insight PermitsByStatus", says: { "data.rows.0": { pyStatusWork: "New", Permits: 1 } } },
  { line: "pages channel Web", says: { id: "Web", "data.portal.ID": "Desk" } },
  { line: "pages portal Desk", says: { id: "Desk", "data.pages.1.ID": "CaseSummary" } },
  { line: "pages localization nl_NL", says: { Fee: "Leges" } },
  {
    line: "ui-lists create-personalization Permits --name Mine --id mine --personalization-state {} --mark-as-default",
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
];

const FILES: Step[] = [
  { line: "attachments upload -f plan.txt --append-unique-id", keep: { upload: "ID" } },
  {
    line:
      `attachments add '{permit}' --attachments '[{"type":"File","category":"Plan","name":"plan","ID":"{upload}"}]'`,
  },
  {
    line: "attachments list '{permit}' --include-thumbnails",
    says: { "attachments.0.category": "Plan", "attachments.0.mimeType": /^text.plain/ },
    keep: { attachment: "attachments.0.id" },
  },
  { line: "attachments patch '{attachment}' --name drawing" },
  { line: "attachments get '{attachment}' -o copy.txt", file: ["copy.txt", "plan.txt"] },
  { line: "attachments delete '{attachment}'" },
  { line: "static-content component City_Map -o map.js", file: ["map.js", `${STATIC}/components/City_Map.js`] },
  { line: "static-content file fees.csv --output fees.csv", file: ["fees.csv", `${STATIC}/files/fees.csv`] },
  {
    line: "static-content profile-image clerk@city -o clerk.png",
    file: ["clerk.png", `${STATIC}/profile-images/clerk@city.png`],
  },
];

/** Operations that create something. There is no older state that a caller could know. */
const MAKES_NEW: readonly string[] = [
  "cases.create",
  "data.create",
  "social.post-message",
  "ai-agents.start-conversation",
  "assistants.start-conversation",
  "ui-lists.create-personalization",
  "attachments.upload",
];

const resources = await loadResources();

/** The operation that a command line names. */
function operationOf(line: string): { name: string; operation: Operation } {
  const [group = "", command = ""] = splitWords(line).map(toCamel);
  const operation = resources[group]?.[command];
  assert.ok(operation, `there is no command ${line}`);
  return { name: permissionName(group, command), operation };
}

Deno.test("every command answers as documented, and changes nothing with a stale entity tag", async (test) => {
  await using live = await openLive();
  await using folder = await makeFolder({ "plan.txt": "The plan\n" });
  const kept = new Map<string, string>();
  const done = new Set<string>();
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name) => kept.get(name) ?? assert.fail(`no ${name}`));

  async function run({ line, as, says = {}, keep = {}, file }: Step): Promise<void> {
    const { name, operation } = operationOf(line);
    const place = { cwd: folder.path, ...(as === undefined && { env: { SVC_CONFIG_DIR: folder.path } }) };
    if (takesTag(operation) && !MAKES_NEW.includes(name)) {
      const stale = await live.run(`${fill(line)} --if-match stale`, as, place);
      assert.match(stale.stderr, /"status":412\b/, "with a stale entity tag");
    }
    const { code, stdout, stderr } = await live.run(fill(line), as, place);
    assert.deepEqual([code, stderr], [0, ""]);
    done.add(name);
    if (file !== undefined) {
      const [copy, original] = await Promise.all(file.map((path) => Deno.readFile(resolve(folder.path, path))));
      return assert.deepEqual(copy, original);
    }
    const body: JsonValue | undefined = stdout === "" ? undefined : JSON.parse(stdout);
    assert.equal(body === undefined, operation.answer === "nothing");
    checkAnswer(operation.answer, { body });
    for (const [path, expected] of Object.entries(says)) {
      const found = path === "" ? body : valueAt(body, path);
      if (expected instanceof RegExp) assert.match(String(found), expected, path);
      else assert.deepEqual(found, typeof expected === "string" ? fill(expected) : expected, path);
    }
    for (const [name, path] of Object.entries(keep)) kept.set(name, String(valueAt(body, path)));
  }

  for (const step of [CASES, ASSIGNMENTS, DATA, PEOPLE, SOCIAL, CONVERSATIONS, PAGES, FILES].flat()) {
    await test.step(`svc ${step.line}`, () => run(step));
  }
  const all = Object.entries(resources).flatMap(([group, operations]) =>
    Object.keys(operations).map((name) => permissionName(group, name))
  );
  assert.deepEqual(all.filter((name) => !done.has(name)), []);
});
