/** For application developers: a definition is checked, drawn, served, filled with sample data, and stopped. */
import assert from "node:assert/strict";
import { VERSION } from "../../../lib/version.ts";
import { findFreePort } from "../../../tasks/support/free_port.ts";
import { ServiceHome } from "../../harness/service.ts";
import { ON_UNIX, Session, SHORT_PARENT } from "./_session.ts";

const DEFINITION = `application: { id: Desk, name: Service desk, organisation: Org }
operators:
  ada@desk: { name: Ada }
caseTypes:
  Org-Desk-Work-Request:
    name: Request
    prefix: R
    workPool: ORG-DESK-WORK
    fields:
      Subject: { type: Text, label: Subject }
      Answer: { type: TextArea, label: Answer }
    stages:
      PRIM0:
        name: Handling
        transition: resolution
        processes:
          Handling:
            name: Handling
            steps:
              Answer:
                name: Answer the request
                dueDays: 2
                fields: [Subject, { field: Answr, required: true }]
`;

Deno.test("a developer checks, draws, serves, fills and stops an application", ON_UNIX, async () => {
  await using home = await ServiceHome.open(SHORT_PARENT);
  await using session = await Session.open({
    env: { SVC_CONFIG_DIR: home.directory },
    files: { "desk.yaml": DEFINITION },
    svc: home.commandLine([]),
  });

  assert.equal(
    await session.run("svc service validate desk.yaml", { code: 2 }),
    `desk.yaml:23:35: there is no field 'Answr'; did you mean 'Answer'?
Error: desk.yaml has 1 issue.

Fix the definition. docs/application.md explains the format.`,
  );
  await Deno.writeTextFile(`${session.directory}/desk.yaml`, DEFINITION.replace("Answr", "Answer"));
  assert.equal(
    await session.run("svc service validate desk.yaml"),
    "desk.yaml is valid: 1 case type, 1 operator, 10 data views.",
  );
  assert.equal(
    await session.run("svc service diagram desk.yaml"),
    `flowchart LR
  c0start(["Request"])
  subgraph c0n0["Handling"]
    c0n1["Answer the request<br>the creator<br>due after 2 days"]
  end
  c0end0(["Resolved-Completed"])
  c0start --> c0n1
  c0n1 --> c0end0`,
  );

  // A fixed port, because the session also calls the service after it has stopped.
  assert.equal(
    await session.run(`svc service start --app desk.yaml --port ${findFreePort()} --detach`),
    `URL         http://127.0.0.1:NNNNN
API root    /dx-api/v2
Token path  /oauth2/token
Data        TEMP/service
PID         PID
Profiles    default
The service is running. Try next:
  svc case-types list  see what cases you can create
  svc service seed     add sample cases in all states
  svc inbox            see your work
  svc service stop     stop the service`,
  );
  assert.equal(
    await session.run("svc next", { code: 1 }),
    `Error: There is no work for you: your worklist and your queues are empty.

Run 'svc do' to start a new case.`,
  );
  assert.equal(
    await session.run("svc service seed --count 4"),
    `caseType  stage     status              cases
────────  ────────  ──────────────────  ─────
Request   Handling  New                     2
Request   Handling  Resolved-Completed      2
Created 4 cases, 2 tags, 1 follower.`,
  );
  assert.equal(
    await session.run("svc inbox"),
    `case  label    task                status  created  due
────  ───────  ──────────────────  ──────  ───────  ────────────────
R-1   Request  Answer the request  New     N min    YYYY-MM-DD hh:mm
R-2   Request  Answer the request  New     N min    YYYY-MM-DD hh:mm`,
  );
  assert.equal(
    await session.run("svc service status"),
    `Running      Yes
Answers      Yes
Version      ${VERSION}
Application  Service desk
URL          http://127.0.0.1:NNNNN
API root     /dx-api/v2
Token path   /oauth2/token
PID          PID
Started at   YYYY-MM-DD hh:mm
Profiles     default
Data         TEMP/service
Log          TEMP/service/service.log`,
  );
  assert.equal(
    await session.run("svc service stop"),
    `Stopped  Yes
Data     TEMP/service`,
  );
  assert.equal(
    await session.run("svc service stop"),
    `Stopped  No
Data     TEMP/service`,
  );
  assert.equal(
    await session.run("svc inbox", { code: 1 }),
    `Error: GET http://127.0.0.1:NNNNN/dx-api/v2/svc/inbox failed: Connection
refused.

No service is running at this address of your machine. Run 'svc service start
--detach' to start one, or 'svc auth diagnose' to find the step that fails.`,
  );
});
