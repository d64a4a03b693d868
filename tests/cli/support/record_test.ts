/** `svc support record`: the redacted requests and responses of a command. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { Placeholders } from "../../../cli/support/placeholders.ts";
import { Recorder } from "../../../cli/support/recorder.ts";
import { redactBody } from "../../../cli/support/redact_body.ts";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import { CLIENT, clientEnvironment } from "../../harness/fake_service.ts";
import { ASSIGNMENT, CASE, CASE_INFO, FORM, startPublishedService } from "../../harness/published_service.ts";
import { openLiveForAll } from "../../harness/service.ts";
import { KEYS, openTerminal } from "../../harness/terminal.ts";
import { makeFolder, parseErrorRecord, splitWords, svc } from "../../harness/svc.ts";

const live = await openLiveForAll();

function redact(body: JsonValue, keepLabels = false): JsonValue {
  return redactBody(body, new Placeholders(), { keepLabels });
}

Deno.test("a record has the redacted bodies of a command, and only its owner can read it", async () => {
  await using service = startPublishedService({
    [`GET /assignments/${ASSIGNMENT}/actions/EnterDetails`]: () =>
      Response.json({
        data: { caseInfo: CASE_INFO, referencedUsers: [{ UserID: "rep", UserName: "Rita Rep" }] },
        uiResources: FORM,
      }, {
        headers: { etag: "20260102T030405.678 GMT", "set-cookie": "session=secret" },
      }),
  });
  await using folder = await makeFolder();
  const file = `${folder.path}/form.json`;
  const line =
    `support record -o ${file} assignments get-action '${ASSIGNMENT}' --action EnterDetails --format compact`;
  const { code, stdout, stderr } = await svc(splitWords(line), {
    env: { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path },
  });
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).data.caseInfo.content.Summary, "Flat tyre", "the command runs as usual");
  assert.match(stderr, /^Recorded 2 requests in .*form\.json, which only you can read\.\nReplaced: .*texts \(\d+\)/);
  if (Deno.build.os !== "windows") assert.equal((Deno.statSync(file).mode ?? 0) & 0o777, 0o600);

  const text = await Deno.readTextFile(file);
  const token = service.issued[0] ?? "";
  const secrets = [CLIENT.clientSecret, CLIENT.clientId, token, "session=secret", service.baseUrl, "127.0.0.1"];
  const people = ["rep@acme", "Rita", "other@acme", 'UserID": "rep"'];
  for (const hidden of [...secrets, ...people, "Flat tyre", "bicycle", "C-3", "What is wrong", "Enter details"]) {
    assert.ok(!text.includes(hidden), `${hidden} in ${text}`);
  }
  const { command, exchanges: [exchange, call] } = JSON.parse(text);
  assert.equal(
    command,
    "svc assignments get-action ASSIGN-WORKLIST ACME-DEMO-WORK C-1!INTAKE_FLOW --action XxxxxXxxxxxx --format xxxxxxx",
  );
  assert.deepEqual([exchange.request.body, exchange.response.body], ["(credentials)", "(a token)"]);
  assert.equal(
    call.request.path,
    "/dx-api/v2/assignments/ASSIGN-WORKLIST ACME-DEMO-WORK C-1!INTAKE_FLOW/actions/EnterDetails",
  );
  assert.deepEqual(call.response.headers, { "content-type": "application/json", etag: "20260102T030405.678 GMT" });
  const { data, uiResources } = call.response.body;
  assert.deepEqual(Object.keys(data.caseInfo), Object.keys(CASE_INFO));
  assert.deepEqual(data.caseInfo.content, {
    classID: "ACME-Demo-Work-Ticket",
    pyLabel: "Xxxxxx xxxxxxx",
    pyID: "C-1",
    Summary: "Xxxx xxxx",
    Due: "",
  });
  assert.deepEqual(data.caseInfo.assignments[1].assigneeInfo, {
    ID: "user2@example",
    name: "Xxxx Xxxxx",
    type: "worklist",
  });
  assert.deepEqual(uiResources, {
    ...FORM,
    resources: {
      ...Object(FORM.resources),
      fields: {
        Summary: [{ classID: "ACME-Demo-Work-Ticket", type: "Text", displayAs: "pxTextInput", label: "Xxxx xx xxxxx" }],
      },
    },
  });
});

Deno.test("requests are recorded with the changes that they make", async () => {
  const permit = await live.createPermit({ Applicant: "Ada Lovelace" });
  const file = `${live.folder}/change.json`;
  const data = JSON.stringify({ Applicant: "Grace Hopper", Area: 42 });
  const line = `support record --output ${file} assignments save '${permit}' --action Register --data '${data}'`;
  assert.equal((await live.run(line)).code, 0);
  const text = await Deno.readTextFile(file);
  for (const hidden of ["Grace", "Ada", "42"]) {
    assert.ok(!text.includes(`"${hidden}`), hidden);
  }
  const saving = JSON.parse(text).exchanges.find((one: { request: JsonObject }) => one.request.method === "PATCH");
  assert.deepEqual(saving.request.body, { content: { Applicant: "Xxxxx Xxxxxx", Area: 11 } });
  const again = await live.refused(line);
  assert.equal(again.message, `The file ${file} already exists.`);
  assert.equal(again.hint, "Add --force to replace it.");
  assert.equal((await live.run(line.replace("record", "record --force"))).code, 0);
});

Deno.test("a recorded command has the terminal, so that it prints pages and prompts", async () => {
  await live.createPermit({ Applicant: "Ada" });
  const file = `${live.folder}/page.json`;
  const env = await live.environment();
  await using terminal = openTerminal(["support", "record", "-o", file, "show"], { env });
  await terminal.waitFor("Which open work?");
  terminal.type(KEYS.enter);
  assert.equal(await terminal.exit(), 0, terminal.scrollback());
  assert.match(terminal.scrollback(), /^P-\d+ {2}Permit for Ada[^]*^Recorded \d+ requests/m);
});

Deno.test("the record of a command that fails has the refusal, and the error is that of the command", async () => {
  const file = `${live.folder}/refused.json`;
  const result = await live.run(`support record -o ${file} cases get 'CITY-PERMIT-WORK P-9999'`);
  assert.equal(result.code, 1);
  const { error, exchanges } = JSON.parse(await Deno.readTextFile(file));
  assert.deepEqual(error, { code: "NOT_FOUND", status: 404, operation: "cases.get" });
  const { response } = exchanges.at(-1);
  assert.equal(response.body.errorClassification, "Resource not found");
  assert.match(response.body.localizedValue, /^Xxx xxxxxxxx xxxxxx/);
});

Deno.test("a command without requests leaves no file, and an unknown one is an error of its own", async () => {
  const file = `${live.folder}/nothing.json`;
  const { code, stderr } = await live.run(`support record -o ${file} auth status`);
  assert.deepEqual([code, stderr], [0, "Nothing was recorded, because the command sent no request.\n"]);
  await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
  const unknown = await live.run(`support record -o ${file} cases gte`);
  assert.equal(unknown.code, 2);
  assert.equal(parseErrorRecord({ ...unknown, stderr: unknown.stderr.split("\n").at(-2) + "\n" }).code, "INVALID_ARGS");
  assert.match(String((await live.refused("support record")).message), /^The argument <command> is missing\.$/);
});

Deno.test("labels of a form are replaced unless labels are kept, and its references stay", () => {
  const config = {
    value: "@P .City",
    label: "@L Home town",
    required: "@E .Age > 3",
    helperText: "As in the passport",
  };
  const records = [{ key: "D", value: "Desk" }];
  const form: JsonObject = {
    uiResources: {
      resources: { views: { Enter: [{ type: "View", config }] }, fields: { A: [{ datasource: { records } }] } },
    },
  };
  const text = JSON.stringify(redact(form));
  for (const kept of ["@P .City", "@E .Age > 3", '"View"', '"Enter"', '"key":"D"']) {
    assert.ok(text.includes(kept), kept);
  }
  for (const hidden of ["Home town", "passport", "Desk"]) assert.ok(!text.includes(hidden), hidden);
  assert.deepEqual(redact(form, true), form);
});

Deno.test("operators, tags, files and messages are replaced wherever they are, also with labels kept", () => {
  const bodies: JsonValue[] = [
    { followers: [{ ID: "jsmith", name: "Jane Smith", email: "jane@acme.example" }] },
    { users: [{ ID: "jsmith" }] },
    [{ ID: "jsmith", status: "201" }],
    [{ caption: "Jane Smith", mentionsID: "jsmith" }],
    { tagsList: [{ tagName: "jane smith", tagKey: "DATA-SOCIAL-TAG ACME!JANE SMITH" }] },
    {
      attachments: [{
        ID: "LINK-ATTACHMENT ACME-WORK C-7!20260102T030405.678 GMT",
        name: "jane smith",
        fileName: "jane smith.txt",
      }],
    },
    { context: "ACME-WORK C-7", message: "Jane" },
    { errorDetails: [{ message: "Error_Validation_Fail", localizedValue: "User jsmith is not valid" }] },
    { data: [{ pxCreateOperator: "jsmith", pyLabel: "Jane", Salary: 5321.5, Born: "1990-12-31" }] },
    {
      data: {
        caseInfo: { createdBy: "jsmith", content: { "jane@acme.example": true, Notes: ["Jane", { A: "smith" }] } },
      },
    },
    { "D_Person": { pyFullName: "Jane Smith" } },
  ];
  for (const body of bodies) {
    const text = JSON.stringify(redact(body, true));
    assert.doesNotMatch(text, /jane|smith|C-7|5321|1990/i, text);
  }
  const error = JSON.stringify(redact(bodies[7] ?? null));
  assert.match(error, /Error_Validation_Fail/);
  const recorder = new Recorder({ keepLabels: true });
  const path = recorder.redactPath(
    "https://host.example/api/cases/ACME-WORK%20C-7/followers/jsmith?searchFor=jane&pageSize=7&businessID=C-7",
  );
  assert.equal(path, "/api/cases/ACME-WORK C-1/followers/xxxxxx?searchFor=xxxx&pageSize=7&businessID=C-1");
});

Deno.test("values that people have entered never reach a record, whatever their name and depth", () => {
  const secret = fc.stringMatching(/^(?:qz[a-z]{2,8} ?){1,4}$/).filter((text) => text !== "");
  const content = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      secret,
      fc.integer({ min: 7_000_000, max: 7_999_999 }),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.stringMatching(/^[A-P][A-Pa-p]{0,9}$/), tie("value"), { maxKeys: 3 }),
    ),
  })).value;
  const wrap = fc.constantFrom<(value: JsonValue) => JsonValue>(
    (value) => ({ data: { caseInfo: { ID: CASE, content: { Field: value } } } }),
    (value) => ({
      content: { Field: value },
      pageInstructions: [{ instruction: "APPEND", content: { Field: value } }],
    }),
    (value) => ({ data: [{ Field: value }] }),
    (value) => ({ responseData: { Field: value } }),
    (value) => ({ data: { caseInfo: { content: {} }, shared: { D_X: { pxResults: [{ Field: value }] } } } }),
    (value) => ({ uiResources: { context_data: { Field: value } } }),
  );
  fc.assert(fc.property(wrap, content, fc.boolean(), (wrapped, value, keepLabels) => {
    assert.doesNotMatch(JSON.stringify(redact(wrapped(value), keepLabels)), /qz|7\d{6}/);
  }));
});
