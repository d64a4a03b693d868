/** Page instructions: changes of embedded pages and lists. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { isJsonObject, type JsonObject } from "../../../utils/json.ts";
import { loadServedApplication } from "../../../service/sample/served_application.ts";
import { parseApplication } from "../../../service/application/load.ts";
import { scopeWithoutCase } from "../../../service/cases/scope.ts";
import { fillForm } from "../../../service/cases/content/fill_form.ts";
import { DomainError } from "../../../service/errors.ts";
import { readCpuTime } from "../../harness/cpu_time.ts";

const app = await loadServedApplication(undefined);
const view = app.caseTypes.get("City-Permit-Work-Permit")?.views.get("Application");
assert.ok(view);

const HOUSES = `
application: { id: Houses, name: Houses, organisation: Org }
operators: { "ada@houses": { name: Ada } }
caseTypes:
  Org-Houses-Work-House:
    name: House
    prefix: H
    workPool: ORG-HOUSES-WORK
    fields:
      Address:
        type: Page
        fields:
          Country: { type: Text, default: NL }
          Place: { type: Page, fields: { Floor: { type: Integer }, Side: { type: Text, default: left } } }
          Doors: { type: List, fields: { Colour: { type: Text } } }
    stages: { PRIM0: { name: All, transition: manual, processes: {} } }
`;

function fill(current: JsonObject, ...pageInstructions: JsonObject[]): JsonObject {
  assert.ok(view);
  return fillForm(view, current, { pageInstructions }, { complete: false }).content;
}

function titles(content: JsonObject): unknown[] {
  const rows = content.Documents;
  return Array.isArray(rows) ? rows.filter(isJsonObject).map(({ Title }) => Title) : [];
}

function rejected(...pageInstructions: JsonObject[]): DomainError {
  try {
    fill({ Documents: [{ Title: "A" }] }, ...pageInstructions);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new TypeError("not rejected");
}

Deno.test("instructions change a list in their order, rows counted from one", () => {
  const target = ".Documents";
  const filled = fill(
    {},
    { instruction: "APPEND", target, content: { Title: "A" } },
    { instruction: "APPEND", target: "Documents", content: { Title: "B" } },
    { instruction: "INSERT", target, listIndex: 1, content: { Title: "C" } },
    { instruction: "MOVE", target, listIndex: 1, listMoveToIndex: 3 },
    { instruction: "UPDATE", target, listIndex: 2, content: { Pages: 9 } },
    { instruction: "REPLACE", target: ".Documents(3)", content: { Title: "D" } },
    { instruction: "DELETE", target, listIndex: 1 },
  );
  assert.deepEqual(filled.Documents, [{ Title: "B", Pages: 9 }, { Title: "D", Pages: 1 }]);
});

Deno.test("instructions merge, replace and delete an embedded page", () => {
  const target = ".Contact";
  const current = { Contact: { Name: "Ada", Phone: "555-0100" } };
  assert.deepEqual(fill(current, { instruction: "UPDATE", target, content: { Name: "Grace" } }).Contact, {
    Name: "Grace",
    Phone: "555-0100",
  });
  assert.deepEqual(fill(current, { instruction: "REPLACE", target, content: { Name: "Grace" } }).Contact, {
    Name: "Grace",
  });
  assert.equal(fill(current, { instruction: "DELETE", target }).Contact, undefined);
  assert.deepEqual(current, { Contact: { Name: "Ada", Phone: "555-0100" } }, "what was there is not changed in place");
});

Deno.test("a page that is created for an inner page or list starts with its defaults", () => {
  const form = parseApplication(HOUSES, "houses.yaml").caseTypes.get("Org-Houses-Work-House")?.views.get("pyDetails");
  assert.ok(form);
  const pageInstructions = [
    { instruction: "UPDATE", target: ".Address.Place", content: { Floor: 2 } },
    { instruction: "APPEND", target: ".Address.Doors", content: { Colour: "red" } },
  ];
  assert.deepEqual(fillForm(form, {}, { pageInstructions }, { complete: false }).content, {
    Address: { Country: "NL", Place: { Floor: 2, Side: "left" }, Doors: [{ Colour: "red" }] },
  });
});

Deno.test("an instruction that cannot be applied is invalid, and the error names it", () => {
  const target = ".Documents";
  const bad: [JsonObject, RegExp][] = [
    [{ target }, /'instruction' is missing/],
    [{ instruction: "APPEND" }, /'target' is missing/],
    [{ instruction: "APPEND", target }, /needs 'content'/],
    [{ instruction: "UPDATE", target, content: {} }, /needs 'listIndex'/],
    [{ instruction: "DELETE", target, listIndex: 2 }, /2 is not between 1 and 1/],
    [{ instruction: "DELETE", target, listIndex: 0 }, /0 is not between 1 and 1/],
    [{ instruction: "INSERT", target, listIndex: 3, content: {} }, /3 is not between 1 and 2/],
    [{ instruction: "DELETE", target: ".Documents(1)", listIndex: 1.5 }, /'listIndex' must be a whole number/],
    [{ instruction: "DELETE", target, listIndex: "first" }, /'listIndex' must be a whole number/],
    [{ instruction: "MOVE", target, listIndex: 1, listMoveToIndex: true }, /'listMoveToIndex' must be a whole number/],
    [
      { instruction: "DELETE", target: ".Documents(1)", listIndex: 2 },
      /'listIndex' 2 does not match the row in '.Documents\(1\)'/,
    ],
    [{ instruction: "MOVE", target, listIndex: 1, listMoveToIndex: 9 }, /9 is not between 1 and 1/],
    [{ instruction: "SHUFFLE", target, content: {} }, /not an instruction for a list/],
    [{ instruction: "APPEND", target: ".Contact", content: {} }, /not an instruction for a page/],
    [{ instruction: "APPEND", target: ".Advice", content: {} }, /not editable in this form/],
    [{ instruction: "UPDATE", target: ".Applicant", content: {} }, /not an embedded page, list or page group/],
    [{ instruction: "UPDATE", target: "..", content: {} }, /not a valid target/],
    [
      { instruction: "APPEND", target, content: { Nope: 1 } },
      /'Nope' is not a field of .Documents\(2\); available: Title, Pages$/,
    ],
  ];
  for (const [instruction, reason] of bad) {
    const error = rejected(instruction);
    assert.equal(error.kind, "Invalid", JSON.stringify(instruction));
    assert.match(error.message, reason);
  }
});

Deno.test("the error for an invalid value of a row names the row and the field", () => {
  const error = rejected({ instruction: "UPDATE", target: ".Documents", listIndex: 1, content: { Pages: "many" } });
  assert.equal(error.kind, "ValidationFailed");
  assert.equal(error.details[1]?.erroneousInputOutputFieldInPage, ".Documents(1).Pages");
});

Deno.test("any sequence of list instructions does what the same changes of an array do", () => {
  const target = ".Documents";
  const change = fc.record({
    kind: fc.constantFrom("APPEND", "INSERT", "DELETE", "MOVE"),
    a: fc.nat(20),
    b: fc.nat(20),
  });
  fc.assert(fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
    const expected: string[] = [];
    const instructions: JsonObject[] = [];
    for (const [index, { kind, a, b }] of changes.entries()) {
      const Title = `T${index}`;
      if (kind === "APPEND" || expected.length === 0) {
        expected.push(Title);
        instructions.push({ instruction: "APPEND", target, content: { Title } });
        continue;
      }
      const from = a % expected.length;
      const to = b % expected.length;
      if (kind === "INSERT") {
        expected.splice(from, 0, Title);
        instructions.push({ instruction: kind, target, listIndex: from + 1, content: { Title } });
      } else if (kind === "DELETE") {
        expected.splice(from, 1);
        instructions.push({ instruction: kind, target, listIndex: from + 1 });
      } else {
        expected.splice(to, 0, ...expected.splice(from, 1));
        instructions.push({ instruction: kind, target, listIndex: from + 1, listMoveToIndex: to + 1 });
      }
    }
    assert.deepEqual(titles(fill({}, ...instructions)), expected);
  }));
});

Deno.test("the time per instruction does not grow with their number, and the original content is unchanged", () => {
  const target = ".Documents";
  const before = { Documents: [{ Title: "A" }], Contact: { Name: "Ada" } };
  const kept = structuredClone(before);
  const append = { instruction: "APPEND", target, content: { Title: "B" } };
  const rename = { instruction: "UPDATE", target: ".Documents(1)", content: { Title: "C" } };
  const started = readCpuTime();
  const filled = fill(before, rename, { instruction: "DELETE", target: "Contact" }, ...Array(60_000).fill(append));
  assert.ok(readCpuTime() - started < 5000, "a call holds up all others while it is served");
  assert.deepEqual([titles(filled).length, titles(filled)[0], filled.Contact], [60_001, "C", undefined]);
  assert.deepEqual(before, kept);
});

const ADA = { id: "ada@org", name: "Ada", queues: [] };

Deno.test("an error reports at most a thousand issues", () => {
  const faults = (content: JsonObject) => {
    try {
      const scope = scopeWithoutCase({}, { caller: ADA, now: new Date() });
      fillForm(view, {}, { content }, { complete: true, conditions: { fields: new Map(), scope } });
    } catch (error) {
      if (error instanceof DomainError) return [error.kind, error.details.length];
      throw error;
    }
    throw new TypeError("not refused");
  };
  assert.deepEqual(faults({ Documents: Array(1_000_000).fill({}) }), ["ValidationFailed", 1001]);
  const names = Array.from({ length: 100_000 }, (_, n) => `a${n}`);
  assert.deepEqual(faults(Object.fromEntries(names.map((name) => [name, 1]))), ["Invalid", 1000]);
});
