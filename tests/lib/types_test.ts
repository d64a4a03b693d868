/** Types of the library, in programs and in workflows. */
import assert from "node:assert/strict";
import type { Client } from "../../mod.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import { findTypeErrors, findTypeErrorsIn, linkedConfiguration, programWithEveryImport } from "../harness/project.ts";
import { makeFolder } from "../harness/svc.ts";
import { scriptText } from "../harness/workflow.ts";

const CLIENT = `
  import { createClient } from "@svc/lib";
  const svc = createClient();
`;

/** A program with types of its own for case content and rows. */
const TYPED = `
  import type * as types from "@svc/lib";
  interface Permit { Applicant: string; Area?: number }
${CLIENT}`;

/** Mistakes in the use of each group: a misspelt member, a wrong literal or type of a parameter, wrong content. */
const MISTAKES: { readonly [G in keyof Client]: readonly string[] } = {
  cases: [
    `(await svc.cases.get("C")).stauts`,
    `(await svc.cases.get("C")).data.caseInfo.assignmnts`,
    `(await svc.cases.listStages("C")).stages[0]?.visitedStatus`,
    `(await svc.cases.listDescendants("C")).childCases?.[0]?.childCases?.[0]?.stauts`,
    `await svc.cases.bulkPerform({ action: "A", cases: ["C"], runningMode: "asinc" })`,
    `await svc.cases.create({ type: "T", dta: {} })`,
    `(await svc.cases.get<Permit>("C")).data.caseInfo.content?.Applicnt`,
    `await svc.cases.create<Permit>({ type: "T", data: { Applicnt: "Ada" } })`,
    `await svc.cases.performAction<Permit>("C", { action: "A", data: { Area: "large" } })`,
  ],
  assignments: [
    `(await svc.assignments.getNext()).ide`,
    `(await svc.assignments.get("A")).data.caseInfo.assignments?.[0]?.canPerform === "yes"`,
    `await svc.assignments.perform("A", { action: 5 })`,
    `await svc.assignments.perform<Permit>("A", { action: "A", data: { Applicnt: "Ada" } })`,
    `(await svc.assignments.getAction<Permit>("A", { action: "A" })).data.caseInfo.content?.Applicnt`,
  ],
  data: [
    `(await svc.data.query("D")).totalCuont`,
    `await svc.data.listPages({ type: "explorabel" })`,
    `await svc.data.query("D", { pageLength: 3 })`,
    `await svc.data.query("D", { data: { query: { filter: { filterConditions: { F1: { lhs: { field: "A" }, comparator: "EQQ", rhs: { value: 1 } } } } } } })`,
    `await svc.data.query("D", { data: { query: { sort: [] } } })`,
    `await svc.data.query("D", { data: { query: { sortBy: [{ field: "A", type: "DOWN" }] } } })`,
    `await svc.data.query<Permit>("D", { data: { query: { select: ["Applicnt"] } } })`,
    `await svc.data.query<Permit>("D", { data: { query: { sortBy: [{ field: "Applicnt" }] } } })`,
    `await svc.data.count("D", { data: { paging: { size: 3 } } })`,
    `(await svc.data.query<Permit>("D")).data?.[0]?.Applicnt`,
    `(await svc.data.get<Permit>("D")).Applicnt`,
    `await svc.data.create<Permit>("D", { data: { Applicnt: "Ada" } })`,
    `for await (const row of svc.data.query<Permit>("D")) row.Applicnt`,
  ],
  participants: [
    `(await svc.participants.list("C")).participants[0]?.role`,
    `await svc.participants.get("C", { participantId: 1 })`,
    `(await svc.participants.get<Permit>("C", { participantId: "P" })).data?.caseInfo.content?.Applicnt`,
    `await svc.participants.add<Permit>("C", { role: "R", data: { Applicnt: "Ada" } })`,
  ],
  attachments: [
    `(await svc.attachments.list("C")).attachments[0]?.filename`,
    `await svc.attachments.list("C", { includeThumbnails: "yes" })`,
    `await svc.attachments.add("C", { attachments: [{ type: "File", category: "File" }] })`,
    `await svc.attachments.add("C", { attachments: [{ type: "Link", category: "URL", name: "N", url: "https://a.example" }] })`,
    `(await svc.attachments.upload({ file: new File([], "a") })).url`,
  ],
  tags: [`(await svc.tags.list("C")).tagsList[0]?.name`, `await svc.tags.add("C", { tag: "one" })`],
  followers: [`(await svc.followers.list("C")).followers[0]?.mail`, `await svc.followers.add("C", { user: 5 })`],
  related: [`(await svc.related.list("C")).associatedCases[0]?.relation`, `await svc.related.add("C", {})`],
  caseTypes: [
    `(await svc.caseTypes.list()).caseTypes[0]?.label`,
    `await svc.caseTypes.getAction("T", {})`,
    `(await svc.caseTypes.getAction<Permit>("T", { action: "Create" })).data.caseInfo.content?.Applicnt`,
  ],
  social: [
    `(await svc.social.getMessage("M")).replies?.[0]?.text`,
    `(await svc.social.getFeed("F", { filterFor: "C" })).data.FeedList.pxResults[0]?.text`,
    `await svc.social.listMessages({ filterFor: "C", filterBy: "All", pageSize: "2" })`,
  ],
  aiAgents: [
    `(await svc.aiAgents.list())[0]?.class`,
    `(await svc.aiAgents.getConversation("A", { conversation: "C" })).messages?.[0]?.text`,
    `await svc.aiAgents.startConversation("A", { executeStarter: "no" })`,
  ],
  assistants: [
    `(await svc.assistants.sendMessage("A", { conversation: "C", request: "R" })).reply`,
    `await svc.assistants.listConversations("A", { contextId: "C", pageIndex: "0" })`,
  ],
  pages: [
    `(await svc.pages.insight("I")).data.colums`,
    `(await svc.pages.portal("P")).data.cases`,
    `await svc.pages.get("P", { pageClass: 5 })`,
    `(await svc.pages.get<Permit>("P")).data.caseInfo?.content?.Applicnt`,
    `(await svc.pages.insight<Permit>("I")).data.rows?.[0]?.Applicnt`,
  ],
  uiLists: [
    `(await svc.uiLists.listPersonalizations("L")).personalizations?.[0]?.isDefault`,
    `await svc.uiLists.createPersonalization("L", { name: "N", markAsDefault: "yes" })`,
    `(await svc.uiLists.move<Permit>("V", { sourceId: "1", destinationId: "2" })).data?.caseInfo?.content?.Applicnt`,
  ],
  staticContent: [`(await svc.staticContent.file("F")).length`, `await svc.staticContent.file(5)`],
  work: [
    `(await svc.work.getOperator()).id`,
    `(await svc.work.release("A")).idd`,
    `await svc.work.transfer("A", { toOperatr: "x" })`,
    `(await svc.work.inbox()).assignments[0]?.caseId`,
    `await svc.work.find({ text: "x", pageSize: "2" })`,
  ],
};

/** Mistakes in the use of request options. */
const OPTION_MISTAKES = [
  `await svc.cases.create({ type: "T", signal: AbortSignal.timeout(1) })`,
  `await svc.cases.create({ type: "T" }, { idempotencykey: "k" })`,
  `await svc.cases.get("C", { ifMatch: "1" })`,
  `await svc.cases.get("C", {}, {})`,
  `await svc.caseTypes.list({ type: "T" })`,
];

/** A program that must compile: entity tags for the next call, responses, items of pages, and the whole body. */
const CORRECT = `${TYPED}
  const { id, etag: ifMatch } = await svc.data.create("D", { data: {} });
  const patched = await svc.data.patch("D", { data: { id } }, { ifMatch });
  const updated = await svc.data.update("D", { data: {} }, { ifMatch: patched.etag });
  await svc.data.performAction("D", { action: "A" }, { ifMatch: updated.etag });
  await svc.data.patch("D", { data: {} }, { ifMatch: (await svc.data.get("D")).etag });
  await svc.data.patch("D", { data: {} }, { ifMatch: (await svc.data.getAction("D", { action: "A" })).etag });
  const form = await svc.cases.getAction("C", { action: "A" });
  await svc.cases.performAction("C", { action: "A" }, { ifMatch: form.etag });
  const { results = [] } = await svc.cases.bulkPerform({ action: "A", cases: ["C"] });
  for (const { ID, status } of results) if (Number(status) >= 400) await svc.cases.get(ID ?? "");
  const permit: types.CaseAnswer<Permit> = await svc.cases.get<Permit>("C", { timeoutSeconds: 5 });
  const applicant: string | undefined = permit.data.caseInfo.content?.Applicant;
  const untyped = (await svc.cases.create({ type: "T", data: { Applicant: "Ada" } })).data.caseInfo.content?.Other;
  const { data, response } = await svc.cases.get<Permit>("C").withResponse();
  const known: [types.CaseAnswer<Permit>, number, string | null] = [data, response.status, response.headers.get("a")];
  for await (const { Area } of svc.data.query<Permit>("D", { max: 2 })) console.log(Area?.toFixed());
  for await (const { postedTime } of svc.social.listMessages({ filterFor: "C", filterBy: "All" })) console.log(postedTime);
  const F1: types.QueryCondition<Permit> = { lhs: { field: "Applicant" }, comparator: "IN", rhs: { values: ["A", "B"] } };
  const query: types.DataQuery<Permit> = {
    select: ["Area", { aggregation: "Permits" }],
    filter: { filterConditions: { F1, F2: { lhs: { field: "pyStatusWork" }, comparator: "IS_NOT_NULL" } }, logic: "F1 AND F2" },
    aggregations: { Permits: { field: "pyID", summaryFunction: "COUNT" } },
  };
  await svc.data.query<Permit>("D", { data: { query, paging: { maxResultsToFetch: 20 } } });
  await svc.data.query("D", { data: { query: { sortBy: [{ field: "Owner.Name" }] } } });
  const stored: types.JsonObject = permit.raw;
  const params: types.CasesCreateParams<Permit> = { type: "T", data: { Applicant: "Ada" } };
  await svc.cases.create<Permit>(params, { idempotencyKey: "k", signal: AbortSignal.timeout(1) });
  const another = createClient({ fetch });
  console.log(applicant, untyped, known, stored, another);
`;

const LISTED = `${CLIENT}
  const { attachment_categories: categories = [] } = await svc.cases.listAttachmentCategories("C");
  const { bulkActions = [] } = await svc.cases.bulkActions({ cases: ["C"] });
  const { bulkActions: ofType = [] } = await svc.caseTypes.listBulkActions("T");
  const { dataObjects = [] } = await svc.data.listObjects();
  const { dataPages = [] } = await svc.data.listPages();
  const { actions = [] } = await svc.data.listActions("D");
  const { data, uiResources = {} } = await svc.data.queryView("D", { view: "V" });
  const ids: string[] = [...categories, ...bulkActions, ...ofType, ...actions].map(({ ID }) => ID);
  const names: (string | undefined)[] = [...dataObjects, ...dataPages].map(({ name }) => name);
  console.log(ids, names, Array.isArray(data) && data.map((row) => row.Name), Object.keys(uiResources));
`;

const errorsOf = (part: string) => `
  import { type ErrorAttempt, type ErrorDetail, SvcError } from "${part}";
  export function sentences({ details = [], attempts = [] }: SvcError): (string | undefined)[] {
    const said = details.map(({ localizedValue, message }: ErrorDetail) => localizedValue ?? message);
    return [...said, ...attempts.map(({ code, afterMilliseconds = 0 }: ErrorAttempt) => code?.at(afterMilliseconds))];
  }
`;

const creating = (option: string) => scriptText(`await svc.cases.create({ type: "T" }, { ${option} });`);

/** Writes a program whose statements must not compile. If one compiles, its directive becomes an error. */
function programOf(mistakes: readonly string[]): string {
  const statements = mistakes.map((mistake) => `// @ts-expect-error: a mistake\n${mistake};\n`);
  return `${TYPED}\n${statements.join("")}console.log({} as types.CaseAnswer<Permit>);`;
}

/** Writes a program that names the type of the parameters of each operation. */
async function programOfParams(): Promise<string> {
  const lines = Object.entries(await loadResources()).flatMap(([group, operations]) =>
    Object.entries(operations).filter(([, { flags }]) => flags !== undefined).map(([name, { args = [] }]) => {
      const params = `{} as types.${upperFirst(group)}${upperFirst(name)}Params`;
      return `console.log(svc.${group}.${name}(${[...args.map(() => '"A"'), params].join(", ")}));`;
    })
  );
  return `${TYPED}\n${lines.join("\n")}\nconsole.log({} as Permit);`;
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

Deno.test("the compiler knows the library", async (t) => {
  const said = await findTypeErrors({
    misspelt: CLIENT + `await svc.data.query("D", { pageLength: 3 });`,
    mistakes: programOf([...Object.values(MISTAKES).flat(), ...OPTION_MISTAKES]),
    loose: programOf([`await svc.cases.get("C")`]),
    correct: CORRECT,
    params: await programOfParams(),
    listed: LISTED,
    errors: errorsOf("@svc/lib"),
    errorsOfWorkflow: errorsOf("@svc/lib/workflow"),
    timeout: creating("timeoutSeconds: 5"),
    key: creating(`idempotencyKey: "k"`),
    pages: scriptText(`for await (const row of svc.data.query("D")) console.log(row.pyID);`),
    response: scriptText(`await svc.cases.get("C").withResponse();`),
    all: programWithEveryImport(),
  });
  await t.step("it accepts every part with Deno's default options", () => assert.equal(said.all, ""));
  await t.step("it lists the parameters if one is misspelt", () => {
    const options =
      /'pageLength' does not exist in type '\{ params\?: [^;]+; max\?: [^;]+; page\?: [^;]+; pageSize\?: [^;]+; includeTotal\?: /;
    assert.match(said.misspelt, options);
  });
  await t.step("it rejects misspelt members, wrong literals and wrong content in every group", () => {
    assert.equal(said.mistakes, "");
    assert.match(said.loose, /Unused '@ts-expect-error' directive/, "the check sees what compiles");
  });
  await t.step("it knows entity tags, responses, items of pages, and the whole body", () => {
    assert.equal(said.correct, "");
  });
  await t.step("it has a named type for the parameters of every operation", () => assert.equal(said.params, ""));
  await t.step("it knows the members of what is listed", () => assert.equal(said.listed, ""));
  await t.step("it knows the details and attempts of an error, in a workflow, too", () => {
    assert.deepEqual([said.errors, said.errorsOfWorkflow], ["", ""]);
  });
  await t.step(
    "a script may limit the time of a call and iterate over pages, but not name a key or see a response",
    () => {
      assert.deepEqual([said.timeout, said.pages], ["", ""]);
      assert.match(said.key, /'idempotencyKey' does not exist in type '\{ signal\?: [^']*timeoutSeconds\?: /);
      assert.match(said.response, /Property 'withResponse' does not exist on type 'Promise</);
    },
  );
});

Deno.test("a project with other options of the compiler checks only its own code", async () => {
  const entries = ["@svc/lib", "@svc/lib/forms", "@svc/lib/workflow"].map((name) => `import "${name}";\n`);
  const lib = ["dom", "dom.iterable", "dom.asynciterable", "esnext", "deno.ns"];
  for (const compilerOptions of [{ exactOptionalPropertyTypes: true }, { strict: false }, { lib }]) {
    const configuration = JSON.stringify({ ...JSON.parse(linkedConfiguration()), compilerOptions });
    await using folder = await makeFolder({ "deno.json": configuration });
    assert.deepEqual(await findTypeErrorsIn(folder.path, { program: entries.join("") + CLIENT }), { program: "" });
  }
});

Deno.test("every operation with parameters has a named type for them, and no other type has such a name", async () => {
  const page = await Deno.readTextFile(new URL("../../mod.ts", import.meta.url));
  const modules = [...page.matchAll(/export type \* from "(\.\/lib\/resources\/[^"]+)"/g)].map(([, path = ""]) => path);
  const sources = await Promise.all(
    modules.map((path) => Deno.readTextFile(new URL(`../../${path}`, import.meta.url))),
  );
  const named = sources.flatMap((source) => [...source.matchAll(/export type (\w+Params)\b/g)].map(([, name]) => name));
  const expected = Object.entries(await loadResources()).flatMap(([group, operations]) =>
    Object.entries(operations).filter(([, { flags }]) => flags !== undefined)
      .map(([name]) => `${upperFirst(group)}${upperFirst(name)}Params`)
  );
  assert.deepEqual(named.toSorted(), expected.toSorted());
});
