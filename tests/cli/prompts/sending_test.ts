/** What prompts send for the forms of other servers. */
import assert from "node:assert/strict";
import { KEYS } from "../../harness/terminal.ts";
import { storedPhotos } from "../../lib/forms/fixtures/files_and_users.ts";
import { openForm } from "./_action_server.ts";

const { enter, down } = KEYS;

Deno.test("several files are added one after the other, and one of them is removed alone", async () => {
  await using form = await openForm(storedPhotos, undefined, { "door.txt": "1", "yard.txt": "2" });
  const { terminal } = form;
  await terminal.converse([
    ["◆  Photos: 3 files", down, down, down, enter],
    ["◆  Photos: 2 files", down, enter],
    ["◆  Photos (path of a file)", "door.txt", enter],
    ["◆  Photos: 3 files", down, enter],
    ["◆  Photos (path of a file)", "yard.txt", enter],
    ["Keep front.jpg, roof.jpg, door.txt, yard.txt", enter],
    ["Photos: front.jpg, back.jpg, roof.jpg → front.jpg, roof.jpg, door.txt", ""],
    ["◆  Submit 'Book trip'?", enter],
  ]);
  assert.equal(await terminal.exit(), 0, terminal.scrollback());
  assert.deepEqual(form.sent("PATCH EditTrip"), [{
    content: {},
    pageInstructions: [
      { instruction: "DELETE", target: ".Photos", listIndex: 2 },
      { instruction: "INSERT", target: ".Photos", listIndex: 3, content: { ID: "file-1" } },
      { instruction: "INSERT", target: ".Photos", listIndex: 4, content: { ID: "file-2" } },
    ],
  }]);
});
