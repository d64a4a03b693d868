/** Agents and assistants in application definitions: rules and issues. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseApplication } from "../../../service/application/load.ts";
import { catchDefinitionError } from "../../harness/service_engine.ts";
import { readCpuTime } from "../../harness/cpu_time.ts";

const BASE = `application: { id: A, name: A, organisation: O }
operators: { ada@a: { name: Ada } }
caseTypes:
  O-A-Work-T:
    name: T
    prefix: T
    workPool: O-A-WORK
    fields: { Colour: { type: Text } }
    stages: { PRIM0: { name: Open, transition: create } }
  O-A-Work-M:
    name: M
    prefix: M
    workPool: O-A-WORK
    fields: { message: { type: Text } }
    stages: { PRIM0: { name: Open, transition: create } }
`;

/** Reports whether a message matches a rule with these conditions. */
function matches(conditions: { contains?: string | string[]; like?: string }, message: string): boolean {
  const agent = { name: "G", script: { rules: [{ ...conditions, answer: "yes" }], fallback: "no" } };
  const { agents } = parseApplication(`${BASE}agents: ${JSON.stringify({ "c!G": agent })}`, "app.yaml");
  const answers = agents.get("c!G")?.answers;
  assert.ok(answers?.kind === "script");
  return answers.rules[0]?.matches(message) === true;
}

Deno.test("issues of agents are reported with their place", () => {
  const agent = (rest: string) => `agents:\n  "c!G": { name: G, ${rest} }\n`;
  const rule = (rest: string) => agent(`caseType: O-A-Work-T, script: { fallback: x, rules: [{ ${rest} }] }`);
  const model = (rest: string) => agent(`model: { addressVariable: A, name: m, instructions: x, ${rest} }`);
  const cases: [definition: string, reason: string][] = [
    [agent("caseType: Nothing, script: { fallback: x }"), "17:31: there is no case type 'Nothing'"],
    [agent("caseType: O-A-Work-M, script: { fallback: x }"), "17:31: the field 'message' of 'O-A-Work-M' has the name"],
    [agent("starterQuestion: x"), "17:3: 'c!G' must have exactly one of 'script' and 'model'"],
    [agent("script: { fallback: '{{ Colour }}' }"), "17:41: bad expression: Unknown variable: Colour"],
    [agent("script: { fallback: 'a {{ message' }"), "17:41: a '{{' has no '}}'"],
    [rule("answer: x"), "item 1 of 'rules' must have 'contains', 'like' or 'when'"],
    [rule("when: Colour, answer: x"), "the expression returns string, but Boolean is needed"],
    [rule("when: message.matches('(a+)+$'), answer: x"), "'matches' is not supported"],
    [rule("contains: x, answer: '{{ Color }}'"), "bad expression: Unknown variable: Color"],
    [model("timeoutSeconds: 0"), "'timeoutSeconds' must be greater than 0"],
    [model("key: sk-1"), "'key' is not allowed here"],
    [model("keyVariable: sk-1"), "'keyVariable' must be the name of an environment variable"],
    [`agents: { Guide: { name: G, script: { fallback: x } } }`, "the name 'Guide' must be a class, '!' and a name"],
    [`assistants: { "c!G": { name: G, external: true, script: { fallback: x } } }`, "'external' is not allowed here"],
    [`assistants: { "c!G": { name: G } }`, "must have exactly one of 'script' and 'model'"],
  ];
  for (const [definition, reason] of cases) {
    const { message } = catchDefinitionError(BASE + definition, definition);
    assert.match(message, /^app\.yaml:\d+:\d+: /);
    assert.ok(message.includes(reason), `${message}\nshould say\n${reason}`);
  }
});

Deno.test("contains finds any of its texts and like matches the whole message, in upper or lower case", () => {
  assert.equal(matches({ contains: "Fee" }, "the FEES?"), true);
  assert.equal(matches({ contains: ["fee", "cost"] }, "What does it cost?"), true);
  assert.equal(matches({ contains: ["fee", "cost"] }, "What is it?"), false);
  assert.equal(matches({ contains: "ä" }, "A\u0308"), true);
  assert.equal(matches({ like: "what * fee*" }, " What is the fee? "), true);
  assert.equal(matches({ like: "what * fee" }, "What is the fee?"), false);
  assert.equal(matches({ like: "what*what" }, "what"), false);
  assert.equal(matches({ like: "*" }, ""), true);
  assert.equal(matches({ contains: "fee", like: "what*" }, "the fee"), false);
  assert.equal(matches({ like: "a.c" }, "abc"), false);
});

Deno.test("* in like matches the same as .* in a regular expression", () => {
  const piece = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 }).filter((text) => text !== "");
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
  fc.assert(fc.property(piece, text, (like, message) => {
    assert.equal(matches({ like }, message), new RegExp(`^${like.replaceAll("*", ".*")}$`).test(message));
  }));
});

Deno.test("matching takes linear time for every pattern", () => {
  const message = "a".repeat(10_000) + "b";
  const started = readCpuTime();
  assert.equal(matches({ like: "*a".repeat(100) + "*c" }, message), false);
  assert.equal(matches({ like: "a*".repeat(2000) + "b" }, message), true);
  assert.ok(readCpuTime() - started < 1000);
});
