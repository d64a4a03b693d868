/** `svc attachments`: the command, the service, and the files on disk. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { openLiveForAll } from "../../harness/service.ts";
import { type Engine, openEngine, PERMIT_FILE, textAt, valueAt } from "../../harness/service_engine.ts";

const live = await openLiveForAll();
const PNG = await Deno.readFile(new URL("../../../service/sample/static/files/logo.png", import.meta.url));
/** The same bytes as text would not survive. */
const BYTES = crypto.getRandomValues(new Uint8Array(50_000));

const DECIDERS = `"'Decision' in operator.queues"`;

/** The sample application with one category of attachments more. */
async function withCategory(category: string): Promise<string> {
  const open = "      URL: { name: Link, type: URL }";
  const yaml = await Deno.readTextFile(PERMIT_FILE);
  assert.ok(yaml.includes(open));
  return yaml.replace(open, `${open}\n      ${category}`);
}

/** The sample application with a category whose attachments a decider alone may see. */
async function withSecrets(): Promise<string> {
  return await withCategory(`Secret: { type: URL, view: ${DECIDERS} }`);
}

async function createIn(engine: Engine): Promise<string> {
  return textAt(await engine.body("cases.create", { type: "City-Permit-Work-Permit" }), "id");
}

async function fileOf(name: string, bytes: Uint8Array | string = BYTES): Promise<string> {
  await live.run("auth status"); // The folder is there.
  const path = `${live.folder}/${name}`;
  await (typeof bytes === "string" ? Deno.writeTextFile(path, bytes) : Deno.writeFile(path, bytes));
  return path;
}

async function upload(name: string, bytes?: Uint8Array | string, flags = ""): Promise<string> {
  return textAt(await live.object(`attachments upload -f '${await fileOf(name, bytes)}' ${flags}`), "ID");
}

async function add(caseId: string, attachments: JsonValue[], operator?: string): Promise<void> {
  const line = `attachments add '${caseId}' --attachments '${JSON.stringify(attachments)}'`;
  assert.deepEqual(await live.run(line, operator), { code: 0, stdout: "", stderr: "" });
}

async function list(caseId: string, flags = "", operator?: string): Promise<JsonObject[]> {
  const { attachments } = await live.object(`attachments list '${caseId}' ${flags}`, operator);
  assert.ok(Array.isArray(attachments));
  return attachments.filter(isJsonObject);
}

/** A case with one file, and the ID of the attachment. */
async function withFile(name = "plan.pdf", bytes?: Uint8Array | string): Promise<{ caseId: string; id: string }> {
  const caseId = await live.createPermit();
  await add(caseId, [{ type: "File", category: "File", name, ID: await upload(name, bytes) }]);
  return { caseId, id: textAt((await list(caseId))[0], "ID") };
}

async function detailsOf(line: string, code: string, operator?: string): Promise<JsonObject[]> {
  const error = await live.refused(line, operator);
  assert.equal(error.code, code);
  return Array.isArray(error.details) ? error.details.filter(isJsonObject) : [];
}

Deno.test("upload, add, list and get return the same bytes", async () => {
  const { caseId, id } = await withFile("plan.pdf");
  assert.match(id, /^LINK-ATTACHMENT CITY-PERMIT-WORK P-\d+!\d{8}T\d{6}\.\d{3} GMT$/);
  const [attachment] = await list(caseId);
  const { type, category, categoryName, name, fileName, extension, mimeType, createdBy, createdByName } = attachment ??
    {};
  assert.deepEqual([type, category, categoryName, name, fileName], ["FILE", "File", "Document", "plan", "plan.pdf"]);
  assert.deepEqual([extension, mimeType, createdBy], ["pdf", "application/pdf", "clerk@city"]);
  assert.equal(createdByName, "Clara Clerk");
  assert.equal(valueAt(attachment, "links.download.href"), `/attachments/${id}`);
  const output = `${live.folder}/back.pdf`;
  const result = await live.run(`attachments get '${id}' -o '${output}'`);
  assert.deepEqual(result, { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(await Deno.readFile(output), BYTES);
  const history = await live.object(
    `data query D_pyWorkHistory --params '${JSON.stringify({ CaseInstanceKey: caseId })}'`,
  );
  assert.ok(JSON.stringify(history).includes("Attached plan"));
});

Deno.test("a text is printed unchanged, and -o with --force overwrites a file but refuses a directory", async () => {
  const { id } = await withFile("note.txt", "Grüße\n\u0007end");
  assert.deepEqual(await live.run(`attachments get '${id}'`), { code: 0, stdout: "Grüße\n\u0007end", stderr: "" });
  const output = await fileOf("old.txt", "something longer than the note");
  assert.equal((await live.run(`attachments get '${id}' --output '${output}' --force`)).code, 0);
  assert.equal(await Deno.readTextFile(output), "Grüße\n\u0007end");
  for (const path of [live.folder, `${live.folder}/none/there.txt`]) {
    const error = await live.refused(`attachments get '${id}' -o '${path}'`);
    assert.equal(error.code, "INVALID_ARGS");
    assert.match(String(error.message), /^--output cannot write .*: (it is a|there is no such) directory\.$/);
  }
  const leftovers = await Array.fromAsync(Deno.readDir(live.folder));
  assert.equal(leftovers.some(({ name }) => name.includes(".part")), false);
});

Deno.test("a batch with an invalid element adds nothing and reports each issue", async () => {
  const caseId = await live.createPermit();
  const ID = await upload("a.txt", "a");
  const batch: JsonValue[] = [
    { type: "File", category: "File", name: "a.txt", ID },
    { type: "File", category: "File", name: "b.txt", ID: "no such upload" },
    { type: "URL", category: "File", name: "Site", url: "https://city.example" },
    { type: "URL", category: "URL", name: "Site", url: "javascript:alert(1)" },
    { type: "URL", category: "URL", name: "Site", url: "https://" },
    { type: "URL", category: "URL", name: "Site", url: "https://city.example/a\r\nb" },
    "nothing",
    { type: "URL", category: "URL", name: "Site", url: "https://city.example", delete: true },
  ];
  const line = `attachments add '${caseId}' --attachments '${JSON.stringify(batch)}'`;
  const details = await detailsOf(line, "BAD_REQUEST");
  assert.deepEqual(details.map(({ erroneousInputOutputIdentifier: place }) => place), [
    "attachments(2)",
    "attachments(3)",
    "attachments(4)",
    "attachments(5)",
    "attachments(6)",
    "attachments(7)",
    "attachments(8)",
  ]);
  assert.equal(
    details[1]?.localizedValue,
    "Attachment 3: 'File' is not a category of links of this case; available: URL.",
  );
  assert.equal(
    details.at(-1)?.localizedValue,
    "Attachment 8: delete it with 'attachments delete'.",
  );
  assert.deepEqual(await list(caseId), []);
  await add(caseId, [{ type: "File", category: "File", ID }]); // The upload is still there.
  assert.equal((await list(caseId))[0]?.fileName, "a.txt");
});

Deno.test("a link is added, read as its address and renamed", async () => {
  const caseId = await live.createPermit();
  await add(caseId, [{ type: "URL", category: "URL", name: "Site", url: "https://city.example/a?b" }]);
  const [{ ID, url, name, type, links } = {}] = await list(caseId);
  assert.deepEqual([url, name, type], ["https://city.example/a?b", "Site", "URL"]);
  assert.equal(valueAt(links, "download.title"), "Retrieve the link");
  assert.equal((await live.run(`attachments get '${ID}'`)).stdout, "https://city.example/a?b");
  assert.equal(await live.json(`attachments patch '${ID}' --name 'City site'`), "Attachment edited successfully");
  assert.equal((await list(caseId))[0]?.name, "City site");
});

Deno.test("patch changes name and category, keeps the extension, and refuses a category of another kind", async () => {
  const { caseId, id } = await withFile("plan.pdf");
  await live.json(`attachments patch '${id}' --name 'site plan.PDF' --category Plan`);
  const [attachment] = await list(caseId);
  assert.deepEqual([attachment?.name, attachment?.fileName, attachment?.category], [
    "site plan",
    "site plan.pdf",
    "Plan",
  ]);
  for (const [category, instead] of [["URL", "available: File, Plan"], ["plans", "did you mean 'Plan'?"]]) {
    const [detail] = await detailsOf(`attachments patch '${id}' --category ${category}`, "FORBIDDEN");
    const sentence = `You may not move this attachment into the category '${category}'; ${instead}`;
    assert.deepEqual([detail?.message, detail?.localizedValue], ["Error_Attachment_Access_Denied", sentence]);
  }
  assert.equal((await live.refused(`attachments patch '${id}' --name ' '`)).code, "BAD_REQUEST");
  assert.equal((await live.refused(`attachments patch '${id}'`)).code, "INVALID_ARGS");
  assert.equal((await live.refused(`attachments patch '${id}' --name x --if-match old`)).code, "PRECONDITION_FAILED");
});

Deno.test("an unknown category is refused with the categories that the caller may use", async () => {
  await using engine = await openEngine((await withSecrets()).replace("Secret: { ", "Secret: { create: false, "));
  const caseId = await createIn(engine);
  const refusals = [["Secrett", "; available: URL."], ["Urls", "; did you mean 'URL'?"], ["", "; available: URL."]];
  for (const [category, end] of refusals) {
    const attachments = [{ type: "URL", category, name: "Site", url: "https://city.example" }];
    const { status, message } = await engine.refused("attachments.add", { caseId, attachments });
    const sentence = `Attachment 1: '${category}' is not a category of links of this case${end}`;
    assert.deepEqual([status, message], [400, sentence]);
  }
});

Deno.test("delete removes an own attachment, or any with the permission, and the last link deletes the bytes", async () => {
  const caseId = await live.createPermit();
  const ID = await upload("shared.txt", "shared");
  const element = { type: "File", category: "File", ID };
  await add(caseId, [{ ...element, name: "one.txt" }, { ...element, name: "two.txt" }]);
  const [two, one] = (await list(caseId)).map((attachment) => textAt(attachment, "ID"));
  const [detail] = await detailsOf(`attachments delete '${one}'`, "FORBIDDEN", "reviewer@city");
  assert.equal(detail?.message, "Error_Attachment_Access_Denied");
  const seen = (await list(caseId, "", "reviewer@city"))[0];
  assert.deepEqual(Object.keys(Object(seen?.links)), ["download", "edit"]);
  assert.equal((await live.run(`attachments delete '${one}'`)).code, 0);
  assert.equal((await live.run(`attachments get '${two}'`)).stdout, "shared");
  assert.equal((await live.run(`attachments delete '${two}'`, "decider@city")).code, 0);
  const again = await live.refused(`attachments add '${caseId}' --attachments '${JSON.stringify([element])}'`);
  assert.equal(again.code, "BAD_REQUEST");
  assert.deepEqual(await list(caseId), []);
});

Deno.test("a caller who may not see an attachment can neither find, change nor delete it", async () => {
  await using engine = await openEngine(await withSecrets());
  const caseId = await createIn(engine);
  const secret = { type: "URL", category: "Secret", name: "Hidden", url: "https://city.example/hidden" };
  await engine.call("attachments.add", { caseId, attachments: [secret] });
  const seen = await engine.body("attachments.list", { caseId }, { as: "decider@city" });
  const id = textAt(seen, "attachments.0.ID");
  assert.deepEqual(await engine.body("attachments.list", { caseId }), { attachments: [] });
  const calls: [string, object][] = [
    ["get", { id }],
    ["patch", { id, category: "URL" }],
    ["patch", { id, name: "Found", ifMatch: "an old tag" }],
    ["delete", { id }],
  ];
  for (const [name, values] of calls) {
    const { status, details: [detail] } = await engine.refused(`attachments.${name}`, values);
    assert.deepEqual([status, detail?.localizedValue], [403, "You may not see this attachment"], name);
  }
  await engine.call("attachments.patch", { id, category: "URL" }, { as: "decider@city" });
  assert.equal((await engine.call("attachments.get", { id })).text, "https://city.example/hidden");
});

Deno.test("an operation that a category does not permit is neither offered nor performed, even on an own attachment", async () => {
  await using engine = await openEngine(await withCategory("Fixed: { type: URL, edit: false, deleteOwn: false }"));
  const caseId = await createIn(engine);
  const own = { type: "URL", category: "Fixed", name: "Own", url: "https://city.example" };
  await engine.call("attachments.add", { caseId, attachments: [own] });
  const { attachments } = await engine.body("attachments.list", { caseId });
  assert.deepEqual(Object.keys(Object(valueAt(attachments, "0.links"))), ["download"]);
  const id = textAt(attachments, "0.ID");
  for (const [name, what] of [["patch", "change"], ["delete", "delete"]]) {
    const { status, details: [detail] } = await engine.refused(`attachments.${name}`, { id, name: "New" });
    assert.deepEqual([status, detail?.localizedValue], [403, `You may not ${what} this attachment`]);
  }
});

Deno.test("a caller who may not add to a category can rename its attachments, but cannot move them into it", async () => {
  await using engine = await openEngine(await withCategory(`Kept: { type: URL, create: ${DECIDERS} }`));
  const caseId = await createIn(engine);
  const link = { type: "URL", category: "Kept", name: "Site", url: "https://city.example" };
  assert.equal((await engine.refused("attachments.add", { caseId, attachments: [link] })).status, 403);
  await engine.call("attachments.add", { caseId, attachments: [link] }, { as: "decider@city" });
  const id = textAt(await engine.body("attachments.list", { caseId }), "attachments.0.ID");
  await engine.call("attachments.patch", { id, name: "Map", category: "Kept" });
  await engine.call("attachments.patch", { id, category: "URL" });
  assert.equal((await engine.refused("attachments.patch", { id, category: "Kept" })).status, 403);
});

Deno.test("only its sender can attach an upload, and the unique ID in its name does not attach it", async () => {
  await using engine = await openEngine();
  const caseId = await createIn(engine);
  const file = { id: crypto.randomUUID(), name: "plan.pdf", size: 3, type: "application/pdf" };
  await engine.call("attachments.upload", { file, appendUniqueId: true });
  const add = { caseId, attachments: [{ type: "File", category: "File", ID: file.id }] };
  const refused = await engine.refused("attachments.add", add, { as: "reviewer@city" });
  const unknown = { caseId, attachments: [{ ...add.attachments[0], ID: "none" }] };
  assert.deepEqual(refused, await engine.refused("attachments.add", unknown));
  await engine.call("attachments.add", add);
  await engine.call("attachments.add", add);
  const [line] = (await engine.history(caseId)).filter(({ pyHistoryType }) => pyHistoryType === "attached");
  assert.match(textAt(line, "pyMessageKey"), /^Attached plan-[0-9a-f-]{36}$/);
  assert.ok(!textAt(line, "pyMessageKey").includes(file.id));
});

Deno.test("an upload expires after two hours without an attachment", async () => {
  await using engine = await openEngine();
  const caseId = await createIn(engine);
  const [early, late] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const id of [early, late]) {
    const file = { id, name: "plan.pdf", size: 3, type: "application/pdf" };
    await engine.call("attachments.upload", { file }, { wait: 0 });
  }
  const adding = (ID: string) => ({ caseId, attachments: [{ type: "File", category: "File", ID }] });
  await engine.call("attachments.add", adding(early), { wait: 2 * 60 * 60 * 1000 - 1 });
  const { status, message } = await engine.refused("attachments.add", adding(late), { wait: 1 });
  const sentence = "Attachment 1: the file was not uploaded, or its upload has expired.";
  assert.deepEqual([status, message], [400, sentence]);
});

Deno.test("a long name is shortened to keep the unique ID complete", async () => {
  await using engine = await openEngine();
  const caseId = await createIn(engine);
  for (const [name, end] of [["é".repeat(150) + ".pdf", ".pdf"], ["a." + "x".repeat(253), ""]] as const) {
    const file = { id: crypto.randomUUID(), name, size: 3, type: "application/pdf" };
    await engine.call("attachments.upload", { file, appendUniqueId: true });
    await engine.call("attachments.add", { caseId, attachments: [{ type: "File", category: "File", ID: file.id }] });
    const { attachments } = await engine.body("attachments.list", { caseId });
    const fileName = textAt(attachments, "0.fileName");
    assert.match(fileName, new RegExp(`-[0-9a-f-]{36}${end}$`));
    assert.equal(new TextEncoder().encode(fileName).length <= 255, true);
  }
});

Deno.test("the history does not name attachments that some operators may not see", async () => {
  await using engine = await openEngine(await withSecrets());
  const as = { as: "decider@city" };
  const caseId = await createIn(engine);
  const link = (category: string, name: string) => ({ type: "URL", category, name, url: "https://city.example" });
  await engine.call("attachments.add", { caseId, attachments: [link("URL", "Site"), link("Secret", "Dismissal")] }, as);
  const { attachments } = await engine.body("attachments.list", { caseId }, as);
  assert.ok(Array.isArray(attachments));
  for (const id of attachments.map((attachment) => textAt(attachment, "ID"))) {
    await engine.call("attachments.patch", { id, name: "New" }, as);
    await engine.call("attachments.delete", { id }, as);
  }
  const lines = (await engine.history(caseId)).map((line) => textAt(line, "pyMessageKey"));
  assert.deepEqual(lines.filter((line) => /attach/i.test(line)), [
    "Attached Site, (hidden)",
    "Changed the attachment (hidden)",
    "Deleted the attachment (hidden)",
    "Changed the attachment Site",
    "Deleted the attachment New",
  ]);
});

Deno.test("an attachment that does not exist is not found", async () => {
  for (const line of ["get X", "patch X --name a", "delete X"]) {
    const [detail] = await detailsOf(`attachments ${line}`, "NOT_FOUND");
    assert.equal(detail?.message, "Error_File_Not_Found");
  }
  for (const line of ["list X", "add X --attachments '[]'"]) {
    assert.equal((await live.refused(`attachments ${line}`)).code, "NOT_FOUND");
  }
});

Deno.test("small images have a thumbnail on request", async () => {
  const { caseId } = await withFile("logo.png", PNG);
  const [plain] = await list(caseId);
  assert.equal(plain && "thumbnail" in plain, false);
  const [shown] = await list(caseId, "--include-thumbnails");
  assert.deepEqual(Uint8Array.fromBase64(textAt(shown, "thumbnail")), PNG);
});

Deno.test("other files have no thumbnail, and neither has an SVG, which can contain a script", async () => {
  const { caseId } = await withFile("logo.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
  const [shown] = await list(caseId, "--include-thumbnails");
  assert.deepEqual([valueAt(shown, "mimeType"), valueAt(shown, "thumbnail")], ["image/svg+xml", undefined]);
});

Deno.test("an empty file, a directory and a missing file are refused", async () => {
  const empty = await live.refused(`attachments upload -f '${await fileOf("empty.txt", "")}'`);
  assert.equal(empty.code, "BAD_REQUEST");
  assert.match(JSON.stringify(empty.details), /Empty file can't be uploaded/);
  const directory = await live.refused(`attachments upload -f '${live.folder}'`);
  assert.equal(directory.message, `--file cannot read ${live.folder}: it is a directory.`);
  const missing = await live.refused(`attachments upload -f '${live.folder}/none'`);
  assert.equal(missing.message, `--file cannot read ${live.folder}/none: there is no such file.`);
  for (const { code } of [directory, missing]) assert.equal(code, "INVALID_ARGS");
});

Deno.test("a unique ID goes between a file's name and its extension", async () => {
  const caseId = await live.createPermit();
  const ID = await upload("plan.pdf", "x", "--append-unique-id");
  await add(caseId, [{ type: "File", category: "File", ID }]);
  assert.match(textAt((await list(caseId))[0], "fileName"), /^plan-[0-9a-f-]{36}\.pdf$/);
});

Deno.test("names with folders, dots, control characters or too many bytes are made safe", async () => {
  const caseId = await live.createPermit();
  const ID = await upload("a.txt", "a");
  const names = [
    "../../etc/passwd.txt",
    "..\\..\\boot.txt",
    "..",
    "a\u0000\u001b[2J\u202eb.txt",
    "é".repeat(150) + ".txt",
  ];
  await add(caseId, names.map((name) => ({ type: "File", category: "File", name, ID })));
  const listed = (await list(caseId)).map(({ fileName }) => String(fileName)).reverse();
  assert.deepEqual(listed.slice(0, 4), ["passwd.txt", "boot.txt", "file.txt", "a[2Jb.txt"]);
  assert.equal(new TextEncoder().encode(listed[4]).length <= 255, true);
  assert.match(listed[4] ?? "", /^é+\.txt$/);
});

Deno.test("a submission can add files, and an invalid file leaves the case unchanged", async () => {
  const caseId = await live.createPermit();
  const ID = await upload("with.txt", "with");
  const perform = `cases perform-action '${caseId}' --action pyUpdateCaseDetails --data '{"Applicant":"Bob"}'`;
  const attachments = [{ type: "File", category: "File", ID }];
  const bad = [...attachments, { type: "File", category: "None", ID }];
  assert.equal((await live.refused(`${perform} --attachments '${JSON.stringify(bad)}'`)).code, "BAD_REQUEST");
  assert.deepEqual(await list(caseId), []);
  await live.object(`${perform} --attachments '${JSON.stringify(attachments)}'`);
  assert.equal((await list(caseId))[0]?.fileName, "with.txt");
});

Deno.test("navigating to another screen adds attachments, or fails as a whole if one is invalid", async () => {
  await using engine = await openEngine();
  const as = { as: "reviewer@city" };
  const { id: caseId } = await engine.body("cases.create", { type: "City-Permit-Work-Permit" });
  await engine.call("cases.stageGo", { caseId, stage: "Review" });
  const { id: assignmentId, etag: ifMatch } = await engine.body("assignments.getNext", {}, as);
  const data = { Applicant: "Ada", Address: "Canal 1" };
  await engine.call("assignments.perform", { assignmentId, action: "CheckApplication", data, ifMatch }, as);
  const link = (name: string) => ({ type: "URL", category: "URL", name, url: "https://city.example" });
  const bad = { assignmentId, attachments: [link("Lost"), {}] };
  assert.equal((await engine.refused("assignments.navigateBack", bad, as)).status, 400);
  await engine.call("assignments.navigateBack", { assignmentId, attachments: [link("Back")] }, as);
  const forth = { assignmentId, step: "AssignmentSF2", attachments: [link("Forth")] };
  await engine.call("assignments.navigateToStep", forth, as);
  const { attachments } = await engine.body("attachments.list", { caseId });
  assert.ok(Array.isArray(attachments));
  assert.deepEqual(attachments.map((attachment) => valueAt(attachment, "name")), ["Forth", "Back"]);
});

Deno.test("an error about many attachments reports at most a thousand issues", async () => {
  await using engine = await openEngine();
  const { id: caseId } = await engine.body("cases.create", { type: "City-Permit-Work-Permit" });
  const refused = await engine.refused("attachments.add", { caseId, attachments: Array(100_000).fill(0) });
  assert.deepEqual([refused.status, refused.details.length], [400, 1000]);
});

Deno.test("an attachment is deleted with its case", async () => {
  const { caseId, id } = await withFile();
  assert.equal((await live.run(`cases delete '${caseId}'`)).code, 0);
  assert.equal((await live.refused(`attachments get '${id}'`)).code, "NOT_FOUND");
});
