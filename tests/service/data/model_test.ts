/** Queries of data views, compared with filters and sorts of an array. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../../utils/json.ts";
import { type Engine, openEngine, valueAt } from "../../harness/service_engine.ts";

const THINGS = `
application: { id: Things, name: Things, organisation: Org }
operators: { "ada@things": { name: Ada } }
caseTypes: {}
dataTypes:
  Org-Things-Data-Thing:
    name: Thing
    key: [ID]
    savable: D_Things
    fields:
      ID: { type: Integer }
      Text: { type: Text }
      Number: { type: Decimal }
      Flag: { type: Boolean }
      Time: { type: DateTime }
      Page: { type: Page, fields: { Text: { type: Text } } }
dataViews:
  D_Things: { name: Things, source: records, class: Org-Things-Data-Thing }
`;

const TEXTS = [
  "",
  "a",
  "A",
  "ab",
  "ba",
  "%",
  "_",
  "a%",
  "ä",
  "Ä",
  "ß",
  "e\u0301",
  "é",
  "😀",
  "日本",
  "'",
  '"',
  "\\",
  "1",
];
const NUMBERS = [0, -0, 0.1, 0.1 + 0.2, 0.3, -7, 2 ** 53, 23131177933228950, 1e21, 1e308, 5e-324];
const TIMES = ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", "2025-12-31T19:00:00.001-05:00"];

const thing = fc.record({
  Text: fc.constantFrom(...TEXTS),
  Number: fc.constantFrom(...NUMBERS),
  Flag: fc.boolean(),
  Time: fc.constantFrom(...TIMES),
  Page: fc.record({ Text: fc.constantFrom(...TEXTS) }, { requiredKeys: [] }),
}, { requiredKeys: [] });

/** Selects the rows for which a condition holds. A comparison never holds for a missing value, and NOT inverts it. */
interface Condition {
  readonly json: JsonObject;
  readonly holds: (row: JsonObject) => boolean;
}

type Comparable = string | number | boolean;
type Compare = (left: Comparable, right: Comparable) => boolean;

const ORDERED: Readonly<Record<string, Compare>> = {
  EQ: (left, right) => left === right,
  GT: (left, right) => order(left, right) > 0,
  GTE: (left, right) => order(left, right) >= 0,
  LT: (left, right) => order(left, right) < 0,
  LTE: (left, right) => order(left, right) <= 0,
};
const PARTS: Readonly<Record<string, Compare>> = {
  STARTS_WITH: (left, right) => String(left).startsWith(String(right)),
  ENDS_WITH: (left, right) => String(left).endsWith(String(right)),
  CONTAINS: (left, right) => String(left).includes(String(right)),
};

const condition: fc.Arbitrary<Condition> = fc.oneof(
  conditionOn(["Text", "Page.Text"], { ...ORDERED, ...PARTS }, TEXTS),
  conditionOn(["Number"], ORDERED, NUMBERS),
  conditionOn(["Time"], ORDERED, TIMES),
  conditionOn(["Flag"], { EQ: (left, right) => left === right }, [true, false]),
  fc.constantFrom("Text", "Number", "Flag", "Time", "Page.Text").map((field) => ({
    json: { lhs: { field }, comparator: "IS_NULL" },
    holds: (row: JsonObject) => valueOf(row, field, false) === undefined,
  })),
);

/** A logic over conditions, and the function that evaluates it. */
interface Logic {
  readonly text: string;
  readonly means: (truth: readonly boolean[]) => boolean;
}

const { logic } = fc.letrec<{ logic: Logic }>((tie) => ({
  logic: fc.oneof(
    { maxDepth: 3 },
    fc.nat(2).map((index): Logic => ({ text: `F${index}`, means: (truth) => truth[index] === true })),
    tie("logic").map(({ text, means }): Logic => ({ text: `NOT (${text})`, means: (truth) => !means(truth) })),
    fc.tuple(tie("logic"), tie("logic")).map(([a, b]): Logic => ({
      text: `(${a.text} AND ${b.text})`,
      means: (truth) => a.means(truth) && b.means(truth),
    })),
    fc.tuple(tie("logic"), tie("logic")).map(([a, b]): Logic => ({
      text: `(${a.text} OR ${b.text})`,
      means: (truth) => a.means(truth) || b.means(truth),
    })),
  ),
}));

Deno.test("a query returns the same rows as a filter and a sort of an array", async () => {
  await using engine = await openEngine(THINGS);
  const rows = await fill(engine, fc.sample(thing, { numRuns: 60, seed: 7 }));
  const sorted = fc.record({
    field: fc.constantFrom("Text", "Number", "Time", "Page.Text"),
    type: fc.constantFrom("ASC", "DESC"),
    ignoreCase: fc.boolean(),
  });
  const filter = fc.tuple(condition, condition, condition);
  await fc.assert(
    fc.asyncProperty(
      filter,
      logic,
      fc.option(sorted),
      fc.boolean(),
      async (conditions, { text, means }, sort, distinct) => {
        // A logic must use every condition.
        const whole = `(${text}) OR ((F0 AND F1 AND F2) AND NOT F0)`;
        const select = distinct ? ["Text", "Flag"] : ["ID"];
        const query = {
          select,
          filter: {
            filterConditions: Object.fromEntries(conditions.map(({ json }, i) => [`F${i}`, json])),
            logic: whole,
          },
          ...(sort && !distinct && { sortBy: [sort] }),
          distinctResultsOnly: distinct,
        };
        let expected = rows.filter((row) => means(conditions.map(({ holds }) => holds(row))));
        if (sort && !distinct) expected = inOrder(expected, sort);
        const found = expected.map((row) => select.map((name) => row[name] ?? null));
        const once = distinct
          ? found.filter((row, i) => i === found.findIndex((one) => JSON.stringify(one) === JSON.stringify(row)))
          : found;
        const answer = await engine.body("data.query", { dataViewId: "D_Things", data: { query } });
        const data = Array.isArray(answer.data) ? answer.data : [];
        assert.deepEqual(data.map((row) => select.map((name) => valueAt(row, name))), once, JSON.stringify(query));
        assert.equal(
          (await engine.body("data.count", { dataViewId: "D_Things", data: { query } })).resultCount,
          once.length,
        );
      },
    ),
    { numRuns: 400 },
  );
});

function conditionOn(
  fields: readonly string[],
  comparators: Readonly<Record<string, Compare>>,
  values: readonly Comparable[],
): fc.Arbitrary<Condition> {
  return fc.record({
    field: fc.constantFrom(...fields),
    name: fc.constantFrom(...Object.keys(comparators)),
    right: fc.oneof(fc.constantFrom(...values), fc.constantFrom(...fields).map((field) => ({ field }))),
    not: fc.boolean(),
    ignoreCase: fc.boolean(),
  }).map(({ field, name, right, not, ignoreCase }) => {
    const comparator = !not ? name : name === "EQ" ? "NEQ" : name in PARTS ? `NOT_${name}` : name;
    const json = {
      lhs: { field },
      comparator,
      rhs: typeof right === "object" ? right : { value: right },
      ignoreCase,
    };
    const holds = (row: JsonObject): boolean => {
      const left = valueOf(row, field, ignoreCase);
      const others = typeof right === "object"
        ? [valueOf(row, right.field, ignoreCase)]
        : formsOf(name, right).map((form) => comparable(field, form, ignoreCase));
      const result = left !== undefined &&
        others.some((other) => other !== undefined && comparators[name]?.(left, other) === true);
      return comparator === name ? result : !result;
    };
    return { json, holds };
  });
}

/** Lists the forms of accents in which a value is found. The order of texts depends on their form. */
function formsOf(name: string, value: Comparable): Comparable[] {
  if (typeof value !== "string" || (name !== "EQ" && !(name in PARTS))) return [value];
  return [value.normalize("NFC"), value.normalize("NFD"), value];
}

function valueOf(row: JsonObject, field: string, ignoreCase: boolean): Comparable | undefined {
  const value = valueAt(row, field);
  return typeof value === "object" || value === undefined ? undefined : comparable(field, value, ignoreCase);
}

function comparable(field: string, value: Comparable, ignoreCase: boolean): Comparable {
  if (field === "Time") return Date.parse(String(value));
  if (value === 0) return 0;
  return typeof value === "string" && ignoreCase ? value.toLowerCase() : value;
}

/** Compares texts by their code points, as the store does by their bytes. */
function order(left: Comparable, right: Comparable): number {
  if (typeof left !== "string" || typeof right !== "string") return Number(left) - Number(right);
  const [a, b] = [[...left], [...right]].map((text) =>
    text.map((one) => String(one.codePointAt(0)).padStart(7)).join("")
  );
  return String(a) < String(b) ? -1 : Number(a !== b);
}

/** Sorts rows. Missing values come first, and equal rows keep their order. */
function inOrder(
  rows: readonly JsonObject[],
  { field, type, ignoreCase }: { field: string; type: string; ignoreCase: boolean },
): JsonObject[] {
  return rows.toSorted((one, two) => {
    const [left, right] = [valueOf(one, field, ignoreCase), valueOf(two, field, ignoreCase)];
    const result = left === undefined || right === undefined
      ? Number(left !== undefined) - Number(right !== undefined)
      : order(left, right);
    return type === "DESC" ? -result : result;
  });
}

/** Creates records with numbers from 0. */
async function fill(engine: Engine, things: readonly JsonObject[]): Promise<JsonObject[]> {
  const rows = things.map((row, ID) => ({ ID, ...row }));
  for (const data of rows) await engine.call("data.create", { dataViewId: "D_Things", data });
  return rows;
}
