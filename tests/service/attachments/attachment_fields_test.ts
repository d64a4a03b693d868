/** Attachment fields: uploads that a form puts into a field of the case. */
import assert from "node:assert/strict";
import { parseApplication } from "../../../service/application/load.ts";
import { writeTypes } from "../../../service/application/write_types.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { type Engine, openEngine, textAt, valueAt } from "../../harness/service_engine.ts";

const HOUSE = `
application: { id: Homes, name: Homes, organisation: Org }
operators:
  ada@org: { name: Ada, queues: [Desk] }
  bob@org: { name: Bob, queues: [Desk] }
queues: { Desk: { name: Desk } }
caseTypes:
  Org-Homes-Work-House:
    name: House
    prefix: H
    workPool: ORG-HOMES-WORK
    attachmentCategories:
      Plans: { name: Plan, create: "'Desk' in operator.queues" }
      Links: { type: URL }
    fields:
      Owner: { type: Text }
      Plan: { type: Attachment, category: Plans, required: true }
      Photo: { type: Attachment, category: Plans }
      Complete: { type: Boolean, calculated: "Plan.ID != '' && Photo.ID != ''" }
    actions:
      Show: { fields: [Owner, Photo] }
    stages:
      Start:
        name: Start
        processes:
          Build:
            steps:
              Fill:
                route: { queue: Desk }
                actions: { Submit: { fields: [Owner, Plan, { field: Photo, readOnly: true }] } }
              Check: { route: { queue: Desk } }
`;

const TYPE = "Org-Homes-Work-House";

async function upload(engine: Engine, name: string): Promise<string> {
  const file = { id: crypto.randomUUID(), name, type: "text/plain", size: 4 };
  return textAt(await engine.body("attachments.upload", { file }), "ID");
}

function inField(attachmentFieldName: string, ID: string, others: JsonObject = {}): JsonObject {
  return { type: "File", attachmentFieldName, ID, ...others };
}

async function readContent(engine: Engine, caseId: string): Promise<JsonValue | undefined> {
  return valueAt(await engine.body("cases.get", { caseId }), "data.caseInfo.content");
}

async function listAttachments(engine: Engine, caseId: string): Promise<JsonObject[]> {
  const { attachments } = await engine.body("attachments.list", { caseId });
  assert.ok(Array.isArray(attachments));
  return attachments.filter(isJsonObject);
}

Deno.test("an upload goes into the attachment field that 'attachments' names", async () => {
  await using engine = await openEngine(HOUSE);
  const attachments = [inField("Photo", await upload(engine, "house.png"), { name: "Front", category: "Plans" })];
  const first = await engine.body("cases.create", { type: TYPE, attachments });
  const [caseId, assignmentId] = [textAt(first, "id"), textAt(first, "nextAssignmentInfo.ID")];
  const [photo] = await listAttachments(engine, caseId);
  assert.deepEqual([photo?.fileName, photo?.category], ["Front.png", "Plans"]);
  const created = await readContent(engine, caseId);
  assert.deepEqual(valueAt(created, "Photo"), {
    classID: "Embed-Attach-File",
    ID: photo?.ID,
    pyCategoryName: "Plans",
    pyCount: "1",
  });
  assert.equal(valueAt(created, "Complete"), false);

  const submit = { assignmentId, action: "Submit", ifMatch: "*" };
  const { details } = await engine.refused("assignments.perform", submit);
  assert.equal(details.at(-1)?.localizedValue, "Plan is required");
  const plan = inField("Plan", await upload(engine, "plan.txt"));
  const link = { type: "URL", category: "Links", name: "Map", url: "https://map.example" };
  await engine.body("assignments.perform", { ...submit, attachments: [plan, link] });
  const performed = await readContent(engine, caseId);
  const named = new Map((await listAttachments(engine, caseId)).map(({ name, ID }) => [name, ID]));
  assert.deepEqual([...named.keys()].sort(), ["Front", "Map", "plan"]);
  assert.equal(valueAt(performed, "Plan.ID"), named.get("plan"));
  assert.equal(valueAt(performed, "Complete"), true);
});

async function create(engine: Engine): Promise<{ caseId: string; assignmentId: string }> {
  const created = await engine.body("cases.create", { type: TYPE });
  return { caseId: textAt(created, "id"), assignmentId: textAt(created, "nextAssignmentInfo.ID") };
}

function show(caseId: string, submission: object): object {
  return { caseId, action: "Show", ifMatch: "*", ...submission };
}

Deno.test("an attachment field is replaced and cleared, and its files remain attached to the case", async () => {
  await using engine = await openEngine(HOUSE);
  const { caseId } = await create(engine);
  const perform = async (submission: object) => {
    await engine.body("cases.performAction", show(caseId, submission));
    return valueAt(await readContent(engine, caseId), "Photo.ID");
  };
  const instruct = (instruction: string, content?: object) =>
    perform({ pageInstructions: [{ instruction, target: ".Photo", content }] });
  const first = await instruct("REPLACE", { ID: await upload(engine, "first.png") });
  const second = await perform({ attachments: [inField("Photo", await upload(engine, "second.png"))] });
  assert.deepEqual((await listAttachments(engine, caseId)).map(({ ID }) => ID), [second, first]);

  assert.equal(await perform({ data: { Owner: "Ada", Photo: { classID: "Embed-Attach-File", ID: second } } }), second);
  assert.equal(
    await perform({ attachments: [{ type: "File", attachmentFieldName: "Photo", delete: true }] }),
    "",
  );
  assert.equal(
    await perform({ attachments: [inField("Photo", await upload(engine, "third.png"))] }) === "",
    false,
  );
  assert.equal(await instruct("DELETE"), "");
  assert.equal(await instruct("REPLACE", { ID: await upload(engine, "fourth.png") }) === "", false);
  assert.equal(await perform({ data: { Photo: null } }), "");
  assert.equal((await listAttachments(engine, caseId)).length, 4);
});

Deno.test("a draft keeps the attachment of a field", async () => {
  await using engine = await openEngine(HOUSE);
  const { caseId, assignmentId } = await create(engine);
  const form = { assignmentId, action: "Submit", ifMatch: "*" };
  await engine.body("assignments.save", { ...form, attachments: [inField("Plan", await upload(engine, "plan.txt"))] });
  const [plan] = await listAttachments(engine, caseId);
  assert.equal(valueAt(await readContent(engine, caseId), "Plan.ID"), "");
  await engine.body("assignments.perform", form);
  assert.equal(valueAt(await readContent(engine, caseId), "Plan.ID"), plan?.ID);
});

Deno.test("deleting an attachment clears its field, in the case and in drafts", async () => {
  await using engine = await openEngine(HOUSE);
  const { caseId, assignmentId } = await create(engine);
  await engine.body(
    "cases.performAction",
    show(caseId, { attachments: [inField("Photo", await upload(engine, "a.png"))] }),
  );
  const form = { assignmentId, action: "Submit", ifMatch: "*" };
  await engine.body("assignments.save", { ...form, attachments: [inField("Plan", await upload(engine, "plan.txt"))] });
  for (const { ID: id } of await listAttachments(engine, caseId)) await engine.call("attachments.delete", { id });
  assert.equal(valueAt(await readContent(engine, caseId), "Photo.ID"), "");
  const { details } = await engine.refused("assignments.perform", form);
  assert.equal(details.at(-1)?.localizedValue, "Plan is required");
});

Deno.test("an upload that does not fit an attachment field is refused with the reason", async () => {
  await using engine = await openEngine(HOUSE);
  const { caseId } = await create(engine);
  const ID = await upload(engine, "a.png");
  const others = await engine.body("attachments.upload", {
    file: { id: crypto.randomUUID(), name: "b.png", type: "image/png", size: 4 },
  }, { as: "bob@org" });
  const clear = { type: "File", attachmentFieldName: "Photo", delete: true };
  const attached: [attachment: JsonObject, reason: string][] = [
    [inField("Foto", ID), "'Foto' is not an attachment field that this form can change; did you mean 'Photo'?"],
    [inField("Owner", ID), "'Owner' is not an attachment field that this form can change"],
    [inField("Plan", ID), "'Plan' is not an attachment field that this form can change"],
    [inField("Photo", ID, { category: "Links" }), "Photo: 'category' must be Plans"],
    [inField("Photo", ID, { type: "URL" }), "Photo: 'type' must be File"],
    [inField("Photo", ID, { url: "https://a.example" }), "Photo: an attachment field does not accept url"],
    [{ type: "File", attachmentFieldName: "Photo" }, "Photo: 'ID' must be the ID that the upload returned"],
    [{ ...clear, ID }, "Photo: with 'delete', only 'type' and 'attachmentFieldName' are allowed"],
    [inField("Photo", "none"), "Photo: the file was not uploaded, or its upload has expired."],
    [inField("Photo", textAt(others, "ID")), "Photo: the file was not uploaded, or its upload has expired."],
  ];
  for (const [attachment, reason] of attached) {
    const { status, message } = await engine.refused(
      "cases.performAction",
      show(caseId, { attachments: [attachment] }),
    );
    assert.equal(status, 400, reason);
    assert.ok(message.startsWith(reason), message);
  }
  const instructed: [instruction: object, reason: string][] = [
    [
      { instruction: "REPLACE", content: { ID, name: "x" } },
      "the 'content' of an attachment field must contain only 'ID', the ID that the upload returned.",
    ],
    [{ instruction: "UPDATE", content: { ID } }, "UPDATE is not an instruction for an attachment field."],
  ];
  for (const [instruction, reason] of instructed) {
    const pageInstructions = [{ target: ".Photo", ...instruction }];
    const { message } = await engine.refused("cases.performAction", show(caseId, { pageInstructions }));
    assert.equal(message, `Page instruction 1: ${reason}`);
  }
  const { message } = await engine.refused("cases.performAction", show(caseId, { data: { Photo: { ID } } }));
  assert.match(message, /^'Photo' is an attachment field: change it with 'attachments' or a page instruction/);
  assert.deepEqual(await listAttachments(engine, caseId), []);
});

Deno.test("an operator who may not add to the category of a field cannot set the field", async () => {
  await using engine = await openEngine(HOUSE.replace("'Desk' in operator.queues", "operator.ID == 'bob@org'"));
  const attachments = [inField("Photo", await upload(engine, "a.png"))];
  const { status, message } = await engine.refused("cases.create", { type: TYPE, attachments });
  assert.deepEqual([status, message], [403, "Photo: you may not add attachments of category Plan."]);
});

Deno.test("the definition of an attachment field is checked", () => {
  const refusals: [from: string, to: string, reason: RegExp][] = [
    [
      "category: Plans, required",
      "category: Plan, required",
      /there is no attachment category 'Plan'; did you mean 'Plans'\?/,
    ],
    ["category: Plans, required", "category: Links, required", /'Links' is a category of links/],
    [
      "Owner: { type: Text }",
      "Owner: { type: Page, fields: { Scan: { type: Attachment, category: Plans } } }",
      /'type' must not be Attachment/,
    ],
    ["Show: {", "Show: { set: { Photo: Plan },", /'Photo' is an attachment field: only an upload can set it/],
  ];
  for (const [from, to, reason] of refusals) {
    assert.throws(() => parseApplication(HOUSE.replace(from, to), "test.yaml"), reason);
  }
});

Deno.test("the types of content name the page of an attachment field", () => {
  const types = writeTypes(parseApplication(HOUSE, "test.yaml"));
  assert.match(types, /readonly Plan\?: EmbedAttachFile;/);
  assert.match(types, /type EmbedAttachFile = \{/);
});
