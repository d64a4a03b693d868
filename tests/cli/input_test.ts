/** `--set`, `--file` and `--force`: fields without JSON, files in one step, and downloads that replace nothing. */
import assert from "node:assert/strict";
import { parseSetting, setInContent, toSubmission } from "../../cli/input/set_fields.ts";
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import { openLiveForAll } from "../harness/service.ts";
import { textAt, valueAt } from "../harness/service_engine.ts";

const live = await openLiveForAll();

function settings(...texts: string[]) {
  return texts.map((text) => {
    const setting = parseSetting(text);
    assert.ok("value" in setting);
    return setting;
  });
}

Deno.test("a value of --set is JSON if it looks like JSON, and text otherwise", () => {
  const values: Record<string, unknown> = {
    "a=3": 3,
    "a=-1.5": -1.5,
    "a=true": true,
    "a=null": null,
    "a=": "",
    "a=01234": "01234",
    "a=1e3": "1e3",
    "a=2026-01-31": "2026-01-31",
    "a=b=c": "b=c",
    'a="4711"': "4711",
    'a={"b":[1]}': { b: [1] },
  };
  for (const [text, value] of Object.entries(values)) assert.deepEqual(settings(text)[0]?.value, value, text);
});

Deno.test("a value of --set that cannot be understood is refused with the way to write it", () => {
  const refusals: Record<string, [message: RegExp, hint: RegExp]> = {
    "Fee": [/^--set Fee has no value\.$/, /--set name=value/],
    "a b=1": [/^--set cannot set 'a b', which is not a field\.$/, /Fee=12\.50/],
    "a[x]=1": [/^--set cannot set 'a\[x\]'/, /Rooms\[0\]\.Name=Hall/],
    "a=[draft]": [/^The value of --set a is not valid JSON\.$/, /--set 'a="\[draft\]"'/],
  };
  for (const [text, [message, hint]] of Object.entries(refusals)) {
    assert.throws(() => parseSetting(text), (error: Error & { hint?: string }) => {
      assert.match(error.message, message);
      assert.match(String(error.hint), hint);
      return true;
    });
  }
});

Deno.test("a whole number is accepted for a text, and the hint on another rejected value quotes it", async () => {
  const created = await live.object("cases create --type City-Permit-Work-Permit --set Applicant=12345 --set Area=3");
  assert.deepEqual([
    valueAt(created, "data.caseInfo.content.Applicant"),
    valueAt(created, "data.caseInfo.content.Area"),
  ], [
    "12345",
    3,
  ]);
  const { hint } = await live.refused("cases create --type City-Permit-Work-Permit --set Applicant=12.50 --set Area=x");
  assert.equal(hint, `If the field takes text, quote the value: --set 'Applicant="12.50"'.`);
  const inRow = await live.refused("cases create --type City-Permit-Work-Permit --set Documents[0].Title=1.5");
  assert.equal(inRow.hint, `If the field takes text, quote the value: --set 'Documents[0].Title="1.5"'.`);
});

Deno.test("null clears a field, and says so", async () => {
  const { stdout, stderr } = await live.run("cases create --type City-Permit-Work-Permit --set Applicant=null");
  assert.equal(valueAt(JSON.parse(stdout), "data.caseInfo.content.Applicant"), "");
  assert.equal(
    stderr,
    `--set Applicant=null clears Applicant. To set the text null, write --set 'Applicant="null"'.\n`,
  );
});

Deno.test("settings build the content of something new", () => {
  const content = setInContent(
    { Applicant: "Ada", Address: { City: "Delft" } },
    settings(
      "Address.Street=Canal 1",
      "Documents[0].Title=Plan",
      "Documents[0].Pages=3",
      "Documents[+].Title=Map",
      "Documents[+].Title=Photo",
    ),
  );
  assert.deepEqual(content, {
    Applicant: "Ada",
    Address: { City: "Delft", Street: "Canal 1" },
    Documents: [{ Title: "Plan", Pages: 3 }, { Title: "Map" }, { Title: "Photo" }],
  });
  assert.throws(
    () => setInContent({}, settings("Documents[1].Title=Map")),
    /--set Documents\[1\]\.Title leaves out rows/,
  );
});

Deno.test("settings change single pages and rows of something that exists", () => {
  assert.deepEqual(
    toSubmission(
      settings(
        "Fee=3",
        "Address.City=Delft",
        "Rooms[1].Name=Hall",
        "Rooms[1].Doors[+].Color=red",
        'Rooms[+]={"Name":"Attic"}',
      ),
    ),
    {
      data: { Fee: 3 },
      pageInstructions: [
        { instruction: "UPDATE", target: ".Address", content: { City: "Delft" } },
        { instruction: "UPDATE", target: ".Rooms", listIndex: 2, content: { Name: "Hall" } },
        { instruction: "APPEND", target: ".Rooms(2).Doors", content: { Color: "red" } },
        { instruction: "APPEND", target: ".Rooms", content: { Name: "Attic" } },
      ],
    },
  );
});

async function readContent(caseId: string) {
  return valueAt(await live.object(`cases get '${caseId}'`), "data.caseInfo.content");
}

Deno.test("a case is created and changed with --set, and other rows remain", async () => {
  const created = await live.object(
    "cases create --type City-Permit-Work-Permit --set Applicant=Ada --set Documents[0].Title=Plan --set Documents[+].Title=Map",
  );
  const caseId = textAt(created, "id");
  await live.object(
    `cases perform-action '${caseId}' --action pyUpdateCaseDetails --set Applicant=Bob --set Documents[1].Title=Photo`,
  );
  const content = await readContent(caseId);
  assert.equal(valueAt(content, "Applicant"), "Bob");
  assert.deepEqual([valueAt(content, "Documents.0.Title"), valueAt(content, "Documents.1.Title")], ["Plan", "Photo"]);
});

async function listFiles(caseId: string): Promise<JsonObject[]> {
  const { attachments } = await live.object(`attachments list '${caseId}'`);
  assert.ok(Array.isArray(attachments));
  return attachments.filter(isJsonObject);
}

Deno.test("files are uploaded and attached in one step, or none if one cannot be read", async () => {
  const caseId = await live.createPermit();
  const [plan, photo] = [`${live.folder}/plan.txt`, `${live.folder}/photo.txt`];
  for (const path of [plan, photo]) await Deno.writeTextFile(path, path);
  const missing = await live.refused(`attachments add '${caseId}' --file '${plan}' --file '${live.folder}/none'`);
  assert.match(String(missing.message), /^--file cannot read .*none/);
  assert.deepEqual(await listFiles(caseId), []);
  assert.equal((await live.run(`attachments add '${caseId}' --file '${plan}' --file '${photo}'`)).code, 0);
  assert.deepEqual((await listFiles(caseId)).map(({ fileName }) => fileName).sort(), ["photo.txt", "plan.txt"]);
  const update = `cases perform-action '${caseId}' --action pyUpdateCaseDetails`;
  await live.object(`${update} --set Applicant=Ada --file '${plan}'`);
  assert.equal((await listFiles(caseId)).length, 3);
});

Deno.test("a dry run uploads no file", async () => {
  const caseId = await live.createPermit();
  const path = `${live.folder}/dry.txt`;
  await Deno.writeTextFile(path, "dry");
  const { code, stdout } = await live.run(`attachments add '${caseId}' --file '${path}' --dry-run`);
  assert.equal(code, 0);
  assert.match(stdout, /\[UPLOADED dry\.txt\]/);
  assert.deepEqual(await listFiles(caseId), []);
});

Deno.test("a download replaces a file only with --force", async () => {
  const caseId = await live.createPermit();
  const path = `${live.folder}/note.txt`;
  await Deno.writeTextFile(path, "new");
  await live.run(`attachments add '${caseId}' --file '${path}'`);
  const [file] = await listFiles(caseId);
  const target = `${live.folder}/old.txt`;
  await Deno.writeTextFile(target, "old");
  const refused = await live.refused(`attachments get '${file?.ID}' -o '${target}'`);
  assert.deepEqual([refused.message, refused.hint], [
    `The file ${target} already exists.`,
    "Add --force to replace it.",
  ]);
  assert.equal(await Deno.readTextFile(target), "old");
  assert.equal((await live.run(`attachments get '${file?.ID}' -o '${target}' --force`)).code, 0);
  assert.equal(await Deno.readTextFile(target), "new");
});
