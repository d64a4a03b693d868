/** Every construct of a form of a published server, filled in by keyboard in a terminal of 80×24. */
import assert from "node:assert/strict";
import { clientEnvironment } from "../../harness/fake_service.ts";
import { makeFolder } from "../../harness/svc.ts";
import { KEYS, openTerminal } from "../../harness/terminal.ts";
import { ASSIGNMENT, startPublishedServer } from "./_published_form.ts";

const { enter, left, down } = KEYS;

Deno.test("each construct of a published form is filled in by keyboard and submitted as servers expect it", async () => {
  const server = startPublishedServer();
  await using service = server.service;
  await using folder = await makeFolder({ "plan.txt": "0 1 2", "plan.pdf": "%PDF" });
  await using form = openTerminal(
    ["assignments", "perform", ASSIGNMENT, "--action", "Plan", "--interactive", "--fields", "status"],
    { env: { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path, TZ: "UTC" }, cwd: folder.path },
  );
  await form.converse([
    ["Progress: On time", ""],
    ["The part 'Moon' of this form cannot be shown here.", ""],
    ["◆  Purpose (required)", "Meeting", enter],
    ["◆  Notes", "By bus", enter],
    ["◆  Letter", "Dear all", enter],
    ["◆  Persons", "two", enter],
    ["Enter a whole number.", KEYS.ctrlU, "2", enter],
    ["◆  Distance", "12.5", enter],
    ["◆  Discount", "5", enter],
    ["◆  Budget", "4500", enter],
    [/◆ {2}Do you leave the country\?\n│ {2}○ Abroad \/ ● Home/, left, enter],
    ["◆  Visa number", "V-1", enter],
    ["◆  Day", "2031-04-05", enter],
    ["◆  Start", "2031-04-05 06:30", enter],
    ["◆  Alarm", "6:30", enter],
    ["◆  Mobile", "+47 22 00 00 00", enter],
    ["◆  Mail", "ada@acme.example", enter],
    ["◆  Site", "https://acme.example", enter],
    [/▲ {2}The form does not list the choices of Grade\. Type a value instead\.[^]*◆ {2}Grade/, "G1", enter],
    ["◆  Kind", "rail", enter],
    ["◆  Country", "nor", enter],
    ["◆  Town", "ber", enter],
    ["◆  Lead", "ada", enter],
    ["◆  Doc (path of a file)", "plan.pdf", enter],
    ["Doc takes files of the types txt, not 'plan.pdf'.", KEYS.ctrlU, "plan.txt", enter],
    ["◆  City", "Delft", enter],
    ["◆  Zip", "2611", enter],
    [/◇ {2}Stops\n│ {2}# +City +Fee\n│ {2}1 +Oslo +90\.00\n/, ""],
    ["◆  Stops: 1 row", down, enter],
    ["◆  Stops 2: City (required)", "Molde", enter],
    ["◆  Stops 2: Nights", "3", enter],
    ["◆  Stops 2: Fee", "70", enter],
    ["◆  Stops 2: Guests: 0 rows", down, enter],
    ["◆  Stops 2: Guests 1: Name", "Grace", enter],
    ["◆  Stops 2: Guests: 1 row", enter],
    ["◆  Stops: 2 rows", down, down, enter],
    ["◆  Oslo, 90.00", down, enter],
    ["◆  Stops: 1 row", enter],
    ["◆  Depot", "mol", enter],
    ["◆  Hotel", "0150", enter],
    ["◆  Skills", "sail", KEYS.tab, enter],
    [/◆ {2}Submit 'Plan the trip'\?\n[^]*● Cancel/, KEYS.up, KEYS.up, enter],
  ]);
  assert.equal(await form.exit(), 0, form.scrollback());
  const summary = /Do you leave the country\?: Home → Abroad[^]* Town: \(empty\) → Bergen[^]* Lead: \(empty\) → Ada /;
  assert.match(form.scrollback(), summary);
  assert.deepEqual(server.submitted, [{
    content: {
      Purpose: "Meeting",
      Notes: "By bus",
      Letter: "<p>Dear all</p>",
      Persons: 2,
      Distance: 12.5,
      Discount: 5,
      Budget: 4500,
      Abroad: true,
      Visa: "V-1",
      Day: "2031-04-05",
      Start: "2031-04-05T06:30:00.000Z",
      Alarm: "06:30:00",
      Mobile: "+4722000000",
      Mail: "ada@acme.example",
      Site: "https://acme.example",
      Grade: "G1",
      Kind: "R",
      Country: "N",
      Town: 1,
      Lead: "ada@acme",
      Home: { City: "Delft", Zip: "2611" },
      Depot: { ID: 6 },
      Hotel: { ID: 5 },
    },
    pageInstructions: [
      { instruction: "REPLACE", target: ".Doc", content: { ID: "file-1" } },
      { instruction: "DELETE", target: ".Stops", listIndex: 1 },
      { instruction: "INSERT", target: ".Stops", listIndex: 1, content: { City: "Molde", Nights: 3, Fee: 70 } },
      { instruction: "INSERT", target: ".Stops(1).Guests", listIndex: 1, content: { Name: "Grace" } },
      { instruction: "INSERT", target: ".Skills", listIndex: 2, content: { ID: "s2" } },
    ],
  }]);
  assert.deepEqual(server.refreshes, [], "nothing in the form depends on the service");
});
