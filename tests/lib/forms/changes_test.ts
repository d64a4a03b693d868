/** The changes of a form as a person reads them, and what remains of them when the form is read again. */
import assert from "node:assert/strict";
import { type Form, readForm } from "../../../lib/forms/mod.ts";
import { attachments } from "./fixtures/files_and_users.ts";
import { inlineTable, listInPage, listInRows, modalTable } from "./fixtures/lists.ts";
import { severalStored, storedDropdown } from "./fixtures/references.ts";

/** Returns a line for each change. */
function list(form: Form): string[] {
  return form.changes().map(({ path, label, kind, before, after }) =>
    `${path} (${label}) ${kind}: ${before} → ${after}`
  );
}

Deno.test("changes of values, records and files are described by their texts", () => {
  const [skills] = severalStored;
  assert.ok(skills);
  assert.deepEqual(list(readForm(storedDropdown).set("Country", "SE")), [
    "Country (Country) changed: NO → SE",
    "Depot (Nearest depot) changed: Oslo → ",
  ]);
  assert.deepEqual(list(readForm(skills).reference("Skills").remove(0)), [
    "Skills (Skills needed) changed: Driving, Cooking → Cooking",
  ]);
  assert.deepEqual(list(readForm(attachments).attach("Contract", { ID: "x", name: "new.pdf" })), [
    "Contract (Contract) changed: contract.pdf → new.pdf",
  ]);
});

Deno.test("rows are added, removed, moved or changed", () => {
  const form = readForm(inlineTable);
  const rows = form.find("Stops");
  assert.ok(rows?.type === "list");
  const [first, second, third] = rows.rows.map(({ cells }) => cells.filter((cell) => cell !== "").join(", "));
  assert.deepEqual(list(form.list("Stops").remove(1)), [`Stops (Stops on the way) removed: ${second} → `]);
  assert.deepEqual(list(form.list("Stops").insert({})), ["Stops (Stops on the way) added:  → (empty)"]);
  assert.deepEqual(list(form.list("Stops").move(0, 1)), [
    `Stops (Stops on the way) moved: ${second} → ${second}`,
    `Stops (Stops on the way) moved: ${first} → ${first}`,
  ]);
  assert.deepEqual(list(form.list("Stops").move(0, 2)).length, 3);
  const renamed = form.list("Stops").update(2, { City: "Voss" });
  assert.deepEqual(list(renamed), [`Stops (Stops on the way) changed: ${third} → ${third?.replace(/^\w+/, "Voss")}`]);
});

Deno.test("a change in the list of a row changes the row", () => {
  const form = readForm(listInRows).list("Stops[1].Guests").remove(0);
  assert.deepEqual(list(form), ["Stops (Stops on the way) changed: Bergen, Ada; Bob → Bergen, Bob"]);
});

Deno.test("a change that the columns of a row do not show names the row", () => {
  assert.deepEqual(list(readForm(modalTable).set("Stops[1].Fee", 71)), [
    "Stops[1].Fee (Stops on the way, Row 2, Fee) changed: NOK 70.00 → NOK 71.00",
  ]);
});

Deno.test("entries stay when the form is read again, except those of a list that has changed", () => {
  for (const [response, path] of [[inlineTable, "Stops"], [listInPage, "Home.Stops"]] as const) {
    const form = readForm(response).list(path).insert({ City: "Voss" });
    const same = form.reopen(readForm(response));
    assert.deepEqual([same.form.toSubmission(), same.lost], [form.toSubmission(), []]);
    const { data, uiResources } = JSON.parse(JSON.stringify(response));
    const { content } = data.caseInfo;
    (content.Home ?? content).Stops.push({ City: "Rome" });
    const { form: again, lost } = form.reopen(readForm({ data, uiResources }));
    assert.deepEqual([again.isChanged, lost.map((question) => question.path)], [false, [path]]);
  }
});

Deno.test("other records replace those that are stored, and a removed one returns to its position", () => {
  for (const response of severalStored) {
    const form = readForm(response);
    assert.deepEqual(form.set("Skills", ["s3", "s4"]).toSubmission().pageInstructions, [
      { instruction: "DELETE ALL", target: ".Skills" },
      { instruction: "INSERT", target: ".Skills", listIndex: 1, content: { ID: "s3" } },
      { instruction: "INSERT", target: ".Skills", listIndex: 2, content: { ID: "s4" } },
    ]);
    const restored = form.reference("Skills").remove(0).reference("Skills").add("s3").reference("Skills").add("s1");
    assert.deepEqual(restored.toSubmission().pageInstructions, [
      { instruction: "INSERT", target: ".Skills", listIndex: 3, content: { ID: "s3" } },
    ]);
    assert.equal(form.set("Skills", ["s1", "s2"]).isChanged, false);
  }
});
