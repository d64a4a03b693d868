/** The commands of a working day: `inbox`, `next`, `show`, `history` and `find`. */
import assert from "node:assert/strict";
import { parseDue } from "../../../cli/work/parse_due.ts";
import { callFakeService, clientEnvironment, startFakeService } from "../../harness/fake_service.ts";
import { maskTimes } from "../../harness/screens.ts";
import { type Live, openLive, openLiveForAll } from "../../harness/service.ts";
import { valueAt } from "../../harness/service_engine.ts";
import { makeFolder, parseErrorRecord, spawnSvc, splitWords } from "../../harness/svc.ts";
import { KEYS, openTerminal } from "../../harness/terminal.ts";
import { within } from "../../harness/wait.ts";

const live = await openLiveForAll();
await live.createPermit({ Applicant: "Ada Harbour", Address: "Quay 1", Contact: { Name: "Eve", Phone: "+31 20 1" } });
await live.createPermit({ Applicant: "Bo", Address: "Harbour Street 2" });
await live.json('assignments perform P-1 --action Register --data {"Area":40}');

/** Runs a command in a terminal of 80×24, and returns what it printed. */
async function runInTerminal(line: string, operator?: string, service = live): Promise<string> {
  await using terminal = openTerminal(splitWords(line), { env: await service.environment(operator) });
  assert.equal(await terminal.exit(), 0);
  return terminal.scrollback();
}

Deno.test("svc inbox is a table in a terminal", async () => {
  const screen = await runInTerminal("inbox");
  assert.match(screen, /^case {2}label/);
  assert.match(screen, /\nP-1 +Permit for A.* {2}Check the.* {2}Review\n/);
  assert.match(screen, /\nP-2 +Permit for Bo.* {2}Register .*$/);
  assert.match(await runInTerminal("inbox", "inspector@city"), /^No open work\.$/);
  assert.match(
    await runInTerminal("inbox --status Pnding --type Permit"),
    /^No open work matches --status Pnding --type Permit\. Did you mean 'Pending'\?\s+Statuses of your open work: New, Pending-Review\. 'svc inbox' lists all work\.$/,
  );
  assert.match(
    await runInTerminal("find P-1 --status Opne"),
    /^No case that contains "P-1" matches --status Opne\. Statuses of the cases that\s+contain it: Pending-Review\.$/,
  );
});

Deno.test("svc inbox is JSON in a pipe, and a table where that is requested", async () => {
  const { assignments } = await live.object("inbox --status Pending");
  assert.equal(valueAt(assignments, "0.ID"), "ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW");
  const { stdout, stderr } = await live.run("inbox --page-size 1 --format table --fields case,queue");
  assert.deepEqual([stdout, stderr], ["case  queue\nP-1   Review\n", "More work follows: --page 2.\n"]);
});

Deno.test("--fields selects the same fields in every format, and an unknown one is an error before the call", async () => {
  const print = async (line: string) => (await live.run(line)).stdout;
  assert.equal(await print("find zzz --fields cases.ID --format compact"), '{"cases":[]}\n');
  assert.equal(await print("find zzz --fields case,stage --format compact"), '{"cases":[]}\n');
  for (const names of ["pyID,Applicant", "data.pyID,data.Applicant"]) {
    const query = `data query D_Permits --fields ${names}`;
    assert.equal(
      await print(`${query} --format compact`),
      '{"data":[{"pyID":"P-1","Applicant":"Ada Harbour"},{"pyID":"P-2","Applicant":"Bo"}]}\n',
    );
    assert.equal(await print(`${query} --format table`), "pyID  Applicant\nP-1   Ada Harbour\nP-2   Bo\n");
  }
  const { cases } = await live.object("find Ada --fields case,label,stage");
  assert.deepEqual(cases, [{ case: "P-1", label: "Permit for Ada Harbour", stage: "Review" }]);
  assert.equal(await print("find Ada --fields case,stage --format table"), "case  stage\nP-1   Review\n");
  for (const line of ["find Ada --fields zork", "cases create --type City-Permit-Work-Permit --fields stauts"]) {
    const { code, message } = await live.refused(line);
    assert.equal(code, "INVALID_ARGS");
    assert.match(String(message), /^The response has no field (zork|stauts)\.$/);
  }
  assert.deepEqual((await live.object("find P-3")).cases, [], "no case was created");
});

Deno.test("after a change, an unknown field of --fields is only a warning", async () => {
  await using own = await openLive();
  const { stdout, stderr } = await own.run("cases create --type City-Permit-Work-Permit --fields id,extension");
  assert.deepEqual(JSON.parse(stdout), { id: "CITY-PERMIT-WORK P-1" });
  assert.match(stderr, /^Warning: The response has no field extension\. Its fields: id, /);
});

Deno.test("svc inbox --due accepts today, overdue, a date and a time", async () => {
  for (const due of ["today", "overdue", "2026-01-31", "2026-01-31T17:00:00Z"]) {
    assert.deepEqual((await live.object(`inbox --due ${due}`)).assignments, [], due);
  }
  const { message } = await live.refused("inbox --due soon");
  assert.equal(message, '--due must be today, overdue or a date, not "soon".');
  const now = new Date("2026-01-31T12:00:00");
  assert.equal(parseDue("today", now), new Date("2026-01-31T23:59:59.999").toISOString());
  assert.equal(parseDue("2026-02-01", now), new Date("2026-02-01T23:59:59.999").toISOString());
});

Deno.test("svc inbox falls back to the worklist of a service without an inbox", async () => {
  const row = { pzInsKey: "ASSIGN-WORKLIST ACME-WORK C-1!A", pxRefObjectKey: "ACME-WORK C-1", pyLabel: "Bike" };
  await using service = startFakeService({
    api: (request) => {
      const isList = new URL(request.url).pathname.endsWith("/data_views/D_pyMyWorkList");
      return isList ? Response.json({ data: [row, { ...row, pyLabel: "Car" }] }) : Response.json({}, { status: 404 });
    },
  });
  const { code, stdout } = await callFakeService(service, "inbox --text bike");
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), {
    assignments: [{ ID: row.pzInsKey, caseID: "ACME-WORK C-1", case: "C-1", label: "Bike" }],
    hasMoreResults: false,
  });
  const refused = parseErrorRecord(await callFakeService(service, "inbox --status Open"));
  assert.equal(refused.message, "The worklist of this service cannot be filtered with --status.");
  const search = parseErrorRecord(await callFakeService(service, "find bike"));
  assert.equal(search.message, "This service cannot search for cases.");
});

Deno.test("svc inbox --watch redraws the inbox in place, marks new rows, and ends with q or Ctrl-C", async () => {
  await using own = await openLive();
  await own.createPermit({ Applicant: "Ada" });
  await using terminal = openTerminal(["inbox", "--watch", "--interval", "1"], { env: await own.environment() });
  await terminal.waitFor(
    /^1 assignment\. Read at [\d:]+, every 1 s\. Press q to quit\.\n\n {2}case .*\n {2}──.*\n {2}P-1 /,
  );
  await own.createPermit({ Applicant: "Bo" });
  await terminal.waitFor(/^2 assignments, 1 new \(●\)\. Read [^]*\n {2}P-1 .*\n● P-2 {3}Permit for Bo/);
  terminal.type(KEYS.down);
  await terminal.waitFor(/^2 assignments\. Read [^]*\n {2}P-2 /);
  assert.equal(terminal.scrollback(), terminal.screen(), "nothing scrolls");
  terminal.type("q");
  assert.equal(await terminal.exit(), 0);
  assert.equal(terminal.screen(), "");
  await using other = openTerminal(["inbox", "--watch"], { env: await own.environment() });
  await other.waitFor("2 assignments");
  other.type(KEYS.ctrlC);
  assert.equal(await other.exit(), 0);
});

Deno.test("svc inbox --watch prints each change as a line of JSON in a pipe", async () => {
  await using own = await openLive();
  await own.createPermit({ Applicant: "Ada" });
  const process = spawnSvc(["inbox", "--watch", "--interval", "1"], { env: await own.environment() });
  const lines = readLines(process.stdout);
  assert.equal(JSON.parse(await nextLine(lines)).label, "Permit for Ada");
  await own.createPermit({ Applicant: "Bo" });
  assert.equal(JSON.parse(await nextLine(lines)).label, "Permit for Bo");
  process.kill("SIGTERM");
  const [{ code }] = await Promise.all([process.status, process.stdin.close(), process.stderr.cancel()]);
  assert.equal(code, 0);
  await lines.return();
});

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

async function nextLine(lines: AsyncGenerator<string, void>): Promise<string> {
  const { value } = await within("svc prints a line", lines.next());
  return value ?? assert.fail("the output ended");
}

Deno.test("svc work prints a page in a terminal, and a specified command JSON", async () => {
  await using own = await openLive();
  const handle = await own.createPermit({ Applicant: "Ada" });
  await own.json('assignments perform - --action Register --data {"Address":"Dam"}');
  const page = await runInTerminal("work take P-1", "reviewer@city", own);
  assert.match(page, /^P-1 +Permit for Ada\n/);
  assert.match(page, /Check the application +Assigned to Rosa Reviewer/);
  assert.match(await runInTerminal("cases get P-1", undefined, own), new RegExp(`^\\{\\n +"id": "${handle}"`));
});

Deno.test("a command for people offers open work in place of a missing case, at a terminal only", async () => {
  for (
    const [line, printed] of [["show", /^P-1 {2}Permit for Ada Harbour$/m], [
      "history",
      /Created the case P-1$/m,
    ]] as const
  ) {
    await using terminal = openTerminal([line], { env: await live.environment() });
    await terminal.waitFor("P-2 Permit for Bo: Register the application");
    terminal.type("harbour");
    await terminal.waitFor(/● P-1 Permit for Ada Harbour/);
    terminal.type(KEYS.enter);
    assert.equal(await terminal.exit(), 0, terminal.scrollback());
    assert.match(terminal.scrollback(), printed);
  }
  await using action = openTerminal(["cases", "perform-action"], { env: await live.environment() });
  await action.waitFor("Which open work?");
  action.type(KEYS.ctrlC);
  assert.equal(await action.exit(), 130);
  await using change = openTerminal(["cases", "delete"], { env: await live.environment() });
  assert.equal(await change.exit(), 2, "a command that deletes what was picked");
  await using none = openTerminal(["show"], { env: await live.environment("inspector@city") });
  assert.notEqual(await none.exit(), 0);
  assert.match(none.scrollback(), /^Error: You have no open work to pick from\.$/m);
  assert.match(String((await live.refused("show")).message), /^The argument <id> is missing\.$/);
});

Deno.test("svc next takes the most urgent assignment, and - then names its case", async () => {
  await using own: Live = await openLive();
  const caseId = await own.createPermit();
  await own.json('assignments perform - --action Register --data {"Address":"Dam"}');
  assert.equal((await own.object("next", "reviewer@city")).id, `ASSIGN-WORKBASKET ${caseId}!REVIEW`);
  assert.equal((await own.object("show -", "reviewer@city")).id, caseId);
  assert.equal((await own.object("work release -", "reviewer@city")).id, `ASSIGN-WORKBASKET ${caseId}!REVIEW`);
  assert.equal((await own.refused("next", "inspector@city")).code, "NOT_FOUND");
});

Deno.test("svc history shows who did what, and the old and new values of fields", async () => {
  assert.equal(
    maskTimes(await runInTerminal("history p-1")),
    `
YYYY-MM-DD hh:mm  clerk@city  Created the case P-1
    Channel: Internet
    Urgent: No
    Applicant: Ada Harbour
    Address: Quay 1
    Contact: Name: Eve, Phone: +31 20 1
YYYY-MM-DD hh:mm  clerk@city  Entered the stage Intake
YYYY-MM-DD hh:mm  clerk@city  Performed Register
    Fee: 50 → 150
    Area: 40
YYYY-MM-DD hh:mm  clerk@city  Entered the stage Review`.trim(),
  );
  const { history } = await live.object("history 'ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW'");
  assert.deepEqual(valueAt(history, "2.changes"), [{ field: "Fee", from: 50, to: 150 }, { field: "Area", to: 40 }]);
  const table = await live.run("history P-1 --format table --fields by,text");
  assert.match(table.stdout, /^by +text\nclerk@city +Created the case P-1\n/);
});

Deno.test("svc find finds cases by text and by number, and the only one becomes the last case", async () => {
  const screen = await runInTerminal("find harbour");
  assert.match(screen, /\nP-2 .* {2}Permit for Bo .* {2}New .* {2}Intake /);
  assert.match(screen, /\nP-1 .* {2}Permit for Ada/);
  assert.match(await runInTerminal("find nothing"), /^No case contains "nothing"\.$/);
  const { cases } = await live.object("find quay");
  assert.equal(valueAt(cases, "0.ID"), "CITY-PERMIT-WORK P-1");
  assert.equal((await live.object("show -")).id, "CITY-PERMIT-WORK P-1");
});

Deno.test("the table of svc inbox does not wait for messages that mention the caller, and needs none", async () => {
  const shown = Promise.withResolvers<void>();
  await using service = startFakeService({
    async api(request) {
      if (new URL(request.url).pathname.endsWith("/svc/inbox")) {
        return Response.json({ assignments: [{ ID: "A", caseID: "W C-1", businessID: "C-1" }], hasMoreResults: false });
      }
      await shown.promise;
      return Response.json({ localizedValue: "Out of order" }, { status: 500 });
    },
  });
  await using folder = await makeFolder();
  const env = { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path };
  await using terminal = openTerminal(["inbox"], { env });
  await terminal.waitFor("\nC-1");
  shown.resolve();
  assert.equal(await terminal.exit(), 0);
  assert.match(terminal.scrollback(), /\nC-1\nWarning: The messages that mention you cannot be read: Out of order$/);
});
