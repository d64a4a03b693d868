/** The commands of a working day with a service that has only published operations. */
import assert from "node:assert/strict";
import { buildCasePage } from "../../../cli/view/case_page.ts";
import { renderCaseSummary } from "../../../cli/view/case_summary.ts";
import { layOutPage } from "../../../cli/view/page.ts";
import { isJsonObject, type JsonValue } from "../../../utils/json.ts";
import { callFakeService, clientEnvironment } from "../../harness/fake_service.ts";
import {
  ASSIGNMENT,
  CASE,
  CASE_INFO,
  FORM,
  type PublishedAnswers,
  type PublishedService,
  refuse,
  startPublishedService,
} from "../../harness/published_service.ts";
import { maskTimes } from "../../harness/screens.ts";
import { makeFolder, parseErrorRecord, splitWords, svc } from "../../harness/svc.ts";
import { KEYS, openTerminal } from "../../harness/terminal.ts";

/** Texts that a command prints when it does not expect a missing member. */
const PLACEHOLDER_FAULTS = /undefined|NaN|Invalid Date|\[object|\bnull\b/;

/** Runs a command line in a terminal, and returns what it printed. */
async function runInTerminal(service: PublishedService, line: string, code = 0): Promise<string> {
  await using folder = await makeFolder();
  const env = { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path, TZ: "UTC" };
  await using terminal = openTerminal(splitWords(line), { env });
  assert.equal(await terminal.exit(), code, terminal.scrollback());
  const text = terminal.scrollback();
  assert.doesNotMatch(text, PLACEHOLDER_FAULTS, line);
  return text;
}

/** Runs a command line in a pipe. It must succeed. */
async function call(service: PublishedService, line: string): Promise<string> {
  const { code, stdout, stderr } = await svc(splitWords(line), { env: clientEnvironment(service) });
  assert.equal(code, 0, stderr);
  return stdout;
}

function isOpening(request: string): boolean {
  return / \/(assignments|cases\/[^/]+\/actions)\b/.test(request);
}

Deno.test("svc inbox shows the worklist, the most urgent first, with a dash for what is missing", async () => {
  await using service = startPublishedService();
  const screen = await runInTerminal(service, "inbox");
  assert.equal(
    screen,
    `
case  label           task
────  ──────────────  ─────────────
C-4   –               Review
C-3   Broken bicycle  Enter details
C-5   Lost key        –`.trim(),
  );
  const { assignments } = JSON.parse(await call(service, "inbox --text bicycle"));
  assert.deepEqual(assignments, [{
    ID: ASSIGNMENT,
    caseID: CASE,
    task: "Enter details",
    urgency: "10",
    case: "C-3",
    label: "Broken bicycle",
  }]);
  const table = await call(service, "inbox --format table --fields case,label,created");
  assert.match(table, /^case +label +created\nC-4\n/);
});

Deno.test("svc inbox says what to do if the worklist is refused, and accepts empty lists", async () => {
  for (const status of [403, 404, 422]) {
    await using service = startPublishedService({
      "POST /data_views/D_pyMyWorkList": () => refuse(status, "Error_Request_Validation_Pagelist_Type_Dataview"),
    });
    const { message, hint } = parseErrorRecord(await callFakeService(service, "inbox"));
    assert.equal(message, "The worklist D_pyMyWorkList cannot be read: The request was refused.");
    assert.match(String(hint), /^Name a case instead, e\.g\. svc show 'ACME-WORK C-1'\. Run 'svc next'/);
  }
  for (const body of [{}, { data: null }, { data: [] }]) {
    await using service = startPublishedService({ "POST /data_views/D_pyMyWorkList": body });
    assert.equal(await runInTerminal(service, "inbox"), "No open work.");
  }
});

Deno.test("svc show reads the case only, and shows what it has", async () => {
  await using service = startPublishedService();
  const screen = await runInTerminal(service, `show '${CASE}'`);
  assert.match(screen, /^C-3 {2}Broken bicycle\n\nCreate ●\n/);
  assert.match(screen, /^ {2}What is wrong +Flat tyre$/m);
  assert.match(screen, /Assigned to Rita Rep \(rep@acme\.example\), urgency 10$/m);
  assert.match(screen, /^ {2}2026-01-02 03:04 +rep@acme\.example +Case created\n {2}2026-01-02 03:04 +– +Assignment/m);
  assert.deepEqual(service.requests.filter(isOpening), []);
  const assignment = await runInTerminal(service, `show '${ASSIGNMENT}'`);
  assert.match(assignment, /^ {2}Enter details +Assigned to/m);
  assert.doesNotMatch(assignment, /Audit/);
  assert.equal(JSON.parse(await call(service, `show '${ASSIGNMENT}'`)).id, ASSIGNMENT);
  assert.deepEqual(service.requests.filter(isOpening), []);
});

Deno.test("svc show needs neither the view with the labels nor the history", async () => {
  await using service = startPublishedService({
    [`GET /cases/${CASE}/views/pyDetails`]: () => refuse(403, "Error_Access"),
    "POST /data_views/D_pyWorkHistory": () => refuse(422, "Error_Access"),
  });
  assert.match(await runInTerminal(service, `show '${CASE}'`), /^ {2}Summary +Flat tyre$/m);
  assert.match(await runInTerminal(service, "show 'ACME-DEMO-WORK C-4'"), /^C-4\n\nStatus +Open$/m);
});

/** Lists copies of a value. In each copy, one member is missing, null, or of another type. */
function listDamaged(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) {
    return [[], ...value.flatMap((one, i) => listDamaged(one).map((other) => value.with(i, other)))];
  }
  if (!isJsonObject(value)) return [null, "", 7, {}, []];
  return Object.keys(value).flatMap((name) => {
    const { [name]: member = null, ...rest } = value;
    return [rest, ...listDamaged(member).map((other) => ({ ...value, [name]: other }))];
  });
}

Deno.test("the page of a case and its history need no member of the responses", () => {
  const event = { time: "2026-01-02T03:04:05.678Z", by: "rep@acme.example", text: "Created" };
  const history = [event, { time: "", by: "", text: "" }];
  for (const caseInfo of listDamaged(CASE_INFO)) {
    if (!isJsonObject(caseInfo)) continue;
    const body = { data: { caseInfo } };
    const view = { ...body, uiResources: FORM };
    const surface = { color: false };
    for (const maxLines of [undefined, 5]) {
      const page = renderCaseSummary(body, { page: view, history, children: [caseInfo] }, surface, maxLines);
      assert.doesNotMatch(page, PLACEHOLDER_FAULTS, JSON.stringify(caseInfo));
    }
    assert.doesNotMatch(layOutPage(buildCasePage(body), surface), PLACEHOLDER_FAULTS, JSON.stringify(caseInfo));
  }
});

Deno.test("the inbox needs no member of a row but the handle of the case or of the assignment", async () => {
  const row = {
    pyLabel: "Bicycle",
    pxRefObjectKey: CASE,
    pxUrgencyAssign: "10",
    pzInsKey: ASSIGNMENT,
    pxTaskLabel: "Enter details",
    pxCreateDateTime: "20260102T030405.678 GMT",
    pxRefObjectInsName: "C-3",
    pxAssignedOperatorID: "rep@acme.example",
  };
  await using service = startPublishedService({
    "POST /data_views/D_pyMyWorkList": { data: [...listDamaged(row), {}, { pyLabel: "No handle" }] },
  });
  const screen = await runInTerminal(service, "inbox --no-pager");
  assert.match(screen, /\nC-3 +Bicycle +Enter details +\d+ d\n/);
  assert.doesNotMatch(screen, /No handle/);
  assert.doesNotMatch(await call(service, "inbox --format table"), PLACEHOLDER_FAULTS);
});

Deno.test("svc history shows the oldest entry first, and says why a service refuses it", async () => {
  await using service = startPublishedService();
  assert.equal(
    maskTimes(await runInTerminal(service, `history '${CASE}'`)),
    `
YYYY-MM-DD hh:mm  rep@acme.example  Case created
YYYY-MM-DD hh:mm  –                 Assignment completed`.trim(),
  );
  const table = await call(service, `history '${CASE}' --format table --fields by,text`);
  assert.match(table, /^ +Assignment completed$/m);
  await using other = startPublishedService({ "POST /data_views/D_pyWorkHistory": () => refuse(403, "Error_Access") });
  const { code, message, hint } = parseErrorRecord(
    await svc(splitWords(`history '${CASE}'`), { env: clientEnvironment(other) }),
  );
  assert.equal(code, "FORBIDDEN");
  assert.equal(message, `The history of ${CASE} cannot be read: The request was refused.`);
  assert.equal(hint, `Run 'svc show '${CASE}'' to see the state of the case.`);
});

Deno.test("svc next distinguishes a caller without work from a service that assigns none", async () => {
  await using none = startPublishedService();
  const { message } = parseErrorRecord(await callFakeService(none, "next"));
  assert.equal(message, "There is no work for you: your worklist and your queues are empty.");
  assert.deepEqual(none.requests, ["GET /assignments/next"]);
  await using service = startPublishedService({ "GET /assignments/next": () => refuse(405, "Not supported") });
  assert.match(await runInTerminal(service, "next"), /^C-4\n/);
  await using empty = startPublishedService({
    "GET /assignments/next": () => refuse(404, "Unknown"),
    "POST /data_views/D_pyMyWorkList": {},
  });
  assert.equal(parseErrorRecord(await callFakeService(empty, "next")).code, "NOT_FOUND");
});

const OBJECTS: PublishedAnswers = {
  "GET /data_objects": {
    dataObjects: [
      { classID: "ACME-Demo-Data-Car", name: "Car", defaultListDataView: "D_CarList" },
      { classID: "ACME-Demo-Work-Ticket", name: "Ticket", defaultListDataView: "D_TicketList" },
      {
        classID: "ACME-Demo-Work-Order",
        name: "Order",
        defaultListDataView: "D_OrderList",
        isDefaultListDataViewQueryable: false,
      },
      { classID: "ACME-Demo-Work-Claim", name: "Claim", defaultListDataView: "D_ClaimList" },
    ],
  },
  "POST /data_views/D_TicketList": {
    data: [{ pyID: "C-3", pyLabel: "Broken bicycle", pyStatusWork: "New", pzInsKey: CASE }],
  },
  "POST /data_views/D_OrderList": {
    data: [
      { pyID: "O-1", pyLabel: "A bicycle", pzInsKey: "ACME-DEMO-WORK O-1", pxCreateDateTime: null },
      { pyID: "O-2", pyLabel: "A car", pzInsKey: "ACME-DEMO-WORK O-2" },
    ],
  },
};

Deno.test("svc find searches the data views that list cases", async () => {
  await using service = startPublishedService(OBJECTS);
  const screen = await runInTerminal(service, "find bicycle");
  assert.match(screen, /^C-3 +Broken bicycle +New$/m);
  assert.match(screen, /^O-1 +A bicycle +–$/m);
  assert.doesNotMatch(screen, /O-2/);
  assert.match(screen, /^Warning: These data views refused the search: D_ClaimList\.$/m);
  const [body] = service.bodies.filter((text) => text.includes("filterConditions"));
  assert.deepEqual(JSON.parse(body ?? "").query.filter, {
    filterConditions: {
      F1: { lhs: { field: "pyID" }, comparator: "CONTAINS", rhs: { value: "bicycle" }, ignoreCase: true },
      F2: { lhs: { field: "pyLabel" }, comparator: "CONTAINS", rhs: { value: "bicycle" }, ignoreCase: true },
    },
    logic: "(F1 OR F2)",
  });
  const { cases } = JSON.parse(await call(service, "find bicycle --type order"));
  assert.deepEqual(cases.map(({ ID }: { ID: string }) => ID), ["ACME-DEMO-WORK O-1"]);
  await using none = startPublishedService();
  const { message, hint } = parseErrorRecord(await callFakeService(none, "find bicycle"));
  assert.equal(message, "This service cannot search for cases.");
  assert.match(String(hint), /Run 'svc inbox --text bicycle'/);
});

Deno.test("a case in place of an assignment is read, and never sent as it is", async () => {
  await using service = startPublishedService({
    ...OBJECTS,
    [`GET /assignments/${ASSIGNMENT}`]: { data: { caseInfo: CASE_INFO } },
  });
  for (const name of [CASE, "C-3", "c-3"]) {
    service.requests.length = 0;
    assert.equal(JSON.parse(await call(service, `assignments get '${name}'`)).id, ASSIGNMENT);
    const opened = service.requests.filter((request) => request.includes("/assignments/"));
    assert.deepEqual(opened, [`GET /assignments/${ASSIGNMENT}`], name);
  }
  for (const name of ["C-99", "ACME-DEMO-WORK C-99"]) {
    service.requests.length = 0;
    const refused = await svc(splitWords(`assignments get '${name}'`), { env: clientEnvironment(service) });
    assert.equal(refused.code, 1);
    assert.deepEqual(service.requests.filter((request) => request.includes("/assignments/")), [], name);
  }
});

Deno.test("a short number is found in the worklist, then in the data views that list cases", async () => {
  await using service = startPublishedService({
    ...OBJECTS,
    "GET /cases/ACME-DEMO-WORK O-1": { data: { caseInfo: { ...CASE_INFO, ID: "ACME-DEMO-WORK O-1" } } },
  });
  assert.equal(JSON.parse(await call(service, "show c-3")).id, CASE);
  assert.deepEqual(service.requests, ["GET /svc/cases", "POST /data_views/D_pyMyWorkList", `GET /cases/${CASE}`]);
  service.requests.length = 0;
  assert.equal(JSON.parse(await call(service, "cases get o-1")).id, "ACME-DEMO-WORK O-1");
  assert.ok(service.requests.includes("POST /data_views/D_OrderList"));
});

Deno.test("of several assignments that the caller may perform, those in the worklist are the caller's own", async () => {
  const other = { ...Object(CASE_INFO.assignments)[0], ID: `ASSIGN-WORKLIST ${CASE}!OTHER`, name: "Other" };
  const assignments = [other, Object(CASE_INFO.assignments)[0]];
  await using service = startPublishedService({
    [`GET /cases/${CASE}`]: { data: { caseInfo: { ...CASE_INFO, assignments } } },
    [`GET /assignments/${ASSIGNMENT}`]: { data: { caseInfo: CASE_INFO } },
  });
  assert.equal(JSON.parse(await call(service, `assignments get '${CASE}'`)).id, ASSIGNMENT);
});

Deno.test("svc do takes work from the worklist and opens it by its assignment", async () => {
  const [own] = [CASE_INFO.assignments].flat();
  const { actions, ...unopened } = Object(own);
  const closed = { ...CASE_INFO, status: "Resolved-Completed", assignments: [] };
  const [details] = Object(FORM.resources).views.pyDetails;
  const editable = { ...details, name: "EnterDetails", config: { template: "DefaultForm" } };
  let isPerformed = false;
  await using service = startPublishedService({
    [`GET /cases/${CASE}`]: () =>
      Response.json({ data: { caseInfo: isPerformed ? closed : { ...CASE_INFO, assignments: [unopened] } } }),
    [`GET /assignments/${ASSIGNMENT}`]: {
      data: { caseInfo: { ...CASE_INFO, assignments: [{ ...unopened, actions }] } },
    },
    [`GET /assignments/${ASSIGNMENT}/actions/EnterDetails`]: () =>
      Response.json({
        data: { caseInfo: { ...CASE_INFO, content: { Summary: "" } } },
        uiResources: {
          ...FORM,
          resources: { ...Object(FORM.resources), views: { EnterDetails: [editable] } },
          root: { type: "reference", config: { type: "view", name: "EnterDetails", context: "caseInfo.content" } },
        },
      }, { headers: { etag: "20260102T030405.678 GMT" } }),
    [`PATCH /assignments/${ASSIGNMENT}/actions/EnterDetails/refresh`]: {
      data: { caseInfo: { content: { Summary: "Flat tyre" } } },
    },
    [`PATCH /assignments/${ASSIGNMENT}/actions/EnterDetails`]: () => {
      isPerformed = true;
      return Response.json({ data: { caseInfo: { ...closed, content: {} } }, confirmationNote: "Thank you!" });
    },
  });
  await using folder = await makeFolder();
  const env = { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path };
  await using terminal = openTerminal(["do"], { env });
  await terminal.waitFor("C-4: Review");
  await terminal.waitFor("C-3 Broken bicycle: Enter details");
  terminal.type("bicycle");
  await terminal.waitFor(/● C-3 Broken bicycle: Enter details/);
  terminal.type(KEYS.enter);
  await terminal.waitFor("What is wrong");
  terminal.type("Flat tyre", KEYS.enter);
  await terminal.waitFor(/Submit/);
  terminal.type(KEYS.enter);
  assert.equal(await terminal.exit(), 0, terminal.scrollback());
  assert.match(terminal.scrollback(), /is done: Resolved-Completed\./);
  assert.doesNotMatch(terminal.scrollback(), PLACEHOLDER_FAULTS);
  assert.ok(service.requests.every((request) => !request.includes("/svc/") || request === "GET /svc/inbox"));
});
