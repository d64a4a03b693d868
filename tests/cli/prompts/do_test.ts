/** `svc do` in a terminal of 80×24: the sample application, screen by screen. */
import assert from "node:assert/strict";
import { KEYS, openTerminal, type Terminal } from "../../harness/terminal.ts";
import { openLiveForAll } from "../../harness/service.ts";

const live = await openLiveForAll();
const { enter, down } = KEYS;

type Dialogue = readonly (readonly [expected: string, ...keys: string[]])[];

/** Answers prompts. Each must be the open one. Enter follows the keys. */
async function answer(terminal: Terminal, dialogue: Dialogue): Promise<void> {
  const isOpen = (prompt: string) => new RegExp(`^◆  ${prompt.replaceAll(/[.?()]/g, "\\$&")}$`, "m");
  await terminal.converse(dialogue.map(([prompt, ...keys]) => [isOpen(prompt), ...keys, enter]));
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
  ["Documents 1: Pages", "4"],
  ["Documents: 1 row"],
  ["Contact: Name", "Grace"],
  ["Contact: Phone"],
  ["Submit 'Register'?"],
];

Deno.test("'svc do' takes an application from its creation to its resolution, screen by screen", async () => {
  await using clerk = openTerminal(["do"], { env: await live.environment() });
  await answer(clerk, [["What do you want to work on?", "new"], ["Which case type?", "permit"]]);
  await clerk.waitFor("P-1 Permit was created.");
  await answer(clerk, [["P-1 Permit"], ...REGISTER.slice(0, 4), ["Area in m²", "10"]]);
  await clerk.waitFor("Fee: 50 → 75");
  await answer(clerk, REGISTER.slice(5));

  // The review is a flow of three screens, which the clerk may take from its queue. It goes back once.
  await answer(clerk, [["P-1 Permit for Ada Lovelace (Pending-Review). Next?"]]);
  await clerk.waitFor("(screen 1 of 3)");
  await answer(clerk, [["Applicant"], ["E-mail"], ["Address of the work (required)"], ["Submit 'Applicant'?"]]);
  await clerk.waitFor("(screen 2 of 3)");
  await answer(clerk, [["Area in m²", "0"], ["Documents: 1 row"], ["Submit 'Documents'?", down, down]]);
  await clerk.waitFor("(screen 1 of 3)");
  await answer(clerk, [["Applicant"], ["E-mail"], ["Address of the work (required)"], ["Submit 'Applicant'?"]]);
  await answer(clerk, [["Area in m²"], ["Documents: 1 row"], ["Submit 'Documents'?"]]);
  await clerk.waitFor("(screen 3 of 3)");
  await answer(clerk, [["The application is complete"], ["Advice (required)", "The plan is missing."]]);
  await answer(clerk, [["Submit 'Advice'?"]]);

  // The review found it incomplete, so the clerk completes it.
  await answer(clerk, [["P-1 Permit for Ada Lovelace (Pending-Applicant). Next?"]]);
  await answer(clerk, [["Applicant (required)"], ["E-mail"], ["Channel"], ["Address of the work"], ["Area in m²"]]);
  await answer(clerk, [["Urgent"], ["Documents: 1 row", down, down], ["Site plan, 4, 2", down]]);
  await answer(clerk, [["Documents: 0 rows", down], ["Documents 1: Title (required)", "Drawing"]]);
  await answer(clerk, [["Documents 1: Pages", "2"], ["Documents: 1 row"], ["Contact: Name"], ["Contact: Phone"]]);
  await clerk.waitFor("Documents: removed Site plan");
  await answer(clerk, [["Submit 'Complete the application'?"]]);

  await answer(clerk, [["P-1 Permit for Ada Lovelace (Pending-Applicant). Next?"]]);
  await answer(clerk, [["Applicant"], ["E-mail"], ["Address of the work (required)"], ["Submit 'Applicant'?"]]);
  await answer(clerk, [["Area in m²"], ["Documents: 1 row"], ["Submit 'Documents'?"]]);
  await answer(clerk, [["The application is complete", KEYS.left], ["Advice (required)"], ["Submit 'Advice'?"]]);
  assert.equal(await clerk.exit(), 0);
  assert.match(clerk.screen(), /P-1 Permit for Ada Lovelace is Pending-Decision. Open: Decide \(Decisions\)\.\n*$/);

  await using decider = openTerminal(["do", "p-1"], { env: await live.environment("decider@city") });
  await answer(decider, [["P-1 Permit for Ada Lovelace"]]);
  const form = await decider.waitFor("◆  Decision (required)");
  assert.match(form, /Applicant: Ada Lovelace/);
  await answer(decider, [["Decision (required)", "gra"], ["Reason", "Complete"], ["Submit 'Decide'?"]]);
  assert.equal(await decider.exit(), 0);
  assert.match(decider.screen(), /P-1 Permit for Ada Lovelace is done: Resolved-Completed\.\n*$/);
});
