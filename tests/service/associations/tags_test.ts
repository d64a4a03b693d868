/** `svc tags`. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { failedElements, reasonOf, statusesOf } from "./_elements.ts";
import { openLiveForAll, openService } from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";

const live = await openLiveForAll();

async function tagsOf(caseId: string): Promise<unknown[]> {
  const { tagsList } = await live.object(`tags list '${caseId}'`);
  assert.ok(Array.isArray(tagsList));
  return tagsList.map((tag) => valueAt(tag, "tagName"));
}

Deno.test("add stores each name in lower case, and list shows it with its key", async () => {
  const caseId = await live.createPermit();
  assert.deepEqual(await live.object(`tags list '${caseId}'`), { tagsList: [] });
  const added = await live.json(`tags add '${caseId}' --tag Hot --tag 'old, big'`);
  assert.deepEqual(added, [{ ID: "hot", status: "201" }, { ID: "old, big", status: "201" }]);
  assert.deepEqual(await live.object(`tags list '${caseId}'`), {
    tagsList: [
      { tagName: "hot", tagKey: "DATA-SOCIAL-TAG CITY-PERMIT-WORK!HOT" },
      { tagName: "old, big", tagKey: "DATA-SOCIAL-TAG CITY-PERMIT-WORK!OLD, BIG" },
    ],
  });
});

Deno.test("a name consists of letters of any script, spaces and punctuation", async () => {
  const caseId = await live.createPermit();
  const names = ["緊急", "straße 12", "Déjà  vu", "हिन्दी", "#3/b"];
  const line = names.map((name) => `--tag '${name}'`).join(" ");
  assert.equal((await live.run(`tags add '${caseId}' ${line}`)).code, 0);
  assert.deepEqual(await tagsOf(caseId), ["緊急", "straße 12", "déjà vu", "हिन्दी", "#3/b"]);
});

Deno.test("a duplicate and an invalid name fail separately, and the others are added", async () => {
  const caseId = await live.createPermit();
  await live.json(`tags add '${caseId}' --tag hot`);
  const refused = ["🔥", "a🔥", "1️⃣", "c++", ".", "a".repeat(65), " "];
  const line = ["HOT", "new", "New", ...refused].map((name) => `--tag '${name}'`).join(" ");
  const elements = await failedElements(live, `tags add '${caseId}' ${line}`);
  assert.deepEqual(statusesOf(elements), [
    ["HOT", "409"],
    ["new", "201"],
    ["New", "409"],
    ...refused.map((name) => [name, "500"]),
  ]);
  assert.equal(reasonOf(elements[0]), "The case already has the tag hot");
  assert.equal(valueAt(elements[3], "errorDetails.0.message"), "pyError_Add_Tag");
  assert.match(String(reasonOf(elements[3])), /^Couldn't add tag: /);
  assert.deepEqual(await tagsOf(caseId), ["hot", "new"]);
});

Deno.test("delete accepts a name in any case, or a key", async () => {
  const caseId = await live.createPermit();
  await live.json(`tags add '${caseId}' --tag hot --tag cold --tag warm`);
  const removal = `tags delete '${caseId}' --tag`;
  assert.deepEqual(await live.run(`${removal} Hot`), { code: 0, stdout: "", stderr: "" });
  await live.run(`${removal} 'DATA-SOCIAL-TAG CITY-PERMIT-WORK!COLD'`);
  assert.deepEqual(await tagsOf(caseId), ["warm"]);
  assert.equal((await live.refused(`${removal} hot`)).code, "NOT_FOUND");
});

Deno.test("each tag has its own key, even if another has the same upper-case letters", async () => {
  const caseId = await live.createPermit();
  const names = ["straße", "strasse", "kapı", "kapi", "ﬁx", "fix"];
  await live.json(`tags add '${caseId}' ${names.map((name) => `--tag ${name}`).join(" ")}`);
  const { tagsList } = await live.object(`tags list '${caseId}'`);
  assert.ok(Array.isArray(tagsList));
  const keys = tagsList.map((tag) => textAt(tag, "tagKey"));
  assert.equal(new Set(keys).size, names.length, keys.join());
  assert.equal((await live.run(`tags delete '${caseId}' --tag '${keys[1]}'`)).code, 0);
  const left = (await live.object(`tags list '${caseId}'`)).tagsList;
  assert.ok(Array.isArray(left));
  assert.deepEqual(left.map((tag) => valueAt(tag, "tagName")), names.toSpliced(1, 1));
});

Deno.test("an unknown case and a stale entity tag are refused", async () => {
  const caseId = await live.createPermit();
  for (const line of ["list 'X P-0'", "add 'X P-0' --tag a", "delete 'X P-0' --tag a"]) {
    assert.equal((await live.refused(`tags ${line}`)).code, "NOT_FOUND", line);
  }
  const stale = "--tag a --if-match '20000101T000000.000 GMT'";
  for (const command of ["add", "delete"]) {
    assert.equal((await live.refused(`tags ${command} '${caseId}' ${stale}`)).code, "PRECONDITION_FAILED");
  }
  assert.deepEqual(await tagsOf(caseId), []);
});

Deno.test("tags do not change the entity tag of the case, and are deleted with it", async () => {
  const caseId = await live.createPermit();
  const { etag } = await live.object(`cases get '${caseId}'`);
  await live.json(`tags add '${caseId}' --tag hot`);
  assert.equal((await live.run(`cases delete '${caseId}' --if-match '${etag}'`)).code, 0);
  assert.equal((await live.refused(`tags list '${caseId}'`)).code, "NOT_FOUND");
});

Deno.test("any text is either refused or a tag that can be deleted by name and by key", async () => {
  await using svc = await openService();
  const created = await svc.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Permit" } });
  const tags = `/cases/${encodeURIComponent(String(valueAt(created.body, "id")))}/tags`;
  const texts = fc.oneof(
    fc.constantFrom("a/b", "50%", "İ", "ẞ", "ǅ", "ﬁ", "a!b", "..", "?#&", "\u0000", "\u202e"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 70 }).filter((text) => text.isWellFormed()),
  );
  await fc.assert(
    fc.asyncProperty(texts, fc.boolean(), async (text, byKey) => {
      const { status, body } = await svc.call("POST", tags, { body: { tags: [{ Name: text }] } });
      assert.equal(status, 207);
      const { tagsList } = Object((await svc.call("GET", tags)).body);
      assert.equal(tagsList.length, valueAt(body, "0.status") === "201" ? 1 : 0);
      for (const { tagName, tagKey } of tagsList) {
        assert.equal(tagName, valueAt(body, "0.ID"));
        const removed = await svc.call("DELETE", `${tags}/${encodeURIComponent(byKey ? tagKey : tagName)}`);
        assert.equal(removed.status, 200);
      }
    }),
    { numRuns: 100 },
  );
});
