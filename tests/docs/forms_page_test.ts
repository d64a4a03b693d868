/** The page in docs/forms.md: its script fills in and submits a form, with a bundle of the engine in Node.js. */
import assert from "node:assert/strict";
import { LimitedCommand, makeFolder } from "../harness/svc.ts";
import { body, declare, field, view } from "../lib/forms/_body.ts";
import { bundleForBrowsers } from "../lib/forms/_runtimes.ts";

/** The parts of a page that the script uses. It changes three fields, submits the form, and prints what was sent. */
const PROGRAM = `
import { readFileSync } from "node:fs";

class Element {
  constructor(name) { this.name = name; this.children = []; this.value = ""; }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
}
const element = new Element("form");
const requests = [];
globalThis.document = { querySelector: () => element, createElement: (name) => new Element(name) };
globalThis.Option = class { constructor(text, value) { this.text = text; this.value = value; } };
globalThis.fetch = async (url, { method = "GET", body } = {}) => {
  requests.push([method, url, body]);
  return { json: async () => JSON.parse(readFileSync("form.json", "utf8")) };
};
await import("./page.mjs");

const describe = () => element.children.map(({ name, children: [label, input], textContent }) =>
  textContent ?? [label + input.name, ...input.children.map(({ text }) => text)].join("|"));
const first = describe();
const change = (i, values) => {
  const [, input] = element.children[i].children;
  Object.assign(input, values).onchange();
};
change(0, { value: "Fair" });
change(1, { value: "2" });
change(2, { checked: true });
const last = describe();
element.onsubmit({ preventDefault() {} });
console.log(JSON.stringify({ first, last, requests }));
`;

const FORM = body({
  views: [
    view("EditTrip", [
      field("TextInput", ".Purpose"),
      field("Dropdown", ".Number", { datasource: "@ASSOCIATED .Number" }),
      field("Checkbox", ".Abroad"),
      field("TextArea", ".Visa", { visibility: "@E .Abroad == true" }),
    ]),
  ],
  fields: {
    Purpose: declare("Text", "Purpose"),
    Number: declare("Integer", "Number", {
      datasource: { tableType: "PromptList", records: [{ key: 1, value: "One" }, { key: 2, value: "Two" }] },
    }),
    Abroad: declare("True-False", "Abroad"),
    Visa: declare("Text", "Visa", { displayAs: "pxTextArea" }),
  },
});

Deno.test("the page in docs/forms.md asks the fields of a form and submits it", async () => {
  const docs = await Deno.readTextFile(new URL("../../docs/forms.md", import.meta.url));
  const [, script = ""] = /```html\n[^]*?<script type="module">\n([^]*?)<\/script>\n```/.exec(docs) ?? [];
  assert.ok(script.includes('from "./forms.js"'));
  await using folder = await makeFolder({
    "forms.mjs": await bundleForBrowsers(),
    "page.mjs": script.replace("./forms.js", "./forms.mjs"),
    "form.json": JSON.stringify(FORM),
    "main.mjs": PROGRAM,
  });
  const { stdout, stderr } = await new LimitedCommand("node", { args: ["main.mjs"], cwd: folder.path }).output();
  assert.equal(new TextDecoder().decode(stderr), "");
  const { first, last, requests } = JSON.parse(new TextDecoder().decode(stdout));
  const asked = ["Purpose input", "Number select||One|Two", "Abroad input"];
  assert.deepEqual(first, [...asked, "Submit"]);
  assert.deepEqual(last, [...asked, "Visa textarea", "Submit"]);
  const sent = { content: { Purpose: "Fair", Number: 2, Abroad: true }, pageInstructions: [], attachments: [] };
  assert.deepEqual(requests, [["GET", "/form", null], ["POST", "/submit", JSON.stringify(sent)]]);
});
