/** The format `view`: pages for people. */
import assert from "node:assert/strict";
import { body, declare, declareList, field, rawView, reference, STOP, view } from "../../lib/forms/_body.ts";
import { callFakeService, startFakeService } from "../../harness/fake_service.ts";
import { maskTimes, summarizePermit } from "../../harness/screens.ts";
import { openLiveForAll } from "../../harness/service.ts";
import { splitWords } from "../../harness/svc.ts";
import { openTerminal, type TerminalOptions } from "../../harness/terminal.ts";

const live = await openLiveForAll();
const address = { Address: "Quay 1", Area: 400, Contact: { Name: "Zoë" } };
await live.createPermit({ Applicant: "Ada", ...address });
await live.json("cases perform-action P-1 --action pyUpdateCaseDetails --set Documents[+].Title=Plan");

async function runInTerminal(line: string, options: TerminalOptions = {}): Promise<string> {
  await using terminal = openTerminal(splitWords(line), { ...options, env: await live.environment() });
  assert.equal(await terminal.exit(), 0);
  return terminal.scrollback();
}

const SUMMARY = `${summarizePermit("Intake ● ─ Review ─ Decision", "New")}\
  Register the application  Assigned to Clara Clerk (clerk@city), urgency 10
                            Enter who applies, for what, and where.
  To work on it, run        svc do P-1
  Other actions             Edit details, Change stage, Expedite, Withdraw the
                            application, Site visit

Fields
  Applicant                    Ada
  Channel                      Internet
  Address of the work          Quay 1
  Area in m²                   400
  Urgent                       No
  Fee                          EUR 1,050.50
  Documents                    Title  Pages  Cost of copies
                               Plan       1        EUR 0.50
  The application is complete  No

Contact
  Name  Zoë

Recent history (for all, run: svc history P-1)
  YYYY-MM-DD hh:mm  clerk@city  Created the case P-1
  YYYY-MM-DD hh:mm  clerk@city  Entered the stage Intake
  YYYY-MM-DD hh:mm  clerk@city  Performed Edit details`;

Deno.test("svc show prints the page of a case in a terminal, and shortens it to one screen", async () => {
  assert.equal(maskTimes(await runInTerminal("show P-1", { rows: 40 })), SUMMARY);
  const lines = SUMMARY.split("\n");
  for (const rows of [24, 30]) {
    const short = maskTimes(await runInTerminal("show P-1", { rows })).split("\n");
    assert.ok(short.length < rows, short.join("\n"));
    assert.equal(short.pop(), "For all fields and actions, run: svc cases get P-1 --format view");
    assert.deepEqual(short.slice(0, 15), lines.slice(0, 15));
    const squeeze = (line: string) => line.replaceAll(/ {2,}/g, "  ");
    assert.deepEqual(short.map(squeeze).filter((line) => !lines.map(squeeze).includes(line)), []);
  }
});

Deno.test("the page of a case that waits for a child names the child and who has it", async () => {
  const caseInfo = { ID: "ACME-WORK C-1", businessID: "C-1", name: "Order", status: "Pending-Parts", assignments: [] };
  const child = {
    ID: "ACME-WORK P-7",
    businessID: "P-7",
    name: "Part",
    status: "New",
    assignments: [{
      ID: "ASSIGN-WORKLIST ACME-WORK P-7!MAKE",
      name: "Make it",
      assigneeInfo: { ID: "ada", name: "Ada" },
    }],
  };
  const responses: Record<string, object> = {
    "/cases/C-1": { ID: caseInfo.ID, data: { caseInfo } },
    "/cases/C-1/descendants": { childCases: [{ ...child, ID: "ACME-WORK P-6", status: "Resolved-Done" }, child] },
  };
  await using service = startFakeService({
    api: (request) => {
      const found = Object.entries(responses).find(([path]) => new URL(request.url).pathname.endsWith(path));
      return found === undefined ? Response.json({}, { status: 404 }) : Response.json(found[1]);
    },
  });
  const { stdout } = await callFakeService(service, "show C-1 --format view");
  assert.match(stdout, /\nOpen work\n {2}Waits for P-7 {2}Part, New, Make it: Assigned to Ada \(ada\)$/m);
  assert.doesNotMatch(stdout, /P-6/);
});

Deno.test("the history on a page is short, and svc history shows the members of pages", async () => {
  for (const name of ["Ann", "Ben", "Cem", "Zoë"]) {
    await live.json(`cases perform-action P-1 --action pyUpdateCaseDetails --set Contact.Name=${name}`);
  }
  const page = maskTimes(await runInTerminal("show P-1", { rows: 60 }));
  assert.match(
    page,
    /\nRecent history \(for all, run: svc history P-1\)\n(?: {2}YYYY-MM-DD hh:mm {2}clerk@city {2}Performed Edit details\n?){5}$/,
  );
  assert.match(await runInTerminal("history P-1"), /^ {4}Contact: Name: Ann → Ben$/m);
});

Deno.test("the view of an assignment has the labels of its form, and amounts of money", async () => {
  const { stdout, stderr } = await live.run("assignments get P-1 --format view");
  assert.equal(stderr, "");
  assert.match(stdout, /^ {2}Address of the work +Quay 1$/m);
  assert.match(stdout, /^ {2}Fee +EUR 1,050\.50$/m);
  assert.match(stdout, /^ {2}Documents +Title {2}Pages {2}Cost of copies\n +Plan {7}1 {8}EUR 0\.50$/m);
  assert.match(stdout, /^ {2}E-mail +–$/m);
  assert.match(stdout, /^ {2}Step by step {2}svc do P-1$/m);
  assert.match(stdout, /^ {2}Register +svc assignments perform P-1 --action Register$/m);
  assert.ok(!stdout.includes("perform-action") && !stdout.includes("\x1b"), stdout);
});

Deno.test("a view fits narrow terminals, except for its command lines", async () => {
  for (const columns of [60, 30, 12]) {
    const screen = await runInTerminal("show P-1", { columns, rows: 200 });
    assert.ok(screen.startsWith("P-1"), screen);
    assert.match(screen, /svc do/);
  }
  const text = await runInTerminal("show P-1", { columns: 30, rows: 200 });
  assert.match(text, /^ {2}Register the application\n {6}Assigned to Clara Clerk\n {6}\(clerk@city\), urgency 10$/m);
});

Deno.test("svc show prints JSON in a pipe, and where that is requested", async () => {
  assert.match((await live.run("show P-1")).stdout, /^\{\n {2}"id": "CITY-PERMIT-WORK P-1",/);
  assert.match(await runInTerminal("show P-1 --format compact --fields id"), /^\{"id":"CITY-PERMIT-WORK P-1"\}$/);
  assert.match(await runInTerminal("cases get P-1 --fields id"), /^\{\n {2}"id"/);
});

Deno.test("the view of a list is a table, and that of another object lists its members", async () => {
  assert.equal((await live.run("tags list P-1 --format view")).stdout, "Tags list: none.\n");
  const stages = await live.run("cases list-stages P-1 --format view --fields stages");
  assert.match(stages.stdout, /Intake/);
  const types = await live.run("case-types list --format view");
  assert.match(types.stdout, /^City-Permit-Work-Permit +.* Permit$/m);
  assert.equal(types.stderr, "");
  assert.match(
    (await live.run("show P-1 --format view --fields status,urgency")).stdout,
    /^Status +New\nUrgency +10\n$/,
  );
});

Deno.test("a table at a terminal has local times, but keeps entity tags", async () => {
  const screen = await runInTerminal("cases get P-1 --format table --fields etag,data.caseInfo.createTime");
  assert.match(screen, /\d{8}T\d{6}\.\d{3} GMT/);
  assert.match(screen, /\d{4}-\d\d-\d\d \d\d:\d\d(?!:)/);
  const { stdout } = await live.run("cases get P-1 --format table --fields data.caseInfo.createTime");
  assert.match(stdout, /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/);
});

Deno.test("a view shows due dates, stages, the parent and several assignments, and escapes control characters", async () => {
  const dayAfterTomorrow = new Date(Date.now() + 2.5 * 86_400_000).toISOString();
  const action = { ID: "Do", name: "Do it" };
  const caseInfo = {
    ID: "ACME-WORK C-1",
    businessID: "C-1",
    name: "Bike \x1b[31m",
    status: "Open\nClosed",
    parentCaseID: "ACME-WORK C-0",
    sla: { goal: dayAfterTomorrow, deadline: "20200131T093000.000 GMT" },
    stages: [
      { ID: "A", name: "Intake", visited_status: "completed", type: "Primary" },
      { ID: "B", name: "\x07Work", visited_status: "active", type: "Primary" },
      { ID: "C", name: "Cancelled", visited_status: "future", type: "Alternate" },
      { ID: "D", name: "Done", visited_status: "future", type: "Primary" },
    ],
    content: {
      Notes: "one\ntwo \u202e",
      Since: "20260131T093000.000 GMT",
      Tags: ["a", "b"],
      pxHidden: 1,
      Nothing: null,
    },
    assignments: [
      {
        ID: "ASSIGN-WORKLIST ACME-WORK C-1!A",
        name: "First",
        actions: [action],
        assigneeInfo: { ID: "ada" },
        dueTime: dayAfterTomorrow,
      },
      { ID: "ASSIGN-WORKBASKET ACME-WORK C-1!B", name: "Second", assigneeInfo: { ID: "q", type: "workbasket" } },
    ],
  };
  await using service = startFakeService({
    api: () => Response.json({ ID: caseInfo.ID, type: "Bike", status: "Open", data: { caseInfo } }),
  });
  const { stdout, stderr } = await callFakeService(service, "cases get C-1 --format view");
  assert.equal(stderr, "");
  assert.match(stdout, /^C-1 {2}Bike \\u001b\[31m$/m);
  assert.match(stdout, /^Intake ✓ ─ \\u0007Work ● ─ Done$/m);
  assert.match(stdout, /^Due +\d{4}-\d\d-\d\d \d\d:\d\d \(in 2 d\)$/m);
  assert.match(stdout, /^Deadline +2020-0[12]-\d\d \d\d:\d\d \(\d+ d ago\)$/m);
  assert.match(stdout, /^Part of +ACME-WORK C-0$/m);
  assert.match(stdout, /^ {2}Notes {2}one\n {9}two \\u202e\n {2}Since {2}2026-0.*\n {2}Tags {3}a, b$/m);
  assert.match(stdout, /^ {2}First +Assigned to ada, due \d{4}-\d\d-\d\d \d\d:\d\d \(in 2 d\)$/m);
  assert.match(stdout, /^ {2}Second +In the queue q$/m);
  assert.match(stdout, /^ {2}First: Do it +svc assignments perform 'ASSIGN-WORKLIST ACME-WORK C-1!A' --action Do$/m);
});

Deno.test("the page of a record shows the fields of its view, and nothing of how the view is described", async () => {
  const { uiResources } = body({
    views: [view("pyReview", [field("TextInput", ".City"), field("Decimal", ".Rate")], { template: "Details" })],
    fields: { City: declare("Text", "City"), Rate: declare("Decimal", "Rate of the stop") },
    root: { name: "pyReview", context: "dataInfo.content" },
  });
  const data = { dataInfo: { content: { classID: STOP, City: "Oslo", Rate: 2.5, Hidden: "x" } } };
  await using service = startFakeService({
    api: () => Response.json({ ID: "Review", name: "Review", data, uiResources }, { headers: { etag: "1" } }),
  });
  const { stdout } = await callFakeService(service, "data get-action D_Stop --action Review --data {} --format view");
  assert.equal(stdout, "ID    Review\nName  Review\n\nFields\n  City              Oslo\n  Rate of the stop  2.5\n");
});

Deno.test("a list without columns is shown by the number of its rows", async () => {
  const { data, uiResources } = body({
    views: [
      view("EditTrip", [reference("EditTrip_Stops", { authorContext: ".Stops" })]),
      rawView("EditTrip_Stops", [], {
        template: "SimpleTable",
        config: { type: "multirecordlist", referenceList: "@P .Stops", contextClass: STOP, presets: [] },
      }),
    ],
    fields: { Stops: declareList("Stops", STOP) },
    content: { Stops: [{ City: "Oslo" }] },
  });
  await using service = startFakeService({ api: () => Response.json({ data, uiResources }) });
  const { stdout } = await callFakeService(service, "cases get-view T-7 --view EditTrip --format view");
  assert.match(stdout, /^Fields\n {2}Stops {2}1 row$/m);
});

Deno.test("fields with instructions and without a heading stay in the section before", async () => {
  const { data, uiResources } = body({
    views: [
      view("Review", [field("TextInput", ".City"), reference("Told"), field("TextInput", ".Zip")]),
      view("Told", [field("TextInput", ".Note")], { config: { instructions: "@PARAGRAPH Help" } }),
    ],
    paragraphs: { Help: "<p>Write briefly.</p>" },
    content: { City: "Oslo", Zip: "0150", Note: "n" },
  });
  await using service = startFakeService({ api: () => Response.json({ data, uiResources }) });
  const { stdout } = await callFakeService(service, "cases get-view T-7 --view Review --format view");
  assert.match(stdout, /^Fields\n {2}City {2}Oslo\n {2}Note {2}n\n {2}Zip {3}0150$/m);
});

Deno.test("a page shows the rich text of confirmations and instructions as plain text", async () => {
  const { data } = body({
    views: [],
    caseInfo: { assignments: [{ ID: "A", name: "Book", instructions: "<p>Ask <b>first</b> &amp; book.</p>" }] },
  });
  await using service = startFakeService({
    api: () => Response.json({ data, confirmationNote: "<p>Thank you!</p>" }),
  });
  const { stdout } = await callFakeService(service, "cases get T-7 --format view");
  assert.match(stdout, /^Thank you!$/m);
  assert.match(stdout, /^ {2}Book {2}Ask first & book\.$/m);
});

Deno.test("the page of a case whose response has no ID begins with its label", async () => {
  const { data } = body({ views: [], caseInfo: { ID: "", businessID: "" } });
  await using service = startFakeService({ api: () => Response.json({ data }) });
  const { stdout } = await callFakeService(service, "cases get-view T-7 --view EditTrip --format view");
  assert.match(stdout, /^Trip to Oslo\n/);
});

Deno.test("a dashboard without fields shows its data, and nothing of how its view is described", async () => {
  const { uiResources } = body({
    views: [rawView("Team", [], { template: "ListView", config: { referenceList: "D_Trips", label: "@L Trips" } })],
  });
  await using service = startFakeService({
    api: () => Response.json({ id: "Team", data: { insights: [{ ID: "A", name: "Trips" }] }, uiResources }),
  });
  const { stdout } = await callFakeService(service, "pages dashboard Team --format view");
  assert.match(stdout, /^ {2}Insights {2}Trips$/m);
  assert.doesNotMatch(stdout, /resources|Views/);
});
