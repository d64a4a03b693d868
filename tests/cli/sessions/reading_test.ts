/** Reading: a clerk chooses pages once, and reads lists, a case, its history, and errors. */
import assert from "node:assert/strict";
import { findFreePort } from "../../../tasks/support/free_port.ts";
import { describePermit, PERMIT_ACTIONS, summarizePermit } from "../../harness/screens.ts";
import { ServiceHome } from "../../harness/service.ts";
import { splitWords } from "../../harness/svc.ts";
import { ON_UNIX, Session, SHORT_PARENT } from "./_session.ts";

Deno.test("a clerk reads lists, a case, its history and errors", ON_UNIX, async () => {
  await using home = await ServiceHome.open(SHORT_PARENT);
  // A fixed port, because the session also calls the service after it has stopped.
  await home.svc("service", "start", "--port", String(findFreePort()), "--detach");
  await using session = await Session.open({
    env: { SVC_CONFIG_DIR: home.directory },
    files: { "plan.pdf": "%PDF-1.4 A plan" },
    svc: home.commandLine([]),
  });
  for (
    const line of [
      "cases create --type City-Permit-Work-Permit --set Applicant=Ada --set 'Address=Quay 1'",
      "cases create --type City-Permit-Work-Permit --set Applicant=Bo",
      `attachments add P-1 --file ${session.directory}/plan.pdf`,
      "assignments perform P-1 --action Register --set Area=40 --set Documents[+].Title=Plan",
    ]
  ) {
    const { code, error } = await home.svc(...splitWords(line));
    assert.equal(code, 0, JSON.stringify(error));
  }

  assert.equal(
    await session.run("svc config set format view"),
    `Setting   format
Value     view
Used      view
Source    config
Default   json, or view if the help of the command says so
Meaning   Output format at a terminal
Variable  SVC_FORMAT`,
  );
  assert.equal(
    await session.run("svc cases list", { code: 2 }),
    `Error: svc cases has no command 'list'.

Did you mean 'svc inbox', 'svc find <text>' or 'svc data query <data-view>'?
'svc cases --help' lists the commands.`,
  );
  assert.equal(
    await session.run("svc inbox"),
    `case  label           task                      status          created  queue
────  ──────────────  ────────────────────────  ──────────────  ───────  ──────
P-1   Permit for Ada  Check the application     Pending-Review  N min    Review
P-2   Permit for Bo   Register the application  New             N min`,
  );
  assert.equal(
    await session.run("svc find quay"),
    `case  label           status          stage   created
────  ──────────────  ──────────────  ──────  ────────────────
P-1   Permit for Ada  Pending-Review  Review  YYYY-MM-DD hh:mm`,
  );
  assert.equal(
    await session.run("svc cases get -"),
    `${describePermit("Intake ✓ ─ Review ● ─ Decision", "Pending-Review")}  Applicant  Ada
  Channel    Internet
  Address    Quay 1
  Area       40
  Urgent     No
  Fee        150.5
  Documents  Title  Pages  Cost
             Plan       1   0.5
  Complete   No

Open work
  Check the application  In the queue Review of applications (Review), urgency
                         20

Actions
  Step by step
      svc do P-1
  Check the application: Applicant
      svc assignments perform P-1 --action CheckApplication
${PERMIT_ACTIONS}`,
  );
  assert.equal(
    await session.run("svc show -"),
    `${summarizePermit("Intake ✓ ─ Review ● ─ Decision", "Pending-Review")}\
  Check the application  In the queue Review of applications (Review), urgency
                         20
  To work on it, run     svc do P-1
  Other actions          Edit details, Change stage, Expedite, Withdraw the
                         application, Site visit

Fields
  Applicant            Ada
  Channel              Internet
  Address of the work  Quay 1

Recent history (for all, run: svc history P-1)
  YYYY-MM-DD hh:mm  clerk@city  Entered the stage Review

For all fields and actions, run: svc cases get P-1 --format view`,
  );
  assert.equal(
    await session.run("svc history -"),
    `YYYY-MM-DD hh:mm  clerk@city  Created the case P-1
    Channel: Internet
    Urgent: No
    Applicant: Ada
    Address: Quay 1
YYYY-MM-DD hh:mm  clerk@city  Entered the stage Intake
YYYY-MM-DD hh:mm  clerk@city  Attached plan
YYYY-MM-DD hh:mm  clerk@city  Performed Register
    Fee: 50 → 150.5
    Area: 40
    Documents: 1 row
YYYY-MM-DD hh:mm  clerk@city  Entered the stage Review`,
  );
  assert.equal(
    await session.run("svc show - --fields data.caseInfo.stauts,urgency", { code: 2 }),
    `Error: The response has no field data.caseInfo.stauts.

Did you mean data.caseInfo.status?`,
  );
  assert.equal(
    await session.run("svc cases get P-99", { code: 1 }),
    `Error: Case P-99 was not found, or you have no access to it.

Run 'svc find <text>' to search for a case.`,
  );
  assert.equal(
    await session.run("svc assignments perform - --action Regster", { code: 1 }),
    `The last case is CITY-PERMIT-WORK P-1.
Error: The request conflicts with the state of the resource: Regster is not a
valid action to use on the assignment ASSIGN-WORKBASKET CITY-PERMIT-WORK
P-1!REVIEW; available: CheckApplication`,
  );
  assert.equal(
    await session.run("svc attachments list -"),
    `ID     fileName  name  category  createdBy    createTime
─────  ────────  ────  ────────  ───────────  ────────────────
P-1/1  plan.pdf  plan  Document  Clara Clerk  YYYY-MM-DD hh:mm`,
  );
  assert.equal(
    await session.run("svc case-types list"),
    `ID                          name
──────────────────────────  ────────────────────
City-Permit-Work-Permit     Permit
City-Permit-Work-Receipt    Receipt of a request
City-Permit-Work-Objection  Objection
City-Permit-Work-Event      Event`,
  );
  assert.equal(
    await session.run("svc data query D_pyMyWorkList"),
    `id                                           pyLabel        pxRefObjectKey
───────────────────────────────────────────  ─────────────  ────────────────────
ASSIGN-WORKLIST CITY-PERMIT-WORK P-2!INTAKE  Permit for Bo  CITY-PERMIT-WORK P-2
Empty and repeated columns hidden: pzInsKey.
Columns hidden to fit the terminal: pxTaskLabel, pxUrgencyAssign,
pxCreateDateTime, pxAssignedOperatorID, pyAssignmentType, pxRefObjectInsName,
pxRefObjectClass, pxObjClass. Select columns with --fields.`,
  );
  await home.svc("service", "stop");
  assert.equal(
    await session.run("svc show -", { code: 1 }),
    `Error: GET http://127.0.0.1:NNNNN/dx-api/v2/cases/CITY-PERMIT-WORK%20P-1 failed:
Connection refused.

No service is running at this address of your machine. Run 'svc service start
--detach' to start one, or 'svc auth diagnose' to find the step that fails.`,
  );
});
