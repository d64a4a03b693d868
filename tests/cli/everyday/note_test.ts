/** `svc note`: a message in the feed of a case. */
import assert from "node:assert/strict";
import { openLiveForAll } from "../../harness/service.ts";
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
