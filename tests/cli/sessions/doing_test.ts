/** Doing: a reviewer takes a case, reads it, fills in its form, attaches a file, writes a note, and moves it on. */
import assert from "node:assert/strict";
import { openLiveForAll } from "../../harness/service.ts";
import { summarizePermit } from "../../harness/screens.ts";
import { valueAt } from "../../harness/service_engine.ts";
import { KEYS } from "../../harness/terminal.ts";
import { ON_UNIX, Session } from "./_session.ts";

const live = await openLiveForAll();

Deno.test(
  "four commands take, read, fill in, attach, note and perform a case, without an ID or JSON",
  ON_UNIX,
  async () => {
    await live.createPermit({ Applicant: "Ada", Address: "Quay 1" });
    await live.json("assignments perform P-1 --action Register --set Area=40");

    const env = await live.environment("reviewer@city");
    await using session = await Session.open({ env, files: { "plan.pdf": "%PDF-1.4 A plan" } });

    assert.equal(
      await session.run("svc next"),
      `${summarizePermit("Intake ✓ ─ Review ● ─ Decision", "Pending-Review")}\
  Check the application  Assigned to Rosa Reviewer (reviewer@city), urgency 20
  To work on it, run     svc do P-1

Fields
  Applicant            Ada
  Channel              Internet
  Address of the work  Quay 1
  Area in m²           40
  Urgent               No

Recent history (for all, run: svc history P-1)
  YYYY-MM-DD hh:mm  clerk@city  Performed Register
  YYYY-MM-DD hh:mm  clerk@city  Entered the stage Review

For all fields and actions, run: svc cases get P-1 --format view`,
    );
    assert.equal(
      await session.run("svc attachments add - --file plan.pdf"),
      "The last case is CITY-PERMIT-WORK P-1.\nAttached plan.pdf.",
    );
    assert.equal(await session.run("svc note - 'The plan came by post.'"), "The note is in the feed of P-1.");
    const done = await session.converse("svc do -", [
      ["P-1 Permit for Ada"],
      ["Applicant"],
      ["E-mail", "ada@example.org"],
      ["Address of the work (required)"],
      ["Submit 'Applicant'?"],
      ["Area in m²", "0"],
      ["Documents: 0 rows"],
      ["Submit 'Documents'?"],
      ["The application is complete", KEYS.left],
      ["Advice (required)", "Grant it."],
      ["Submit 'Advice'?"],
    ]);
    assert.equal(
      done,
      `│
◇  P-1 Permit for Ada
│  Check the application
│
◇  P-1 Permit for Ada: Check the application, Applicant (screen 1 of 3)
│
◇  Applicant
│  Ada
│
◇  E-mail
│  ada@example.org
│
◇  Address of the work (required)
│  Quay 1
│
◇  Applicant ─────────────────────────╮
│                                     │
│  E-mail: (empty) → ada@example.org  │
│                                     │
├─────────────────────────────────────╯
│
◇  Submit 'Applicant'?
│  Submit
│
◇  P-1 Permit for Ada: Check the application, Documents (screen 2 of 3) ─╮
│                                                                        │
│  Fee: EUR 150.00                                                       │
│                                                                        │
├────────────────────────────────────────────────────────────────────────╯
│
◇  Area in m²
│  400
│
●  Fee: EUR 150.00 → EUR 1,050.00
│
◇  Documents: 0 rows
│  Continue
│
◇  Documents ────────────╮
│                        │
│  Area in m²: 40 → 400  │
│                        │
├────────────────────────╯
│
◇  Submit 'Documents'?
│  Submit
│
◇  P-1 Permit for Ada: Check the application, Advice (screen 3 of 3)
│
◇  The application is complete
│  Yes
│
◇  Advice (required)
│  Grant it.
│
◇  Advice ────────────────────────────────╮
│                                         │
│  The application is complete: No → Yes  │
│  Advice: (empty) → Grant it.            │
│                                         │
├─────────────────────────────────────────╯
│
◇  Submit 'Advice'?
│  Submit
│
◇  P-1 Permit for Ada is Pending-Decision.
│  Open: Decide (Decisions)`,
    );

    const permit = await live.json("cases get P-1");
    assert.equal(valueAt(permit, "status"), "Pending-Decision");
    assert.equal(valueAt(permit, "data.caseInfo.content.Email"), "ada@example.org");
    assert.equal(valueAt(await live.json("attachments list P-1"), "attachments.0.fileName"), "plan.pdf");
    const feed = await live.json("social list-messages --filter-by messages --filter-for -");
    assert.equal(valueAt(feed, "messages.0.message"), "The plan came by post.");
    assert.equal(valueAt(feed, "messages.0.postedByUser.ID"), "reviewer@city");
  },
);

Deno.test(
  "a note says in which feed it is and whom it mentions, and the case becomes the last one",
  ON_UNIX,
  async () => {
    const caseId = await live.createPermit({ Applicant: "Bo" });
    const number = caseId.split(" ").at(-1);
    await using session = await Session.open({ env: await live.environment() });
    const posted = await session.run(`svc note ${number} 'Please check the address, @reviewer@city'`);
    assert.equal(posted, `The note is in the feed of ${number}. It mentions Rosa Reviewer.`);
    assert.match(await session.run("svc show - --fields status"), /^Status {2}New$/);
    assert.match(await session.run("svc note - Hello --fields message"), /^Message {2}Hello$/);
  },
);
