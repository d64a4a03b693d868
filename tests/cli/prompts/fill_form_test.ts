/** Forms of the embedded service in a terminal of 80×24. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../../utils/json.ts";
import { type ProxyFault, startFaultProxy } from "../../harness/fault_proxy.ts";
import { openLiveForAll, openService } from "../../harness/service.ts";
import { makeFolder } from "../../harness/svc.ts";
import { within } from "../../harness/wait.ts";
import { KEYS, openTerminal, type Terminal } from "../../harness/terminal.ts";

const live = await openLiveForAll();
const { enter, down, left } = KEYS;

async function openForm(...args: string[]): Promise<Terminal> {
  return openTerminal(args, { env: await live.environment() });
}

Deno.test("Ctrl-C offers to save the entries as a draft, which the next form shows", async () => {
  const caseId = await live.createPermit({});
  const [, id = ""] = caseId.split(" ");
  await using first = await openForm("do", id, "--action", "Register");
  await first.converse([
    ["◆  Applicant (required)", "Ada", enter],
    ["◆  E-mail", KEYS.ctrlC],
    ["◆  Save your entries as a draft?", enter],
  ]);
  assert.equal(await first.exit(), 0);
  assert.match(first.screen(), /◇ {2}The draft was saved\./);
  await using second = await openForm("do", id, "--action", "register");
  await second.waitFor(/│ {2}This form shows your draft: +│\n│ {2}Applicant: \(empty\) → Ada +│\n/);
  await second.converse([["◆  Applicant (required)", " L.", enter], ["◆  E-mail", KEYS.ctrlC]]);
  await second.converse([["◆  Save your entries as a draft?", down, enter]]);
  assert.equal(await second.exit(), 130);
  assert.match(second.scrollback(), /Ada L\./);
  assert.match(second.screen(), /Cancelled\. Nothing was done\./);
});

Deno.test("a draft is visible in the case, in the inbox, and in the summary of its form", async () => {
  const caseId = await live.createPermit();
  const [, id = ""] = caseId.split(" ");
  const data = '{"Email":"ada@example.org","Documents":[{"Title":"Plan","Pages":3}]}';
  await live.json(`assignments save ${id} --action Register --data '${data}'`);
  const shown = await live.run(`show ${id} --format view`);
  assert.match(shown.stdout, /Register the application {2}Assigned to Clara Clerk \(clerk@city\), .*has a draft/);
  const inbox = await live.run("inbox --format view");
  assert.match(inbox.stdout, new RegExp(`^${id} .*Draft: Register the application`, "m"));
  await using form = await openForm("do", id, "--action", "Register");
  await form.converse([
    ["◆  Applicant (required)", enter],
    ["◆  E-mail", enter],
    ["◆  Channel", enter],
    ["◆  Address of the work", "Quay 1", enter],
    ["◆  Area in m²", enter],
    ["◆  Urgent", enter],
    ["◆  Documents: 1 row", enter],
    ["◆  Name", enter],
    ["◆  Phone", enter],
  ]);
  await form.waitFor(
    /│ {2}E-mail: \(empty\) → ada@example\.org +│\n│ {2}Documents: \(empty\) → 1 row +│\n│ {2}Address of the work: \(empty\) → Quay 1 /,
  );
  await form.converse([["◆  Submit 'Register'?", enter], ["Next?", KEYS.ctrlC]]);
  assert.equal(await form.exit(), 0);
});

Deno.test("Ctrl-C keeps the text being typed, also in a row, and offers a draft with it", async () => {
  const caseId = await live.createPermit();
  await using form = await openForm("do", String(caseId.split(" ").at(-1)), "--action", "Register");
  await form.converse([
    ["◆  Applicant (required)", enter],
    ["◆  E-mail", "ada@", KEYS.ctrlC],
    ["◆  Save your entries as a draft?", down, down, enter],
    [/◆ {2}E-mail\n│ {2}ada@/, "example.org", enter],
    ["◆  Channel", enter],
    ["◆  Address of the work", enter],
    ["◆  Area in m²", "12x", KEYS.ctrlC],
  ]);
  await form.waitFor("▲  Area in m² is not valid, so it cannot be saved in a draft.");
  await form.converse([
    ["◆  Save your entries as a draft?", down, down, enter],
    [/◆ {2}Area in m²\n│ {2}12x/, KEYS.backspace, ".5", enter],
    ["◆  Urgent", enter],
    ["◆  Documents: 0 rows", down, enter],
    ["◆  Documents 1: Title", "Plan", enter],
    ["◆  Documents 1: Pages", "12", KEYS.ctrlC],
    ["◆  Save your entries as a draft?", enter],
  ]);
  assert.equal(await form.exit(), 0);
  const saved = form.scrollback().slice(form.scrollback().indexOf("The draft was saved."));
  assert.match(saved, /│ {2}E-mail: \(empty\) → ada@example\.org\n│ {2}Area in m²: \(empty\) → 12\.5\n/);
  assert.match(saved, /│ {2}Documents: added Plan, 112,/);
});

Deno.test("an issue is shown beside its field, and the field is prompted for again", async () => {
  const caseId = await live.createPermit();
  await live.json(`cases stage-next '${caseId}'`);
  await using form = await openForm("assignments", "perform", caseId, "--action", "CheckApplication", "--interactive");
  await form.converse([
    ["◆  Applicant", enter],
    ["◆  E-mail", "ada", enter],
    ["◆  Address of the work (required)", "Quay 1", enter],
    ["◆  Submit 'Applicant'?", enter],
  ]);
  await form.waitFor(/▲ {2}E-mail: ada is not a valid e-mail address\n│\n◆ {2}E-mail\n/);
  await form.converse([["◆  E-mail", "@example.org", enter], ["◆  Submit 'Applicant'?", KEYS.ctrlC]]);
  await form.converse([["◆  Save your entries as a draft?", down, enter]]);
  assert.equal(await form.exit(), 130);
});

Deno.test("if the case changes while a form is open, the entries are kept and can be submitted again", async () => {
  const caseId = await live.createPermit();
  await using form = await openForm(
    ...["cases", "perform-action", caseId, "--action", "Withdraw", "--interactive", "--set", "Reason=Moved"],
  );
  await form.converse([["◆  Reason (required)", " away", enter]]);
  await form.waitFor("◆  Submit 'Withdraw the application'?");
  await live.json(`cases perform-action '${caseId}' --action pyUpdateCaseDetails --data '{"Email":"ada@example.org"}'`);
  await form.converse([
    ["◆  Submit 'Withdraw the application'?", enter],
    ["The case has changed since the form was opened", ""],
    ["◆  Submit 'Withdraw the application'?", enter],
  ]);
  assert.equal(await form.exit(), 0);
  const found = await live.json(`cases get '${caseId}' --fields data.caseInfo.content.Reason`);
  assert.deepEqual(found, { "data.caseInfo.content.Reason": "Moved away" });
});

Deno.test("if the service does not respond, the form keeps the entries until it responds again", async () => {
  const caseId = await live.createPermit({});
  const env = await live.environment();
  let fault: ProxyFault = "pass";
  const target = new URL(env.SVC_BASE_URL ?? "");
  await using proxy = await startFaultProxy({ target, seed: 1, faults: {}, choose: () => fault });
  const args = ["do", caseId, "--action", "Register"];
  await using form = openTerminal(args, { env: { ...env, SVC_BASE_URL: proxy.url } });
  await form.waitFor("◆  Applicant (required)");
  fault = "cut-before";
  await form.converse([
    ["◆  Applicant (required)", "Ada", enter],
    [/did not compute the form: [^◆]*You can continue\./, ""],
    ["◆  E-mail", KEYS.ctrlC],
    ["◆  Save your entries as a draft?", enter],
    ["◆  Your entries are kept. What now?", down, enter],
  ]);
  await form.waitFor(/▲ {2}[^◆]*◇ {2}Your entries are kept\. What now\?\n│ {2}Save a draft\n[^◆]*▲ {2}[^◆]*◆ {2}Your/);
  fault = "503";
  form.type(down + enter);
  await form.waitFor(/503[^◆]*◆ {2}Your entries are kept/);
  fault = "pass";
  await form.converse([
    ["◆  Your entries are kept. What now?", enter],
    ["◆  E-mail", KEYS.ctrlC],
    ["◆  Save your entries as a draft?", enter],
  ]);
  assert.equal(await form.exit(), 0);
});

Deno.test("Ctrl-C while the form is computed cancels only that, and offers to save the entries", async () => {
  const caseId = await live.createPermit({});
  const env = await live.environment();
  const [isComputing, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using proxy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    if (!pathname.endsWith("/refresh")) return await fetch(env.SVC_BASE_URL + pathname + search, request);
    isComputing.resolve();
    await mayEnd.promise;
    return new Response(null, { status: 503 });
  });
  const url = `http://127.0.0.1:${proxy.addr.port}`;
  await using form = openTerminal(["do", caseId, "--action", "Register"], { env: { ...env, SVC_BASE_URL: url } });
  await form.converse([["◆  Applicant (required)", "Ada", enter]]);
  await within("the form is computed", isComputing.promise);
  await form.converse([["◇  Applicant (required)", KEYS.ctrlC], ["◆  Save your entries as a draft?", enter]]);
  assert.equal(await form.exit(), 0);
  mayEnd.resolve();
  assert.match(form.screen(), /The draft was saved\./);
});

Deno.test("without flags, 'cases create' offers the case types at a terminal", async () => {
  await using form = await openForm("cases", "create");
  await form.converse([
    ["◆  Which case type?", enter],
    ["◆  Applicant", "Grace", enter],
    ["◆  E-mail", "grace@example.org", enter],
    ["◆  Channel", "des", enter],
    ["◆  Address of the work", KEYS.ctrlC],
  ]);
  assert.equal(await form.exit(), 130);
});

Deno.test("the form of a new case says when files can be attached", async () => {
  await using form = await openForm("cases", "create", "--type", "City-Permit-Work-Objection", "--interactive");
  await form.converse([
    ["Files can be attached when the case exists.", ""],
    ["◆  Name of the objector", KEYS.ctrlC],
  ]);
  assert.equal(await form.exit(), 130);
});

Deno.test("'data create --interactive' fills in a record", async () => {
  await using form = await openForm("data", "create", "D_Inspectors", "--interactive");
  await form.converse([
    ["◆  ID (required)", "T-1", enter],
    ["◆  Name (required)", enter],
    ["This field is required.", "Grace", enter],
    ["◆  Phone", enter],
    ["◆  Active", left, enter],
    ["◆  Submit 'New Inspector'?", down, enter],
    ["◆  Which field?", "name", enter],
    ["◆  Name (required)", " Hopper", enter],
    ["Name: (empty) → Grace Hopper", ""],
    ["◆  Submit 'New Inspector'?", enter],
  ]);
  assert.equal(await form.exit(), 0);
  const row = await live.object(`data get D_Inspectors --params '{"ID":"T-1"}'`);
  assert.deepEqual([row.Name, row.Active], ["Grace Hopper", true]);
});

for (const verb of ["patch", "update"]) {
  Deno.test(`'data ${verb} --interactive' changes the record that the user picks`, async () => {
    await live.json(`data create D_Inspectors --data '{"ID":"${verb}","Name":"Ada","Phone":"555-0100"}'`);
    await using form = await openForm("data", verb, "D_Inspectors", "--interactive", "--set", "Active=false");
    await form.converse([
      ["◆  Which record?", verb, enter],
      [`ID: ${verb}`, ""],
      ["◆  Name (required)", " L.", enter],
      ["◆  Phone", enter],
      ["◆  Active", enter],
      ["Active: Yes → No", ""],
      [`◆  Submit 'Inspector ${verb}'?`, enter],
    ]);
    assert.equal(await form.exit(), 0);
    const { Name, Phone, Active } = await live.object(`data get D_Inspectors --params '{"ID":"${verb}"}'`);
    assert.deepEqual([Name, Phone, Active], ["Ada L.", "555-0100", false]);
  });
}

Deno.test("'data perform-action --interactive' fills in the form of the record that --data identifies", async () => {
  await live.json(`data create D_Inspectors --data '{"ID":"edit","Name":"Ada"}'`);
  await using form = await openForm("data", "perform-action", "D_Inspectors", "--interactive", "--set", "ID=edit");
  await form.converse([
    ["◆  ID (required)", enter],
    ["◆  Name (required)", " L.", enter],
    ["◆  Phone", enter],
    ["◆  Active", enter],
    ["◆  Submit 'Edit'?", enter],
  ]);
  assert.equal(await form.exit(), 0);
  assert.equal((await live.object(`data get D_Inspectors --params '{"ID":"edit"}'`)).Name, "Ada L.");
});

const FORMS = `
application: { id: Leave, name: Leave, organisation: Acme }
operators: { worker@acme: { name: Will Worker } }
caseTypes:
  Acme-Leave-Work-Request:
    name: Request
    prefix: L
    workPool: ACME-LEAVE-WORK
    fields: { Plan: { type: Attachment, category: File, label: Plan } }
    attachmentCategories: { File: { name: Document } }
    stages:
      PRIM0:
        name: Request
        transition: resolution
        processes: { Ask: { steps: { Ask: { name: Ask, fields: [{ field: Plan, required: true }] } } } }
  Acme-Leave-Work-Move:
    name: Move
    prefix: M
    workPool: ACME-LEAVE-WORK
    fields:
      Rooms:
        type: List
        label: Rooms
        class: Acme-Leave-Data-Room
        fields:
          Name: { type: Text, label: Name }
          Place: { type: Page, label: Place, fields: { City: { type: Text, label: City } } }
          Chairs: { type: List, label: Chairs, fields: { Colour: { type: Text, label: Colour } } }
      Phones: { type: PageGroup, label: Phones, fields: { Number: { type: Text, label: Number } } }
    stages:
      PRIM0:
        name: Move
        transition: resolution
        processes: { Plan: { steps: { Plan: { name: Plan, fields: [Rooms, Phones] } } } }
`;

/** Opens `svc` for the worker of a service with the forms above, in a folder with a file. */
async function openWorker() {
  await using resources = new AsyncDisposableStack();
  const service = resources.use(await openService({ yaml: FORMS }));
  const folder = resources.use(await makeFolder({ "plan.txt": "0 1 2" }));
  const { clientId, clientSecret } = await service.service.addClient("worker@acme");
  const client = { SVC_BASE_URL: service.service.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
  const options = { env: { ...client, SVC_CONFIG_DIR: folder.path }, cwd: folder.path };
  const all = resources.move();
  return {
    service,
    open: (...args: string[]) => openTerminal(args, options),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

Deno.test("a file is chosen by its path, uploaded, and submitted with the form", async () => {
  await using worker = await openWorker();
  await using form = worker.open("do");
  await form.converse([
    ["◆  What do you want to work on?", enter],
    ["◆  Which case type?", "req", enter],
    ["◆  Plan (path of a file, required)", "plan.pdf", enter],
    ["The form cannot read plan.pdf", KEYS.ctrlU, "plan.txt", enter],
    ["Plan: (empty) → plan.txt", ""],
    ["◆  Submit 'Ask'?", enter],
  ]);
  assert.equal(await form.exit(), 0);
  const { body } = await worker.service.call("GET", "/cases/ACME-LEAVE-WORK L-1/attachments");
  assert.match(JSON.stringify(body), /plan/);
});

Deno.test("lists and pages in rows are edited, and groups of pages are shown", async () => {
  await using worker = await openWorker();
  const content: JsonObject = {
    Rooms: [{ Name: "Hall", Place: { City: "Delft" }, Chairs: [{ Colour: "red" }, { Colour: "blue" }] }],
    Phones: { home: { Number: "1" } },
  };
  await worker.service.call("POST", "/cases", { body: { caseTypeID: "Acme-Leave-Work-Move", content } });
  await using form = worker.open("do", "M-1", "--action", "Plan");
  await form.converse([
    ["Phones: home: 1", ""],
    ["Prompts cannot change Phones. Pass it with --data '{\"Phones\":…}'.", ""],
    ["◆  Rooms: 1 row", down, down, enter],
    ["◆  Hall, Delft, red; blue", enter],
    ["◆  Rooms 1: Name", enter],
    ["◆  Rooms 1: City", KEYS.ctrlU, "Rome", enter],
    ["◆  Rooms 1: Chairs: 2 rows", down, down, enter],
    ["◆  red", enter],
    ["◆  Rooms 1: Chairs 1: Colour", KEYS.ctrlU, "green", enter],
    ["◆  Rooms 1: Chairs: 2 rows", enter],
    ["◆  Rooms: 1 row", enter],
    ["Rooms: Hall, Delft, red; blue → Hall, Rome, green; blue", ""],
    ["◆  Submit 'Plan'?", enter],
  ]);
  assert.equal(await form.exit(), 0);
  const { body } = await worker.service.call("GET", "/cases/ACME-LEAVE-WORK M-1");
  assert.match(JSON.stringify(body), /"City":"Rome".*"Colour":"green".*"Colour":"blue"/);
});

Deno.test("--data fills in a group of pages, which the form shows and submits", async () => {
  await using worker = await openWorker();
  await worker.service.call("POST", "/cases", { body: { caseTypeID: "Acme-Leave-Work-Move" } });
  await using form = worker.open("do", "M-1", "--action", "Plan", "--data", '{"Phones":{"home":{"Number":"1"}}}');
  await form.converse([
    ["◆  Rooms: 0 rows", enter],
    ["Phones: (empty) → Home: Number: 1", ""],
    ["◆  Submit 'Plan'?", enter],
  ]);
  assert.equal(await form.exit(), 0);
  const { body } = await worker.service.call("GET", "/cases/ACME-LEAVE-WORK M-1");
  assert.match(JSON.stringify(body), /"home":\{[^}]*"Number":"1"/);
});
