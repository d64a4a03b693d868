/** `svc do` in a terminal of 80×24: the sample application, screen by screen. */
import assert from "node:assert/strict";
import { KEYS, openTerminal, type Terminal } from "../../harness/terminal.ts";
import { openLive } from "../../harness/service.ts";
import { makeFolder } from "../../harness/svc.ts";

const { enter, down } = KEYS;

type Dialogue = readonly (readonly [expected: string, ...keys: string[]])[];

/** Answers prompts. Each must be the open one. Enter follows the keys. */
async function answer(terminal: Terminal, dialogue: Dialogue): Promise<void> {
  const isOpen = (prompt: string) => new RegExp(`^◆  ${prompt.replaceAll(/[.?()]/g, "\\$&")}$`, "m");
  await terminal.converse(dialogue.map(([prompt, ...keys]) => [isOpen(prompt), ...keys, enter]));
}

/** The first screen of a new permit. */
const REGISTER_SCREEN = `
│
◇  What do you want to work on?
│  Start a new case
│
◇  Which case type?
│  Permit
│
◇  P-1 Permit was created.
│
◇  P-1 Permit
│  Register
│
◇  P-1 Permit: Register the application, Register ─╮
│                                                  │
│  Enter who applies, for what, and where.         │
│  Fee: EUR 50.00                                  │
│                                                  │
├──────────────────────────────────────────────────╯
│
◆  Applicant (required)
│  _
└`.slice(1);

/** The changes of the form before they are submitted. */
const CHANGES_SCREEN = `
│
◇  Phone
│
│
◇  Register ─────────────────────────────────────╮
│                                                │
│  Applicant: (empty) → Ada Lovelace             │
│  E-mail: (empty) → ada@example.org             │
│  Channel: Internet → Desk                      │
│  Address of the work: (empty) → Main Street 1  │
│  Area in m²: (empty) → 10                      │
│  Urgent: No → Yes                              │
│  Documents: added Site plan, 4, EUR 2.00       │
│  Contact: Name: (empty) → Grace                │
│                                                │
├────────────────────────────────────────────────╯
│
◆  Submit 'Register'?
│  ● Submit
│  ○ Change a field
│  ○ Save a draft
│  ○ Cancel
└`.slice(1);

/** The second screen of the review. */
const FLOW_SCREEN = `
│
●  Fee: EUR 177.00 → EUR 402.00
│
◇  Documents
│  #  Title      Pages  Cost of copies
│  1  Site plan      4        EUR 2.00
│
◇  Documents: 1 row
│  Continue
│
◇  Documents ────────────╮
│                        │
│  Area in m²: 10 → 100  │
│                        │
├────────────────────────╯
│
◆  Submit 'Documents'?
│  ● Submit
│  ○ Change a field
│  ○ Go back to 'Applicant'
│  ○ Save a draft
│  ○ Cancel
└`.slice(1);

/** The form of the decision, with read-only fields. */
const DECISION_SCREEN = `
│
◇  P-1 Permit for Ada Lovelace
│  Decide
│
◇  P-1 Permit for Ada Lovelace: Decide ─╮
│                                       │
│  Applicant: Ada Lovelace              │
│  Fee: EUR 401.00                      │
│  Advice: The plan is missing.         │
│                                       │
├───────────────────────────────────────╯
│
◆  Decision (required)
│
│  Search: _
│  ● Grant
│  ○ Refuse
│  ↑/↓ to select • Enter: confirm • Type: to search
└`.slice(1);

/** Waits until the terminal shows a screen, and nothing else. */
async function see(terminal: Terminal, screen: string): Promise<void> {
  assert.equal(await terminal.waitFor(screen), screen);
}

const REGISTER: Dialogue = [
  ["Applicant (required)", "Ada Lovelace"],
  ["E-mail", "ada@example.org"],
  ["Channel", "dsk"],
  ["Address of the work", "Main Street 1"],
  ["Area in m²", "10"],
  ["Urgent", KEYS.left],
  ["Documents: 0 rows", down],
  ["Documents 1: Title (required)", "Site plan"],
  ["Documents 1: Pages", KEYS.ctrlU, "4"],
  ["Documents: 1 row"],
  ["Name", "Grace"],
  ["Phone"],
];

Deno.test("'svc do' takes an application from its creation to its resolution, screen by screen", async () => {
  await using live = await openLive();
  await using clerk = openTerminal(["do"], { env: await live.environment() });
  await answer(clerk, [["What do you want to work on?", "new"], ["Which case type?", "permit"]]);
  await clerk.waitFor("P-1 Permit was created.");
  await answer(clerk, [["P-1 Permit"]]);
  await see(clerk, REGISTER_SCREEN);
  await answer(clerk, REGISTER);
  await see(clerk, CHANGES_SCREEN);
  await answer(clerk, [["Submit 'Register'?"]]);

  // The clerk starts a visit of the site, which is optional.
  await answer(clerk, [["P-1 Permit for Ada Lovelace (Pending-Review). Next?", down], ["Which action?", "visit"]]);
  await clerk.waitFor("Site visit was started.");

  // The review is a flow of three screens, which the clerk may take from its queue. It goes back once.
  await answer(clerk, [["P-1 Permit for Ada Lovelace (Pending-Review). Next?"]]);
  await clerk.waitFor("(screen 1 of 3)");
  await answer(clerk, [["Applicant"], ["E-mail"], ["Address of the work (required)"], ["Submit 'Applicant'?"]]);
  await clerk.waitFor("(screen 2 of 3)");
  await answer(clerk, [["Area in m²", "0"], ["Documents: 1 row"]]);
  await see(clerk, FLOW_SCREEN);
  await answer(clerk, [["Submit 'Documents'?", down, down]]);
  await clerk.waitFor("(screen 1 of 3)");
  await answer(clerk, [["Applicant"], ["E-mail"], ["Address of the work (required)"], ["Submit 'Applicant'?"]]);
  await answer(clerk, [["Area in m²"], ["Documents: 1 row"], ["Submit 'Documents'?"]]);
  await clerk.waitFor("(screen 3 of 3)");
  await answer(clerk, [["The application is complete"], ["Advice (required)", "The plan is missing."]]);
  await answer(clerk, [["Submit 'Advice'?"]]);

  // The review found it incomplete, so the clerk completes it.
  await answer(clerk, [["P-1 Permit for Ada Lovelace (Pending-Applicant). Next?"]]);
  await answer(clerk, [["Applicant (required)"], ["E-mail"], ["Channel"], ["Address of the work"], ["Area in m²"]]);
  await answer(clerk, [["Urgent"], ["Documents: 1 row", down, down], ["Site plan, 4, EUR 2.00", down]]);
  await answer(clerk, [["Documents: 0 rows", down], ["Documents 1: Title (required)", "Drawing"]]);
  await answer(clerk, [["Documents 1: Pages", KEYS.ctrlU, "2"], ["Documents: 1 row"], ["Name"], ["Phone"]]);
  await clerk.waitFor("Documents: removed Site plan");
  await answer(clerk, [["Submit 'Complete the application'?"]]);

  await answer(clerk, [["P-1 Permit for Ada Lovelace (Pending-Applicant). Next?"]]);
  await answer(clerk, [["Applicant"], ["E-mail"], ["Address of the work (required)"], ["Submit 'Applicant'?"]]);
  await answer(clerk, [["Area in m²"], ["Documents: 1 row"], ["Submit 'Documents'?"]]);
  await answer(clerk, [["The application is complete", KEYS.left], ["Advice (required)"], ["Submit 'Advice'?"]]);
  assert.equal(await clerk.exit(), 0);
  assert.match(clerk.screen(), /│ {2}Open: Visit the site \(Site visits\)\n│ {2}Open: Decide \(Decisions\)$/);

  await using inspector = openTerminal(["do"], { env: await live.environment("inspector@city") });
  await answer(inspector, [["What do you want to work on?", "visit"], ["Inspector (required)", "Ines"]]);
  await answer(inspector, [["Date of the visit (required)", "2026-02-30"]]);
  await inspector.waitFor("Enter a date, e.g. 2026-01-31.");
  inspector.type(KEYS.backspace, KEYS.backspace, "28", enter);
  await answer(inspector, [["Findings of the visit", "As drawn"], ["Submit 'Visit the site'?"]]);
  assert.equal(await inspector.exit(), 0);
  assert.match(
    inspector.screen(),
    /P-1 Permit for Ada Lovelace is Pending-Decision\.\n│ {2}Open: Decide \(Decisions\)$/,
  );

  await using decider = openTerminal(["do", "p-1"], { env: await live.environment("decider@city") });
  await answer(decider, [["P-1 Permit for Ada Lovelace"]]);
  await see(decider, DECISION_SCREEN);
  await answer(decider, [["Decision (required)", "gra"], ["Reason", "Complete"], ["Submit 'Decide'?"]]);
  assert.equal(await decider.exit(), 0);
  assert.match(decider.screen(), /P-1 Permit for Ada Lovelace is done: Resolved-Completed\.\n*$/);
});

Deno.test("'svc do' sends an application back, and withdraws one", async () => {
  await using live = await openLive();
  const caseId = await live.createPermit();
  const number = caseId.split(" ").at(-1) ?? "";
  await live.json(`cases stage-go '${caseId}' --stage Decision`);
  await using decider = openTerminal(["do", number, "--set", "Reason=No plan"], {
    env: await live.environment("decider@city"),
  });
  await answer(decider, [[`${number} Permit for Ada`, down], ["Reason (required)"]]);
  await decider.waitFor("Reason: (empty) → No plan");
  await answer(decider, [["Submit 'Send back to the review'?"]]);
  assert.equal(await decider.exit(), 0);
  assert.match(decider.screen(), /is Pending-Review\.\n│ {2}Open: Check the application \(Review of applications\)$/);

  await using clerk = openTerminal(["do", number, "--action", "Withdraw"], { env: await live.environment() });
  await answer(clerk, [["Reason (required)", KEYS.ctrlU, "Not needed"], ["Submit 'Withdraw the application'?"]]);
  await answer(clerk, [[`${number} Permit for Ada (Pending-Review). Next?`], ["Reason"]]);
  await answer(clerk, [["Submit 'Confirm the withdrawal'?"]]);
  assert.equal(await clerk.exit(), 0);
  assert.match(clerk.screen(), /is done: Resolved-Withdrawn\.\n*$/);
});

Deno.test("'svc do' ends cases without their usual steps", async () => {
  await using live = await openLive();
  const end = async (type: string, number: string, ...dialogues: Dialogue[]) => {
    await using clerk = openTerminal(["do"], { env: await live.environment() });
    await answer(clerk, [["What do you want to work on?", "new"], ["Which case type?", type]]);
    for (const dialogue of dialogues) await answer(clerk, dialogue);
    assert.equal(await clerk.exit(), 0);
    return clerk.screen().split(`${number} `).at(-1);
  };
  const withdrawn = await end("permit", "P-1", [["P-1 Permit", down], ["Reason", "Moved"], ["Submit 'Withdraw'?"]]);
  assert.equal(withdrawn, "Permit is done: Resolved-Withdrawn.");
  const late = await end("obj", "O-1", [["O-1 Objection", down], ["Reason", "Late"], ["Submit 'Refuse as late'?"]]);
  assert.equal(late, "Objection is done: Resolved-Rejected.");
  const objection = await end("obj", "O-2", [["O-2 Objection", down, down], ["Which action?", "withdraw"]], [
    ["Reason (required)", "Settled"],
    ["Submit 'Withdraw the objection'?"],
    ["O-2 Objection (New). Next?"],
  ], [["Reason"], ["Submit 'Confirm the withdrawal'?"]]);
  assert.equal(objection, "Objection is done: Resolved-Withdrawn.");
});

Deno.test("'svc do' offers many actions by typing", async () => {
  await using live = await openLive();
  await using clerk = openTerminal(["do"], { env: await live.environment() });
  const activity = (performer: string): Dialogue => [
    ["Performed by (required)", KEYS.ctrlU, performer],
    ["Group of the performer"],
    ["Performed at (required)", KEYS.ctrlU, "2026-01-05 09:00"],
  ];
  await answer(clerk, [
    ["What do you want to work on?", "new"],
    ["Which case type?", "rec"],
    ...activity("Resource 1"),
  ]);
  await answer(clerk, [["This activity ends the receiving phase"], ["Submit 'Confirmation of receipt'?"]]);
  await answer(clerk, [["R-1 Receipt of a request (Open). Next?", "t10"], ...activity("Resource 2")]);
  await answer(clerk, [["This activity ends the receiving phase", KEYS.left]]);
  await answer(clerk, [["Submit 'T10 Determine necessity to stop indication'?"]]);
  assert.equal(await clerk.exit(), 0);
  assert.match(clerk.screen(), /R-1 Receipt of a request is done: Resolved-Completed\.$/);
  const path = "data.caseInfo.content.PerformedAt";
  const { [path]: time } = await live.object(`cases get R-1 --fields ${path}`);
  assert.equal(time, new Date("2026-01-05T09:00").toISOString());
});

Deno.test("'svc do' files an objection, hears it and rules on it", async () => {
  await using live = await openLive();
  await using folder = await makeFolder({ "letter.txt": "No", "report.txt": "Heard" });
  const open = async (args: string[], operator?: string) =>
    openTerminal(args, { env: await live.environment(operator), cwd: folder.path });

  await using clerk = await open(["do"]);
  await answer(clerk, [["What do you want to work on?", "new"], ["Which case type?", "obj"], ["O-1 Objection"]]);
  await answer(clerk, [["Name of the objector (required)", "Bo"], ["E-mail"], ["Number of the permit", "P-1"]]);
  await answer(clerk, [["Grounds (required)", "Too high"], ["Letter of objection (path of a file)", "letter.txt"]]);
  await clerk.waitFor("Letter of objection: (empty) → letter.txt");
  await answer(clerk, [["Submit 'File'?"]]);
  assert.equal(await clerk.exit(), 0);

  await using mediator = await open(["do"], "mediator@city");
  await answer(mediator, [["What do you want to work on?", "bo"], ["Date of the hearing (required)", "2026-03-01"]]);
  await answer(mediator, [["Submit 'Plan the hearing'?"], ["O-1 Objection of Bo (Pending-Hearing). Next?"]]);
  await answer(mediator, [["Report of the hearing (path of a file, required)", "report.txt"]]);
  await answer(mediator, [["Submit 'Report on the hearing'?"]]);
  assert.equal(await mediator.exit(), 0);

  await using lawyer = await open(["do", "o-1"], "lawyer@city");
  await answer(lawyer, [["O-1 Objection of Bo"], ["Ruling (required)", "up"], ["Reason", "Right"]]);
  await answer(lawyer, [["Submit 'Rule on the objection'?"]]);
  assert.equal(await lawyer.exit(), 0);
  assert.match(lawyer.screen(), /O-1 Objection of Bo is done: Resolved-Upheld\.$/);
});

Deno.test("a cancelled form says that it was not submitted if the case was created before", async () => {
  await using live = await openLive();
  await using clerk = openTerminal(["do"], { env: await live.environment() });
  await answer(clerk, [["What do you want to work on?", "new"], ["Which case type?", "rec"]]);
  await clerk.converse([["◆  Performed by (required)", KEYS.ctrlC]]);
  assert.equal(await clerk.exit(), 130);
  assert.match(clerk.screen(), /Cancelled\. The current form was not submitted\./);
});
