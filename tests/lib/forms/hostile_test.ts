/** Responses that no server should send. */
import assert from "node:assert/strict";
import { type Form, type JsonObject, type JsonValue, readForm, SvcError } from "../../../lib/forms/mod.ts";
import * as choices from "./fixtures/choices.ts";
import * as fields from "./fixtures/fields.ts";
import * as filesAndUsers from "./fixtures/files_and_users.ts";
import * as lists from "./fixtures/lists.ts";
import * as references from "./fixtures/references.ts";
import * as root from "./fixtures/root.ts";
import * as views from "./fixtures/views.ts";
import * as work from "./fixtures/work.ts";
import { body, declare, field, inherit, rawView, reference, region, view } from "./_body.ts";

const MODULES: readonly object[] = [choices, fields, filesAndUsers, lists, references, root, views, work];

/** Every response of the fixtures. */
const RESPONSES: readonly JsonObject[] = MODULES.flatMap((module) => listResponses(Object.values(module)));

function listResponses(values: readonly unknown[]): JsonObject[] {
  return values.flatMap((value) => {
    if (typeof value !== "object" || value === null) return [];
    if ("uiResources" in value) return [value as JsonObject];
    return "type" in value ? [] : listResponses(Object.values(value));
  });
}

/** Values that replace a member of a response. */
const GARBAGE: readonly string[] = [
  "null",
  "true",
  "-1",
  '""',
  '"@"',
  '"@P "',
  '"@P .__proto__.polluted"',
  '"@P .constructor.prototype.polluted"',
  '"@P .Home[0](1)[2].x"',
  '"@FL .__proto__"',
  '"@W __proto__"',
  '"@E .__proto__.x == 1"',
  '"@CLASS "',
  '"@ASSOCIATED .x"',
  '"@DATASOURCE .Stops"',
  '"@USER .x.y"',
  '"constructor"',
  '"toString"',
  '"reference"',
  '"multirecordlist"',
  "[]",
  "[null,1,[[]]]",
  "{}",
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"name":{},"type":[],"config":[]}',
  '[{"type":"reference","config":{"type":"view","name":"EditTrip","context":".__proto__"}}]',
];

/** Returns pseudo-random integers below a limit, the same for the same seed. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * limit);
  };
}

/** Replaces one member of a JSON value, at a random place. */
function alter(value: JsonValue, random: (limit: number) => number): JsonValue {
  const members = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const name = members[random(members.length)];
  if (name === undefined || random(12) === 0) return JSON.parse(GARBAGE[random(GARBAGE.length)] ?? "null");
  const holder = value as JsonObject;
  holder[name] = alter(holder[name] ?? null, random);
  return value;
}

/** Calls a function, and accepts no other error than `SvcError`. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    assert.ok(error instanceof SvcError, error instanceof Error ? error.stack : String(error));
    return undefined;
  }
}

/** Reads everything from a form, and changes everything that can be changed. */
function useForm(form: Form): void {
  const read = [form.title, form.name, form.instructions, form.confirmation, form.steps, form.buttons, form.actions];
  assert.equal(typeof JSON.stringify([read, form.nodes, form.problems, form.messages]), "string");
  let changed: Form = form;
  for (const { path, type } of form.questions) {
    attempt(() => form.refreshFor(path));
    for (const value of ["1", "", null, true, 5, [{ City: "x", ID: 1 }], { ID: 1, __proto__: null }] as JsonValue[]) {
      changed = attempt(() => changed.set(path, value)) ?? changed;
    }
    if (type === "list") {
      changed = attempt(() => changed.list(path).insert({})) ?? changed;
      changed = attempt(() => changed.list(path).move(0, 1)) ?? changed;
      changed = attempt(() => changed.list(path).remove(0)) ?? changed;
      attempt(() => form.refreshRow(`${path}[0]`));
    } else if (type === "reference") {
      changed = attempt(() => changed.reference(path).choose("1")) ?? changed;
      changed = attempt(() => changed.reference(path).remove(0)) ?? changed;
      changed = attempt(() => changed.reference(path).clear()) ?? changed;
    } else if (type === "attachment") {
      changed = attempt(() => changed.attach(path, { ID: "1" })) ?? changed;
    }
  }
  attempt(() => JSON.stringify([changed.toSubmission(), changed.changes(), changed.refreshFor(), changed.nodes]));
  attempt(() =>
    changed.applyErrors({ errorDetails: [{ erroneousInputOutputFieldInPage: ".x(0)" }, null, 1] }).messages
  );
}

Deno.test("a form with an altered member is read, changed and submitted without another error than SvcError", () => {
  const seed = 20310405;
  const random = createRandom(seed);
  for (let round = 0; round < 3; round++) {
    for (const response of RESPONSES) {
      let altered: JsonValue = JSON.parse(JSON.stringify(response));
      const count = 1 + random(4);
      for (let i = 0; i < count; i++) altered = alter(altered, random);
      if (typeof altered !== "object" || altered === null) continue;
      const given: object = altered;
      const form = attempt(() => readForm(given));
      if (form === undefined) continue;
      useForm(form);
      const original = readForm(response);
      const applied = attempt(() => original.apply(given));
      if (applied !== undefined) useForm(applied);
      attempt(() => original.reopen(form));
    }
  }
  assert.equal(Reflect.get({}, "polluted"), undefined);
});

Deno.test("other JSON than a form is refused with a hint", () => {
  for (const text of ["{}", "[]", '{"uiResources":[]}', '{"data":{},"uiResources":null}', '{"uiResources":"x"}']) {
    assert.throws(() => readForm(JSON.parse(text)), { code: "INVALID_RESPONSE" }, text);
  }
  const empty = readForm({ uiResources: {} });
  assert.deepEqual([empty.nodes, empty.questions, empty.toSubmission().content], [[], [], {}]);
});

Deno.test("an assignment to the prototype is impossible", () => {
  const response = body({
    views: [
      view("EditTrip", [
        field("TextInput", ".__proto__.polluted"),
        field("TextInput", ".Home.__proto__.polluted"),
        field("TextInput", ".__proto__"),
        reference("List", inherit({ __proto__: "x" })),
        reference("Deep", { context: ".__proto__" }),
      ]),
      rawView("List", [], {
        config: {
          type: "multirecordlist",
          name: "__proto__",
          renderMode: "Editable",
          children: [field("TextInput", ".x")],
        },
      }),
      view("Deep", [field("TextInput", ".polluted")]),
    ],
    content: { Home: {} },
  });
  const form = readForm(response);
  useForm(form);
  for (const { path } of form.questions) attempt(() => form.set(path, "yes").toSubmission());
  attempt(() => form.fill(JSON.parse('{"__proto__":{"polluted":"yes"}}')));
  assert.equal(Reflect.get({}, "polluted"), undefined);
});

Deno.test("views that refer to each other without end, or to very many views, are drawn up to a limit", () => {
  const refer = (name: string) => reference(name, {});
  const cycle = body({
    views: [
      view("A", [field("TextInput", ".City"), refer("B"), refer("A")]),
      view("B", [refer("A"), refer("B"), field("TextInput", ".Zip")]),
    ],
    fields: { City: declare("Text", "City"), Zip: declare("Text", "Zip") },
  });
  assert.deepEqual(readForm(cycle).questions.map(({ path }) => path), ["City", "Zip"]);
  const doubled = Array.from(
    { length: 40 },
    (_, i) => view(`V${i}`, i === 39 ? [] : [refer(`V${i + 1}`), refer(`V${i + 1}`)]),
  );
  assert.deepEqual(readForm(body({ views: doubled })).problems, ["The form is too large to be shown completely."]);
  const chain = Array.from({ length: 5000 }, (_, i) => view(`V${i}`, [refer(`V${i + 1}`)]));
  assert.deepEqual(readForm(body({ views: chain })).problems, ["The form is too large to be shown completely."]);
});

Deno.test("components and values that are nested very deeply are refused or left out", () => {
  const nest = (levels: number, open: string, inner: string, close: string): JsonValue =>
    JSON.parse(open.repeat(levels) + inner + close.repeat(levels));
  const regions = nest(300, '{"type":"Region","children":[', "null", "]}");
  assert.ok(typeof regions === "object" && regions !== null && !Array.isArray(regions));
  const form = readForm(body({ views: [rawView("EditTrip", [region("A", regions as JsonObject)])] }));
  assert.deepEqual(form.problems, ["The form is too large to be shown completely."]);
  const deep = nest(200_000, "[", "", "]");
  const altered = body({ views: [view("EditTrip", [field("TextInput", ".City")])], content: { City: deep } });
  assert.throws(() => readForm(altered), { code: "INVALID_RESPONSE", message: /nested/ });
});
