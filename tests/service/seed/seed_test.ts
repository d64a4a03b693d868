/** Sample data: cases in all states, made by operators through the API. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createClient } from "../../../mod.ts";
import { parseApplication } from "../../../service/application/load.ts";
import { seedApplication, type SeedReport } from "../../../service/seed/seed_application.ts";
import { loadServedApplication } from "../../../service/sample/served_application.ts";
import { openService, ServiceHome, START_ARGUMENTS, type TestService } from "../../harness/service.ts";
import { runCommand } from "../../harness/svc.ts";

/** All types of fields, child cases, a manual transition, rights, and an attachment that a form requires. */
const LOANS = `
application: { id: Loans, name: Loans, organisation: Bank }
operators:
  ada@bank: { name: Ada, queues: [Desk] }
  bob@bank: { name: Bob, queues: [Desk, Risk] }
  audit@bank: { name: Audit }
queues: { Desk: { name: Desk }, Risk: { name: Risk } }
caseTypes:
  Bank-Loans-Work-Loan:
    name: Loan
    prefix: L
    workPool: BANK-LOANS-WORK
    rights: { work: "operator.ID != 'audit@bank'" }
    attachmentCategories: { Papers: { name: Paper, create: "'Desk' in operator.queues" }, Sites: { type: URL } }
    fields:
      Customer: { type: Text, maxLength: 12 }
      Birth: { type: Date, label: Date of birth }
      Mail: { type: Email }
      Phone: { type: Phone }
      Site: { type: Url }
      Purpose: { type: TextArea, maxLength: 30 }
      Years: { type: Integer, min: 1, max: 5 }
      Sum: { type: Currency, min: 1000, max: 9000 }
      Rate: { type: Decimal, min: 0.5, max: 0.9 }
      Paid: { type: Boolean }
      At: { type: DateTime }
      Kind: { type: Dropdown, values: [House, Car] }
      Income: { type: Attachment, category: Papers, extensions: [jpg, txt] }
      Guarantor: { type: Page, fields: { Name: { type: Text, required: true } } }
      Assets: { type: List, fields: { Title: { type: Text, required: true }, Worth: { type: Currency, min: 0 } } }
      Rooms: { type: PageGroup, fields: { Width: { type: Integer, min: 1 } } }
      Branch: { type: Text }
      Outcome: { type: Dropdown, values: [Accept, Decline] }
    stages:
      PRIM0:
        name: Request
        transition: create
        processes:
          Ask:
            steps:
              Ask:
                fields: [Customer, Birth, Mail, Phone, Site, Purpose, Years, Sum, Rate, Paid, At, Kind, Branch]
      PRIM1:
        name: Papers
        status: Pending-Papers
        transition: manual
        processes:
          Collect:
            steps:
              Collect:
                route: { queue: Desk }
                fields: [{ field: Income, required: true }, { field: Assets, required: true }, Guarantor, Rooms]
              Check: { type: child, caseType: Bank-Loans-Work-Check, wait: true, content: { Customer: Customer } }
      PRIM2:
        name: Outcome
        status: Pending-Outcome
        transition: resolution
        processes:
          Decide:
            steps:
              Decide:
                route: { queue: Risk }
                fields: [{ field: Outcome, required: true }]
                next: [{ when: "Outcome == 'Decline'", resolve: Resolved-Declined }]
      ALT1:
        name: Objection
        type: Alternate
        transition: resolution
        resolve: Resolved-Withdrawn
        processes: { Object: { steps: { Object: { fields: [Purpose] } } } }
  Bank-Loans-Work-Check:
    name: Check
    prefix: C
    workPool: BANK-LOANS-WORK
    creatable: false
    fields: { Customer: { type: Text }, Good: { type: Boolean } }
    stages:
      PRIM0:
        name: Check
        transition: resolution
        processes: { Check: { steps: { Check: { route: { queue: Risk }, fields: [Good] } } } }
dataTypes:
  Bank-Loans-Data-Branch:
    name: Branch
    key: [Code]
    savable: D_Branches
    fields: { Code: { type: Text, required: true }, Title: { type: Text, required: true } }
dataViews:
  D_Loans: { name: Loans, source: cases, caseTypes: [Bank-Loans-Work-Loan] }
  D_Branches: { name: Branches, source: records, class: Bank-Loans-Data-Branch }
`;

/** A case type that cannot be created, and a queue without operators. */
const TRAPS = `
application: { id: Traps, name: Traps, organisation: Org }
operators: { ada@org: { name: Ada } }
queues: { Empty: { name: Empty } }
caseTypes:
  Org-Traps-Work-Order:
    name: Order
    prefix: O
    workPool: ORG-TRAPS-WORK
    fields: {}
    stages:
      PRIM0: { name: Order, processes: { Ship: { steps: { Ship: { route: { queue: Empty } } } } } }
  Org-Traps-Work-Loop:
    name: Loop
    prefix: L
    workPool: ORG-TRAPS-WORK
    fields: {}
    stages:
      PRIM0: { name: Loop, processes: { Loop: { steps: { Again: { type: automatic, next: [{ step: Again }] } } } } }
`;

async function seed(service: TestService, yaml: string | undefined, count: number): Promise<SeedReport> {
  const app = yaml === undefined ? await loadServedApplication(undefined) : parseApplication(yaml, "loans.yaml");
  const { url } = service.service;
  const openClient = async (operator: string) => {
    return createClient({ baseUrl: url, ...await service.service.addClient(operator), noCache: true });
  };
  return await seedApplication({ app, openClient, seed: 4, count });
}

function listStates({ states }: SeedReport): string[] {
  return states.map(({ caseType, stage, status }) => `${caseType}, ${stage}: ${status}`);
}

Deno.test("sample data fits any definition and reaches every stage and every status", async () => {
  await using service = await openService({ yaml: LOANS });
  const report = await seed(service, LOANS, 60);
  assert.deepEqual(report.refusals, []);
  // A case that is moved to the stage for objections keeps its status until it is resolved.
  const states = listStates(report).filter((state) => !/^Loan, Objection: (New|Pending)/.test(state));
  assert.deepEqual(states, [
    "Loan, Request: New",
    "Loan, Papers: Pending-Papers",
    "Loan, Outcome: Pending-Outcome",
    "Loan, Outcome: Resolved-Completed",
    "Loan, Outcome: Resolved-Declined",
    "Loan, Objection: Resolved-Withdrawn",
    "Check, Check: New",
    "Check, Check: Resolved-Completed",
  ]);
  const loans = await service.rows("D_Loans", {});
  assert.equal(loans.length, 60);
  assert.deepEqual(new Set(loans.map(({ pxCreateOperator }) => pxCreateOperator)), new Set(["ada@bank", "bob@bank"]));
  const branches = (await service.rows("D_Branches", {})).map(({ Title }) => Title);
  assert.equal(branches.length, 8);
  assert.ok(loans.every(({ Branch }) => !Branch || branches.includes(Branch)));
});

Deno.test("calls that the service refuses are reported by kind, and the other work continues", async () => {
  await using service = await openService({ yaml: TRAPS });
  const { cases, states, refusals } = await seed(service, TRAPS, 20);
  assert.equal(cases, 10);
  assert.deepEqual(states, [{ caseType: "Order", stage: "Order", status: "New", cases: 10 }]);
  assert.deepEqual(refusals.map(({ work, message }) => `${work}: ${message}`).sort(), [
    "Loop: Create: The application definition moves this case endlessly",
    "Order: Ship: No operator may do this.",
  ]);
});

Deno.test("the same seed creates the same data", async () => {
  const read = async () => {
    await using service = await openService();
    const { states, notes, tags, followers, participants, attachments } = await seed(service, undefined, 12);
    const permits = await service.rows("D_Permits", {});
    const names = permits.map(({ pyID, pyLabel, pyStatusWork }) => [pyID, pyLabel, pyStatusWork]);
    return { states, notes, tags, followers, participants, attachments, names };
  };
  const first = await read();
  assert.deepEqual(await read(), first);
  assert.ok(first.participants > 0 && first.attachments > 0);
});

Deno.test("svc service seed fills a running service and leaves no client behind", async () => {
  await using home = await ServiceHome.open();
  const stopped = await home.svc("service", "seed");
  assert.deepEqual([stopped.code, stopped.error.code], [1, "CONFLICT"]);
  assert.match(String(stopped.error.hint), /^Start it with 'svc service start --detach/);
  await home.svc(...START_ARGUMENTS);
  const { code, out } = await home.svc("service", "seed", "--count", "6");
  assert.deepEqual([code, out.cases, out.records], [0, 6, 0]);
  const again = await home.svc("service", "seed", "--count", "2", "--profile", "default");
  assert.deepEqual([again.code, again.out.cases, again.out.records], [0, 2, 0]);
  using db = new DatabaseSync(`${home.directory}/service/service.db`, { readOnly: true });
  assert.equal(db.prepare("SELECT count(*) AS clients FROM clients").get()?.clients, 1, "that of the profile");
  const history = await home.svc("history", "P-1", "--fields", "history");
  assert.ok(Array.isArray(history.out.history) && history.out.history.length > 0);
});

Deno.test("svc service seed refuses a service that is not local, and bad numbers", async () => {
  await using home = await ServiceHome.open();
  await Deno.writeTextFile(
    `${home.directory}/config.json`,
    JSON.stringify({ profiles: { away: { baseUrl: "https://city.example", clientId: "c", clientSecret: "s" } } }),
    { mode: 0o600 },
  );
  const away = await home.svc("service", "seed", "--profile", "away");
  assert.equal(
    away.error.message,
    "The profile away belongs to https://city.example, which is not a local service.",
  );
  assert.match(
    (await runCommand(home.command(["service", "seed", "--count", "0"]))).stderr,
    /--count must be from 1 to/,
  );
});
