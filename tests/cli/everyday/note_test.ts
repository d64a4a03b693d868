/** `svc note`: a message in the feed of a case. */
import assert from "node:assert/strict";
import { openLiveForAll } from "../../harness/service.ts";
import { filterObjects, type JsonObject } from "../../../utils/json.ts";
import { clientEnvironment } from "../../harness/fake_service.ts";
import { CASE, startPublishedService } from "../../harness/published_service.ts";
import { maskTimes } from "../../harness/screens.ts";
import { svc } from "../../harness/svc.ts";
import { textAt } from "../../harness/service_engine.ts";

const live = await openLiveForAll();

Deno.test("a note appears in the feed of the case", async () => {
  const caseId = await live.createPermit();
  const number = caseId.split(" ").at(-1);
  assert.equal(textAt(await live.object(`note ${number} 'Plan received'`), "message"), "Plan received");
  await live.object("note - 'Address checked'");
  const { code, stdout } = await live.run(`social list-messages --filter-by messages --filter-for '${caseId}'`);
  assert.equal(code, 0);
  for (const text of ["Plan received", "Address checked"]) assert.ok(stdout.includes(text), stdout);
});

Deno.test("a note without text, and one for an unknown case, are errors", async () => {
  assert.equal((await live.refused("note P-1")).message, "The argument <text> is missing.");
  assert.equal(
    (await live.refused("note P-99999 text")).message,
    "Case P-99999 was not found, or you have no access to it.",
  );
});

Deno.test("notes are shown as a conversation, oldest first, with replies and the names of people", async () => {
  const caseId = await live.createPermit();
  await live.object("note - 'Please check, @reviewer@city'");
  const listed = await live.object("notes -");
  const first = String(filterObjects(listed.messages)[0]?.id);
  const number = first.split(" ").at(-1);
  await live.object(`note - 'Checked' --reply-to ${number}`, "clerk@city");
  await live.object("note - 'Thank you'");
  const time = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d";
  const { stdout } = await live.run("notes - --format view");
  assert.match(
    stdout,
    new RegExp(
      `^${time}  Clara Clerk  ${number}\n  Please check, @Rosa Reviewer\n\n` +
        `  ${time}  Clara Clerk  M-\\d+\n    Checked\n\n${time}  Clara Clerk  M-\\d+\n  Thank you\n$`,
    ),
  );
  const shown = await live.run("show - --format view");
  const summary = `Notes (for all, run: svc notes ${caseId.split(" ").at(-1)})`;
  assert.ok(shown.stdout.includes(summary), shown.stdout);
  assert.match(shown.stdout, new RegExp(`${time}  Clara Clerk  Please check, @Rosa Reviewer \\(1 reply\\)\n`));
});

Deno.test("notes name their attachments, and those of replies", async () => {
  const message = (id: string, text: string, names: string[], replies: JsonObject[] = []): JsonObject => ({
    id: `PXMESSAGE ${id}`,
    message: text,
    postedTime: "2026-01-02T03:04:05.000Z",
    postedByUser: { ID: "rep@acme.example", name: "Rita Rep" },
    attachments: names.map((fileName, i) => ({ ID: `LINK-ATTACHMENT ${CASE}!${i}`, category: "File", fileName })),
    replies,
  });
  const messages = [
    message("M-1", "See the plans", ["plan.pdf", "site.png"], [message("M-2", "Signed", ["sign.pdf"])]),
  ];
  await using service = startPublishedService({ "GET /messages": { messages, hasMoreResults: false } });
  const { stdout, stderr } = await svc(["notes", CASE, "--format", "view"], { env: clientEnvironment(service) });
  const head = (number: string) => `YYYY-MM-DD hh:mm  Rita Rep  ${number}`;
  assert.equal(
    maskTimes(stdout),
    `${head("M-1")}
  See the plans
  Files: plan.pdf, site.png

  ${head("M-2")}
    Signed
    Files: sign.pdf
`,
    stderr,
  );
});

Deno.test("notes are shown page by page", async () => {
  await live.createPermit();
  const none = await live.run("notes - --format view");
  assert.match(none.stderr, /^P-\d+ has no notes\.\n$/);
  for (const text of ["One", "Two"]) await live.object(`note - ${text}`);
  const { stdout, stderr } = await live.run("notes - --page-size 1 --format view");
  assert.match(stdout, /\n {2}Two\n$/);
  const [, time] = /^For older notes, add --older-than (\S+)\n$/.exec(stderr) ?? [];
  const older = await live.run(`notes - --page-size 1 --older-than ${time} --format view`);
  assert.match(older.stdout, /\n {2}One\n$/);
  assert.equal(older.stderr, "");
});

Deno.test("a feed and a list of messages are readable as a page and as a table", async () => {
  const caseId = await live.createPermit();
  await live.object("note - 'Plan received'");
  const [message] = filterObjects((await live.object("notes -")).messages);
  await live.object(`note - 'Where?' --reply-to '${message?.id}'`);
  const feed = `social get-feed pyCaseFeed --filter-for '${caseId}'`;
  const list = `social list-messages --filter-by messages --filter-for '${caseId}'`;
  for (const line of [feed, list]) {
    const page = await live.run(`${line} --format view`);
    assert.match(page.stdout, / {2}Clara Clerk {2}M-\d+\n {2}Plan received\n\n {2}\S+ \S+ {2}Clara Clerk/, line);
    const table = await live.run(`${line} --format table`);
    const [titles, first, second] = table.stdout.split("\n");
    assert.match(String(titles), line === feed ? /^postedTime +postedByUser +pyMessage/ : /^postedTime.* message/);
    assert.match(String(first), /Clara Clerk +Plan received +M-\d+/);
    assert.match(String(second), /Clara Clerk +↳ Where\? +M-\d+/);
  }
  assert.match((await live.run(`${feed} --format view`)).stdout, /\n {2}Created the case P-\d+\n$/);
});

Deno.test("the inbox shows the last messages that mention the caller", async () => {
  const caseId = await live.createPermit();
  await live.object(`note '${caseId}' 'Can you help, @reviewer@city?'`);
  const number = caseId.split(" ").at(-1);
  const { stdout } = await live.run("inbox --format view", "reviewer@city");
  assert.match(stdout, new RegExp(`\nYou were mentioned\n(?:.+\n)*  \\S+ \\S+  ${number}  Clara Clerk  Can you help`));
  const json = await live.object("inbox", "reviewer@city");
  assert.deepEqual(Object.keys(json), ["assignments", "hasMoreResults"]);
});

Deno.test("a reply to a note that the case does not have names the command that lists them", async () => {
  const { message, hint } = await live.refused(`note '${await live.createPermit()}' text --reply-to M-99999`);
  assert.match(String(message), /^P-\d+ has no note M-99999\.$/);
  assert.match(String(hint), /^Run 'svc notes P-\d+' to list its notes\.$/);
});
