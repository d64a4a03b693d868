/** Rights on cases: an operator without the right to see a case cannot tell it from a missing one, by any operation. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { isRead, type Operation, permissionName } from "../../../lib/operation/operation.ts";
import { loadResources } from "../../../lib/resources/mod.ts";
import { mayWorkOnNew } from "../../../service/access/case_rights.ts";
import { parseApplication } from "../../../service/application/load.ts";
import { Invalid } from "../../../service/errors.ts";
import { ExactNumber } from "../../../utils/exact_number.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import {
  catchDefinitionError,
  type Engine,
  openEngine,
  PERMIT_FILE,
  textAt,
  valueAt,
} from "../../harness/service_engine.ts";

const RIGHTS = `
    rights:
      read: operator.ID != 'inspector@city' || Channel != 'Desk'
      work: "!operator.ID.startsWith('decider')"
      manage: "'Decision' in operator.queues"
`;
const SAMPLE = await Deno.readTextFile(PERMIT_FILE);
const YAML = SAMPLE.replace(/\n {4}rights: .*\n/, RIGHTS);
const [OUTSIDER, CLERK] = ["inspector@city", "clerk@city"];
const PORTAL = "DATA-PORTAL $CityPermits";
const PERMIT = "City-Permit-Work-Permit";

const OPERATIONS = Object.entries(await loadResources()).flatMap(([group, operations]) =>
  Object.entries(operations).map(([name, operation]): [string, Operation] => [`${group}.${name}`, operation])
);

/** Parameters that refer to a case or to something that belongs to it. */
type References = Record<
  | "caseId"
  | "assignmentId"
  | "id"
  | "messageID"
  | "conversation"
  | "relatedCaseId"
  | "context"
  | "contextId"
  | "filterFor"
  | "dataContext",
  string
>;

const MISSING: References = {
  caseId: "CITY-PERMIT-WORK P-999",
  assignmentId: "ASSIGN-WORKLIST CITY-PERMIT-WORK P-999!INTAKE",
  id: "LINK-ATTACHMENT CITY-PERMIT-WORK P-999!20260102T030405.678 GMT",
  messageID: "PEGASOCIAL-MESSAGE M-999",
  conversation: "PXCONV-999",
  relatedCaseId: "CITY-PERMIT-WORK P-999",
  context: "CITY-PERMIT-WORK P-999",
  contextId: "CITY-PERMIT-WORK P-999",
  filterFor: "CITY-PERMIT-WORK P-999",
  dataContext: "CITY-PERMIT-WORK P-999",
};

/** Values of the other parameters. A group can have its own. */
const VALUES: Record<string, JsonValue> = {
  type: PERMIT,
  caseTypeId: PERMIT,
  action: "pyUpdateCaseDetails",
  data: {},
  view: "pyDetails",
  stage: "Review",
  process: "Site_Visit",
  role: "Applicant",
  participantId: "PARTY-1",
  attachments: [{ type: "URL", category: "URL", name: "a", url: "https://a.example" }],
  tag: "hiddentag",
  user: OUTSIDER,
  relationship: "blocks",
  dataViewId: "D_Permits",
  message: "hello",
  feedID: "pyDashboardFeed",
  filterBy: "All",
  messageType: "Pega-Social-Message",
  mentionsType: "Users",
  agentId: "@baseclass!PermitGuide",
  assistantId: "@baseclass!Desk",
  request: "state?",
  pageID: "CaseSummary",
  dashboardID: "Permits",
  insightID: "PermitsByStatus",
  channelID: "Web",
  portalID: "Desk",
  locale: "en",
  uiListID: "Permits",
  personalizationID: "none",
  name: "Mine",
  viewName: `${PERMIT}!Documents`,
  sourceId: "1",
  destinationId: "2",
  componentID: "none",
  fileID: "none",
  userId: CLERK,
};
const OWN: Record<string, Record<string, JsonValue>> = {
  assignments: { action: "Register", step: "AssignmentSF1" },
  data: { action: "Rename", view: "pyDetails", data: {} },
  caseTypes: { action: "Create" },
  social: { type: "Pega-Social-Message", filterFor: PORTAL },
};
const CALCULATION = { calculations: { fields: [{ name: ".Fee", context: "content" }] } };

/** Builds the arguments of an operation. */
function toArguments(name: string, { args = [], flags = {} }: Operation, references?: References): JsonObject {
  const [group = ""] = name.split(".");
  const values: JsonObject = {};
  const params = [...args.map((arg) => [arg.name, arg] as const), ...Object.entries(flags)];
  for (const [param, { type, required }] of params) {
    const reference = Object.entries(references ?? {}).find(([known]) => known === param)?.[1];
    if (param === "cases") values.cases = [references?.caseId ?? MISSING.caseId];
    else if (param === "parentCaseId") values.parentCaseId = references?.caseId ?? MISSING.caseId;
    else if (param === "tag" && type === "list") values.tag = ["hiddentag"];
    else if (type === "calculation") values[param] = CALCULATION;
    else if (reference !== undefined) values[param] = reference;
    else if (required) values[param] = OWN[group]?.[param] ?? VALUES[param] ?? "none";
  }
  return values;
}

/** Calls an operation. Returns its result or its error, without times and with the same text for each reference. */
async function call(engine: Engine, name: string, values: JsonObject, references: References, as: string) {
  const body = {
    users: [{ ID: OUTSIDER }],
    cases: [{ ID: references.relatedCaseId, relationship: "blocks" }],
    content: {},
  };
  let result: unknown;
  try {
    const { result: kind, body: answer, text, failure } = await engine.call(name, values, { as, body });
    result = { kind, answer, text, failure: failure?.message };
  } catch (error) {
    result = error instanceof Error ? { error: error.constructor.name, message: error.message } : error;
  }
  let json = JSON.stringify(result) ?? "";
  const longestFirst = Object.values(references).sort((a, b) => b.length - a.length);
  for (const reference of longestFirst) json = json.replaceAll(reference, "<reference>");
  return json.replaceAll(/"[^"]*\d{4}-\d\d-\d\dT[\d:.]+Z[^"]*"|"[\d.]+ ms"|\d{8}T\d{6}\.\d{3} GMT/g, '"<time>"');
}

/** Creates a case that all operators see, and with `hidden` one that the outsider stops seeing. */
async function populate(engine: Engine, hidden: boolean): Promise<References> {
  const create = async (data: JsonObject) => textAt(await engine.body("cases.create", { type: PERMIT, data }), "ID");
  const open = await create({ Applicant: "Ada", Channel: "Post" });
  if (!hidden) return MISSING;
  const caseId = await create({
    Applicant: "Harriet",
    Channel: "Internet",
    Documents: [{ Title: "a" }, { Title: "b" }],
  });
  const body = await engine.body("cases.get", { caseId });
  await engine.call("attachments.add", { caseId, attachments: VALUES.attachments });
  const list = await engine.body("attachments.list", { caseId });
  await engine.call("tags.add", { caseId, tag: ["hiddentag"] });
  await engine.call("followers.add", { caseId }, { body: { users: [{ ID: OUTSIDER }] } });
  await engine.call("related.add", { caseId }, { body: { cases: [{ ID: open, relationship: "blocks" }] } });
  const message = { context: caseId, message: "Harriet #hiddenmessage @inspector@city" };
  const posted = await engine.body("social.postMessage", message);
  await engine.call("social.postMessage", { context: textAt(posted, "ID"), message: "Harriet @inspector@city" });
  const person = { content: { pyFirstName: "Harriet", pyLastName: "Hidden" } };
  await engine.call("participants.add", { caseId, role: "Applicant" }, { body: person });
  const talk = { agentId: "@baseclass!PermitGuide", contextId: caseId };
  const conversation = textAt(await engine.body("aiAgents.startConversation", talk, { as: OUTSIDER }), "ID");
  const desk = { action: "pyUpdateCaseDetails", caseId, data: { Channel: "Desk" } };
  await engine.call("cases.performAction", desk, { as: OUTSIDER });
  return {
    caseId,
    assignmentId: textAt(body, "data.caseInfo.assignments.0.ID"),
    id: textAt(list, "attachments.0.ID"),
    messageID: textAt(posted, "ID"),
    conversation,
    relatedCaseId: caseId,
    context: caseId,
    contextId: caseId,
    filterFor: caseId,
    dataContext: caseId,
  };
}

/** Creates a message and a conversation that belong to no case. */
async function populateOutside(engine: Engine, as = CLERK): Promise<Pick<References, "messageID" | "conversation">> {
  const posted = await engine.body("social.postMessage", { context: PORTAL, message: "hello" }, { as });
  const talk = { agentId: "@baseclass!PermitGuide" };
  const conversation = textAt(await engine.body("aiAgents.startConversation", talk, { as }), "ID");
  return { messageID: textAt(posted, "ID"), conversation };
}

Deno.test("no operation tells a case that the caller may not see from a missing one", async () => {
  let distinguished = 0;
  for (const [name, operation] of OPERATIONS) {
    await using engine = await openEngine(YAML);
    const references = await populate(engine, true);
    const calls = async (as: string) => [
      await call(engine, name, toArguments(name, operation, references), references, as),
      await call(engine, name, toArguments(name, operation, MISSING), MISSING, as),
    ];
    const [hidden, missing] = await calls(OUTSIDER);
    assert.equal(hidden, missing, name);
    const [seen, unknown] = await calls(CLERK);
    if (seen !== unknown) distinguished++;
  }
  assert.ok(distinguished >= 60, `the clerk sees a difference in ${distinguished} operations`);
});

Deno.test("lists, counts, feeds and suggestions are the same as without the cases that the caller may not see", async () => {
  await using one = await openEngine(YAML);
  await using other = await openEngine(YAML);
  await populate(one, true);
  await populate(other, false);
  const total = { paging: { includeTotalCount: true, maxResultsToFetch: 100 } };
  const more: [name: string, values: JsonObject][] = [
    ...["D_Permits", "D_pyMyWorkList", "D_pyWorkHistory"].flatMap((dataViewId): [string, JsonObject][] => [
      ["data.query", { dataViewId, data: total }],
      ["data.count", { dataViewId, data: {} }],
    ]),
    ...["pyDashboardFeed", "pyUserFeed"].map((feedID): [string, JsonObject] => {
      return ["social.getFeed", { feedID, filterFor: OUTSIDER, pageSize: 100 }];
    }),
    ["social.getFeed", { feedID: "pyDashboardFeed", filterFor: PORTAL, pageSize: 100 }],
    ["social.listMessages", { filterBy: "All", filterFor: OUTSIDER, pageSize: 100 }],
  ];
  const reads = OPERATIONS.filter(([, operation]) => isRead(operation)).map(
    ([name, operation]): [string, JsonObject] => {
      return [name, toArguments(name, operation)];
    },
  );
  let differences = 0;
  for (const [name, values] of [...reads, ...more]) {
    const result = await call(one, name, values, MISSING, OUTSIDER);
    assert.equal(result, await call(other, name, values, MISSING, OUTSIDER), `${name} ${JSON.stringify(values)}`);
    assert.doesNotMatch(result, /Harriet|hidden|P-2/, name);
    const seen = await call(one, name, values, MISSING, CLERK);
    if (seen !== await call(other, name, values, MISSING, CLERK)) differences++;
  }
  assert.ok(differences >= 10, `the clerk sees ${differences} differences`);
});

Deno.test("an operator who may see and change all cases uses every operation as in an application without rights", async () => {
  await using restricted = await openEngine(YAML.replace(/read: .*/, "read: Channel != 'E-mail'"));
  await using unrestricted = await openEngine(YAML.replace(/read: .*/, "read: true").replace(/work: .*/, "work: true"));
  let succeeded = 0;
  for (const [name, operation] of OPERATIONS) {
    const callTwice = async (engine: Engine) => {
      const inCase = await populate(engine, true);
      const results: string[] = [];
      for (const references of [{ ...inCase, ...await populateOutside(engine) }, inCase]) {
        results.push(await call(engine, name, toArguments(name, operation, references), references, CLERK));
      }
      return results;
    };
    const results = await callTwice(restricted);
    assert.deepEqual(results, await callTwice(unrestricted), name);
    if (!results[0]?.startsWith('{"error"')) succeeded++;
  }
  assert.ok(succeeded >= 80, `${succeeded} operations succeed`);
});

Deno.test("an operator who may not see all cases uses what belongs to no case", async () => {
  await using engine = await openEngine(YAML);
  const { messageID, conversation } = await populateOutside(engine, OUTSIDER);
  const as = OUTSIDER;
  const body = (name: string, values: JsonObject) => engine.body(name, values, { as });
  await engine.call("social.likeMessage", { messageID }, { as });
  const reply = textAt(await body("social.postMessage", { context: messageID, message: "again" }), "ID");
  await engine.call("social.updateMessage", { messageID: reply, message: "twice" }, { as });
  const listed = JSON.stringify(await body("social.listMessages", { filterBy: "All", filterFor: PORTAL }));
  assert.match(listed, /hello/);
  assert.match(listed, /twice/);
  const talk = { agentId: "@baseclass!PermitGuide", conversation };
  await engine.call("aiAgents.getConversation", talk, { as });
  const personalization = { uiListID: "Permits", name: "Mine" };
  await engine.call("uiLists.createPersonalization", personalization, { as });
  assert.match(JSON.stringify(await body("uiLists.listPersonalizations", { uiListID: "Permits" })), /"Mine"/);
});

Deno.test("an operator who may not see all cases reads records, operators, feeds, and a part of the inbox", async () => {
  await using engine = await openEngine(YAML);
  await populate(engine, true);
  await populateOutside(engine);
  const as = OUTSIDER;
  for (const Applicant of ["Ada", "Ben"]) {
    await engine.call("cases.create", { type: PERMIT, data: { Applicant } }, { as });
  }
  const read = (name: string, values: JsonObject) => engine.body(name, values, { as });
  await engine.call("data.create", { dataViewId: "D_Districts", data: { Name: "Harbour" } });
  for (const dataViewId of ["D_Districts", "D_pyC11nOperatorsList"]) {
    const rows = valueAt(await read("data.query", { dataViewId, data: {} }), "data");
    assert.ok(Array.isArray(rows) && rows.length > 0, dataViewId);
    assert.deepEqual(rows, valueAt(await engine.body("data.query", { dataViewId, data: {} }, { as: CLERK }), "data"));
  }
  const feed = await read("social.getFeed", { feedID: "pyDashboardFeed", filterFor: PORTAL, pageSize: 100 });
  assert.match(JSON.stringify(feed), /hello/);
  const { assignments } = await read("work.inbox", { text: "Ben" });
  assert.ok(Array.isArray(assignments) && assignments.length === 1);
  assert.match(JSON.stringify(assignments), /Ben/);
});

Deno.test("an operator without the right to work sees a case and cannot change it", async () => {
  await using engine = await openEngine(YAML);
  const references = await populate(engine, true);
  const as = "decider@city";
  const before = await engine.body("cases.get", { caseId: references.caseId });
  const allowed: string[] = [];
  for (const [name, operation] of OPERATIONS) {
    if (isRead(operation) || name === "cases.create") continue;
    if (name === "cases.discardUpdates" || name.startsWith("work.")) continue; // These need the right to manage.
    const names = [...operation.args?.map((arg) => arg.name) ?? [], ...Object.keys(operation.flags ?? {})];
    const isAboutCase = names.includes("caseId") || names.includes("assignmentId") ||
      /^attachments\.(?!upload)/.test(name) ||
      name === "uiLists.move";
    if (!isAboutCase) continue;
    const result = await call(engine, name, toArguments(name, operation, references), references, as);
    if (!/You may not change P-2|is not in your worklist/.test(result)) allowed.push(permissionName(...split(name)));
  }
  assert.deepEqual(allowed, []);
  const after = await engine.body("cases.get", { caseId: references.caseId });
  assert.deepEqual(after, before);
  const shown = await engine.body("cases.get", { caseId: references.caseId }, { as });
  assert.deepEqual(valueAt(shown, "data.caseInfo.availableActions"), []);
  assert.equal(valueAt(shown, "data.caseInfo.assignments.0.canPerform"), "false");
});

Deno.test("an operator who may not change a case may follow it, but not let others follow it", async () => {
  await using engine = await openEngine(YAML);
  const { caseId } = await populate(engine, true);
  const follow = async (user: string) => {
    const outcome = await engine.call("followers.add", { caseId }, {
      as: "decider@city",
      body: { users: [{ ID: user }] },
    });
    return valueAt(outcome.body, "0.status");
  };
  assert.deepEqual([await follow("decider@city"), await follow("reviewer@city")], ["201", "403"]);
});

Deno.test("only the holder of a draft or a manager discards it, and the history names the holder", async () => {
  await using engine = await openEngine(YAML);
  const { caseId, assignmentId } = await populate(engine, true);
  const save = () => engine.call("assignments.save", { assignmentId, action: "Register", data: { Area: 3 } });
  const getLast = async () =>
    (await engine.history(caseId)).map(({ pyMessageKey }) => String(pyMessageKey))
      .filter((text) => text.startsWith("Discarded"));
  await save();
  const refused = await engine.refused("cases.discardUpdates", { caseId }, { as: "reviewer@city" });
  assert.deepEqual([refused.status, refused.message], [
    403,
    "The drafts of P-2 belong to Clara Clerk: only Clara Clerk and operators with the right 'manage' may discard them",
  ]);
  await engine.call("cases.discardUpdates", { caseId }, { as: "decider@city" });
  await save();
  await engine.call("cases.discardUpdates", { caseId });
  assert.deepEqual(await getLast(), Array(2).fill("Discarded the saved drafts of Clara Clerk"));
});

Deno.test("a read right that the database cannot evaluate is reported with its place", () => {
  const report = (read: string): string => {
    const { message, hint, details } = catchDefinitionError(YAML.replace(/read: .*/, `read: ${JSON.stringify(read)}`));
    return JSON.stringify({ message, hint, details });
  };
  for (
    const read of ["Documents.exists(d, d.Pages > 1)", "Applicant == Email", "size(Applicant) > 3", "Applicant < 'm'"]
  ) {
    assert.match(report(read), /the database cannot evaluate this condition/, read);
  }
  assert.match(report("Aplicant == 'a'"), /Unknown variable: Aplicant/);
  assert.match(report("Applicant"), /Boolean is needed/);
});

Deno.test("a read right that cannot be evaluated for an operator grants nothing, and other operators work", async () => {
  await using engine = await openEngine(YAML.replace(/read: .*/, "read: \"!(operator.queues[1] == 'Other')\""));
  const caseId = textAt(await engine.body("cases.create", { type: PERMIT, data: {} }), "ID");
  const count = async (as: string) => {
    const { data } = await engine.body("data.query", { dataViewId: "D_Permits", data: {} }, { as });
    return Array.isArray(data) ? data.length : undefined;
  };
  assert.deepEqual([await count(CLERK), await count(OUTSIDER)], [1, 0]);
  assert.equal((await engine.refused("cases.get", { caseId }, { as: OUTSIDER })).status, 404);
});

/** Conditions that would fail without their first part for an operator with one queue. */
const GUARDED = [
  "size(operator.queues) < 2 || operator.queues[1] == Applicant",
  "size(operator.queues) > 1 && operator.queues[1] != Applicant",
  "size(operator.queues) < 2 ? Applicant == '' : operator.queues[1] == Applicant",
];

/** Conditions with a part that fails for an operator with one queue, and another part that may decide the result. */
const FAILING = [
  "operator.queues[1] == Applicant || true",
  "operator.queues[1] == 'Ada' || size(operator.queues) < 2",
  "operator.queues[1] == Applicant || Applicant == 'Ada'",
  "Applicant == 'Ada' || operator.queues[1] == Applicant",
  "!(operator.queues[1] == Applicant && Applicant == 'Ada')",
  "!(Applicant == 'Ada' && operator.queues[1] == Applicant)",
  "Applicant == 'Ada' ? true : operator.queues[1] == Applicant",
];

/** The sample application with a number that no calculated field uses. */
const WITH_RATIO = YAML.replace("      Urgent:", "      Ratio: { type: Decimal }\n      Urgent:")
  .replace("Area, Urgent, Fee", "Area, Ratio, Urgent, Fee");

/** Conditions on a number that has more digits in one case than an expression can compute with. */
const NUMERIC = [
  "Ratio > 0",
  "Ratio != 0",
  "!(Ratio > 0)",
  "Ratio > 0 || Applicant == 'Cy'",
  "Applicant == 'Cy' || Ratio > 0",
];

const CONDITIONS = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.tuple(
      fc.constantFrom("Applicant", "Email", "Contact.Name", "caseInfo.status", "caseInfo.parentCaseID"),
      fc.constantFrom("==", "!="),
      fc.constantFrom("''", "'Ada'", "operator.ID", "'New'"),
    ).map((parts) => parts.join(" ")),
    fc.tuple(
      fc.constantFrom("Area", "caseInfo.urgency", "Fee"),
      fc.constantFrom("==", "!=", "<", "<=", ">", ">="),
      fc.constantFrom("0", "10.0", "52.5", "-1.0"),
    ).map((parts) => parts.join(" ")),
    fc.constantFrom(
      "Urgent",
      "true",
      "VisitDate < '2026-03-01'",
      "'2026-03-01' <= VisitDate",
      "VisitDate <= today",
      "Applicant in ['', 'Ada']",
      "Applicant in operator.queues",
      "'Inspection' in operator.queues",
      "Applicant.startsWith('A')",
      "Applicant.contains('')",
      "Email.endsWith('@city.example')",
      "'Ada' == Applicant",
      "caseInfo.createdBy == operator.ID",
      "operator.ID == 'clerk@city'",
      "operator.ID != 'reviewer@city'",
      "operator.ID != Applicant",
      ...GUARDED,
      ...FAILING,
    ),
    fc.tuple(tie("condition"), fc.constantFrom("&&", "||"), tie("condition")).map(([a, op, b]) =>
      `(${a}) ${op} (${b})`
    ),
    tie("condition").map((one) => `!(${one})`),
    fc.tuple(tie("condition"), tie("condition")).map(([a, b]) => `(${a}) ? (${b}) : !(${b})`),
  ),
})).condition;

Deno.test("a list shows exactly the cases that can be opened, for any read right", async () => {
  const cases: JsonObject[] = [
    {},
    { Applicant: "Ada", Area: 0, Urgent: true },
    { Applicant: "Bo", Area: 1, Email: "bo@city.example", VisitDate: "2026-01-02" },
    { Applicant: "", Contact: { Name: "Ada" }, VisitDate: "2026-04-01" },
    { Applicant: "Inspection", Urgent: false, Area: 10 },
    { Applicant: "Cy", Ratio: new ExactNumber("0.1234567890123456789") },
  ];
  await fc.assert(
    fc.asyncProperty(CONDITIONS, async (read) => {
      await using engine = await openEngine(WITH_RATIO.replace(/read: .*/, `read: ${JSON.stringify(read)}`));
      const ids: string[] = [];
      for (const data of cases) ids.push(textAt(await engine.body("cases.create", { type: PERMIT, data }), "ID"));
      for (const as of [OUTSIDER, CLERK]) {
        const list = await engine.body("data.query", { dataViewId: "D_Permits", data: {} }, { as });
        const rows = Array.isArray(list.data) ? list.data.filter(isJsonObject) : [];
        const opened: string[] = [];
        for (const caseId of ids) {
          if (await engine.call("cases.get", { caseId }, { as }).then(() => true, () => false)) opened.push(caseId);
        }
        assert.deepEqual(rows.map(({ pzInsKey }) => String(pzInsKey)).sort(), opened.sort(), `${read} for ${as}`);
      }
    }),
    { numRuns: 40, examples: [...GUARDED, ...FAILING, ...NUMERIC].map((read): [string] => [read]) },
  );
});

function split(name: string): [string, string] {
  const [group = "", operation = ""] = name.split(".");
  return [group, operation];
}

Deno.test("the next assignment is never that of a case that the caller may not see", async () => {
  const read = "read: operator.ID != 'reviewer@city' || Applicant != 'Ada'";
  await using engine = await openEngine(YAML.replace(/read: .*/, read));
  const ids: string[] = [];
  for (const Applicant of ["Ada", "Ben"]) {
    const caseId = textAt(
      await engine.body("cases.create", { type: PERMIT, data: { Applicant } }, { as: CLERK }),
      "ID",
    );
    await engine.call("cases.stageGo", { caseId, stage: "PRIM1" }, { as: CLERK });
    ids.push(caseId);
  }
  const next = async (as: string) => {
    return valueAt(await engine.body("assignments.getNext", {}, { as }), "data.caseInfo.ID");
  };
  assert.equal(await next("reviewer@city"), ids[1]);
  assert.equal(await next("planner@city"), ids[0]);
});

Deno.test("a right whose evaluation fails unexpectedly is an error, and not a missing right", () => {
  const app = parseApplication(SAMPLE, "permit.yaml");
  const [type, caller] = [app.caseTypes.get(PERMIT), app.operators.get(CLERK)];
  assert.ok(type && caller);
  const evaluate = (error: Error) => {
    const work = () => {
      throw error;
    };
    return mayWorkOnNew({ ...type, rights: { ...type.rights, work } }, { caller, now: new Date(0) });
  };
  assert.equal(evaluate(new Invalid("There is no queue.")), false);
  assert.throws(() => evaluate(new TypeError("A defect.")), /A defect/);
});
