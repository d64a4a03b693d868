/** Queries find the same rows on PostgreSQL as on SQLite. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { ExactNumber } from "../../../../utils/exact_number.ts";
import { isNumber, type JsonObject, type JsonValue } from "../../../../utils/json.ts";
import {
  type Column,
  type Comparator,
  COMPARATORS,
  type Filter,
  type Page,
  type RowField,
  type RowQuery,
  type RowSource,
  type Value,
} from "../../../../service/store/query.ts";
import { openSqliteStore } from "../../../../service/store/sqlite/sqlite_store.ts";
import { openQueryStore, type QueryTransaction } from "./_query_store.ts";

const NAMES = ["a", "b", "a.b", "0", '"', "", "ä\0", "\u0001", "__proto__", "$1", "'); --"];

/** The values of a test. SQLite ends a text at U+0000 if it searches in it, and formats large numbers differently. */
interface Values {
  readonly hasProperties: boolean;
  readonly values: fc.Arbitrary<Value>;
  readonly comparators: readonly Comparator[];
}

const plainTexts = fc.oneof(
  fc.constantFrom("", "a", "A", "ä", "Ä", "ab", "b", "ß", "1", "10", "-", "1a", "%", "_", "😀", "\uffff"),
  fc.string({ unit: fc.constantFrom("a", "b", "B", "é", "1"), maxLength: 4 }),
);
const plainNumbers = fc.oneof(
  fc.integer({ min: -3, max: 12 }),
  fc.integer({ min: -1000, max: 1000 }).map((n) => n / 8),
);
const PLAIN: Values = {
  hasProperties: true,
  values: fc.oneof(plainTexts, plainNumbers, fc.boolean()),
  comparators: COMPARATORS,
};

const anyTexts = fc.oneof(
  plainTexts,
  fc.constantFrom("\0", "a\0b", "\u0001"),
  fc.string({ unit: fc.constantFrom("a", "\0", "\u0001", "\u0002"), maxLength: 3 }),
);
const DIGITS = [
  "9007199254740993",
  "9223372036854775807",
  "-9223372036854775808",
  "9223372036854775808",
  "1e400",
  "1e-400",
];
const anyNumbers = fc.oneof(
  plainNumbers,
  fc.constantFrom(1e20, 2 ** 53, 1e300, 1e-300),
  fc.constantFrom(...DIGITS).map((digits) => new ExactNumber(digits)),
);
const ANY: Values = {
  hasProperties: false,
  values: fc.oneof(anyTexts, anyNumbers, fc.boolean()),
  comparators: ["EQ", "GT", "GTE", "LT", "LTE"],
};

function contentsOf(values: fc.Arbitrary<Value>): fc.Arbitrary<JsonObject> {
  const leaves: fc.Arbitrary<JsonValue> = fc.oneof({ weight: 6, arbitrary: values }, fc.constant(null));
  const objects = (members: fc.Arbitrary<JsonValue>, maxKeys: number) =>
    fc.dictionary(fc.constantFrom(...NAMES), members, { maxKeys }).map((found): JsonObject => ({ ...found }));
  const members = fc.oneof({ weight: 8, arbitrary: leaves }, fc.array(leaves, { maxLength: 2 }), objects(leaves, 2));
  return objects(members, 5);
}

const paths = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 2 });

const contentFields = paths.map((content) => ({ content }));

const PROPERTIES: { readonly [K in RowSource["kind"]]: readonly string[] } = {
  records: ["key", "tag"],
  cases: ["id", "typeId", "parentId", "status", "createdAt", "updatedBy"],
  assignments: ["id", "caseId", "assignee.kind", "assignee.id", "case.businessId", "case.typeId"],
  events: ["caseId", "at", "by", "kind", "text"],
  given: [],
};

function fieldsOf(kind: RowSource["kind"]): fc.Arbitrary<RowField> {
  const properties = PROPERTIES[kind].map((property) => ({ property }));
  return fc.oneof({ weight: 3, arbitrary: contentFields }, fc.constantFrom(...properties, { content: ["a"] }));
}

function filtersOf(kind: RowSource["kind"], { values, comparators, hasProperties }: Values): fc.Arbitrary<Filter> {
  const field = hasProperties ? fieldsOf(kind) : contentFields;
  const ignoreCase = fc.option(fc.boolean(), { nil: undefined });
  return fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.record({
        left: field,
        comparator: fc.constantFrom(...comparators),
        right: fc.oneof(fc.record({ value: values }), fc.record({ field })),
        ignoreCase,
      }),
      fc.record({ field, in: fc.array(values, { maxLength: 4 }), ignoreCase }),
      field.map((isNull) => ({ isNull })),
      fc.array(tie("filter"), { maxLength: 3 }).map((and) => ({ and })),
      fc.array(tie("filter"), { maxLength: 3 }).map((or) => ({ or })),
      tie("filter").map((not) => ({ not })),
    ),
  })).filter as fc.Arbitrary<Filter>;
}

const SUMMARIES = ["COUNT", "DISTINCT_COUNT", "SUM", "AVG", "MIN", "MAX"] as const;

const sources: readonly RowSource[] = [
  { kind: "records", classId: "D" },
  { kind: "cases", typeIds: ["T", "U"] },
  { kind: "assignments" },
  { kind: "events" },
];

const sourcesOf = ({ values }: Values): fc.Arbitrary<RowSource> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...sources) },
    fc.array(contentsOf(values), { maxLength: 8 }).map((rows): RowSource => ({ kind: "given", rows })),
  );

const queriesOf = (values: Values): fc.Arbitrary<RowQuery> =>
  sourcesOf(values).chain((source) => {
    const field = fieldsOf(source.kind);
    const plain = fc.uniqueArray(field, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) })
      .map((fields) => fields.map((field, n): Column => ({ name: `C${n}`, field })));
    const summaries = fc.array(fc.record({ field, summary: fc.constantFrom(...SUMMARIES) }), { maxLength: 2 });
    return fc.record({
      columns: fc.tuple(plain, summaries).map(([columns, summed]): Column[] => [
        ...columns,
        ...summed.map((one, n) => ({ name: `S${n}`, ...one })),
      ]),
      filter: fc.option(filtersOf(source.kind, values), { nil: undefined }),
      cases: fc.option(filtersOf("cases", values), { nil: undefined, freq: 2 }),
      distinct: fc.boolean(),
      order: fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 2 }),
    }).map(({ columns, filter, cases, distinct, order }): RowQuery => ({
      source,
      columns,
      ...(filter && { filter }),
      ...(cases && { cases }),
      distinct,
      sort: order.map(([n, descending]) => ({ column: columns[n % columns.length]?.name ?? "", descending })),
    }));
  });

const pages: fc.Arbitrary<Page> = fc.record({ offset: fc.nat(3), limit: fc.integer({ min: 1, max: 20 }) });

async function fill(tx: QueryTransaction, contents: readonly JsonObject[]): Promise<void> {
  for (const [n, content] of contents.entries()) {
    const time = `2026-01-0${1 + n % 3}T00:00:00.000Z`;
    const id = `${n % 2 ? "t" : "T"} ${n}`;
    await tx.putRecord({ classId: "D", key: String(n), tag: n % 2 ? "x" : "y", content });
    await tx.putRecord({ classId: "Other", key: String(n), tag: "", content });
    await tx.putCase({
      id,
      businessId: String(n),
      typeId: n % 3 ? "T" : "V",
      ...(n > 1 && { parentId: "T 0" }),
      status: ["Open", "open", "Ärger"][n % 3] ?? "",
      urgency: n % 4,
      stageId: "S",
      createdBy: "ada",
      createdAt: time,
      updatedBy: "ben\0",
      updatedAt: time,
      tag: time,
      content,
      flow: {},
    });
    await tx.putAssignment({
      id: `A ${n}`,
      caseId: id,
      processId: "P",
      stepId: "S",
      urgency: n,
      createdAt: time,
      assignee: { kind: n % 2 ? "queue" : "operator", id: "ada" },
      state: content,
    });
    await tx.addEvent({ caseId: id, at: time, by: "ada", kind: "k", text: `Text ${n}`, facts: content });
  }
}

/**
 * Rounds numbers, because the databases add decimal fractions differently. The least and the greatest of several objects is
 * an object on SQLite, and its JSON on PostgreSQL.
 */
function round({ columns }: RowQuery, row: JsonObject): unknown[] {
  return columns.map(({ name, summary }) => {
    const value = row[name];
    if (isNumber(value)) return Number(value).toPrecision(14);
    return summary !== undefined && typeof value === "object" && value !== null ? JSON.stringify(value) : value;
  });
}

async function checkSameRows(values: Values): Promise<void> {
  await using postgres = await openQueryStore();
  await fc.assert(
    fc.asyncProperty(
      fc.array(contentsOf(values.values), { maxLength: 8 }),
      fc.array(fc.tuple(queriesOf(values), pages), { minLength: 1, maxLength: 15 }),
      async (contents, asked) => {
        const sqlite = openSqliteStore(":memory:");
        await postgres.clear();
        await sqlite.transact((tx) => fill(tx, contents));
        await fill(postgres.transaction, contents);
        for (const [query, page] of asked) {
          const ask = async (tx: QueryTransaction) => ({
            rows: (await tx.queryRows(query, page)).map((row) => round(query, row)),
            count: await tx.countRows(query),
          });
          const expected = await sqlite.read(ask);
          assert.deepEqual(await ask(postgres.transaction), expected, JSON.stringify({ query, page }));
        }
        await sqlite.close();
      },
    ),
    { numRuns: 30 },
  );
}

Deno.test("a query returns and counts the same rows on SQLite and on PostgreSQL", () => checkSameRows(PLAIN));

Deno.test("unusual numbers and texts are compared on PostgreSQL as on SQLite", () => checkSameRows(ANY));
