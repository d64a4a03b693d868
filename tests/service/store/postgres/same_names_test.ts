/** Names of the definition are counted and replaced on PostgreSQL as on SQLite. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../../../utils/json.ts";
import { openSqliteStore } from "../../../../service/store/sqlite/sqlite_store.ts";
import type { FieldSource, Rename } from "../../../../service/store/uses.ts";
import { openQueryStore, type QueryTransaction } from "./_query_store.ts";

const NAMES = ["a", "b", 'c"', "d.ä"] as const;
const ITEM_KINDS = ["attachment", "bulk-job", "caseTag", "message", "participant", "personalization", "reply"] as const;
const PAGE = { offset: 0, limit: 1000 };

const names = fc.constantFrom(...NAMES);
const scalars: fc.Arbitrary<JsonValue> = fc.oneof(
  names,
  fc.constantFrom("2026-01-31", "2026-01-31T00:00:00Z", 5, 2.5, true, false, null),
);
const pages = fc.dictionary(names, scalars, { maxKeys: 3 }).map((page): JsonObject => ({ ...page }));
const contents: fc.Arbitrary<JsonObject> = fc.dictionary(
  names,
  fc.oneof({ weight: 3, arbitrary: scalars }, pages, fc.array(pages, { maxLength: 2 }), fc.dictionary(names, pages)),
  { maxKeys: 4 },
).map((members) => ({ ...members }));

/** The content of an item, with every member that contains a name. */
const itemContents: fc.Arbitrary<JsonObject> = fc.record({
  role: names,
  category: names,
  author: names,
  operator: names,
  addedBy: names,
  createdBy: names,
  callerId: names,
  queue: names,
  likes: fc.array(names, { maxLength: 3 }),
  mentions: fc.array(names, { maxLength: 3 }),
}, { requiredKeys: [] }).map((members) => ({ ...members }));

const flows: fc.Arbitrary<JsonObject> = fc.record({
  visits: pages,
  lockedBy: names,
  followers: fc.array(names, { maxLength: 3 }),
  waiting: fc.dictionary(fc.constantFrom("C 0", "C 1"), fc.record({ processId: names, stepId: names })),
}, { requiredKeys: [] }).map((members) => ({ ...members }));

const states = fc.record({ drafts: fc.dictionary(names, pages, { maxKeys: 2 }) }, { requiredKeys: [] })
  .map((members): JsonObject => ({ ...members }));

const rows = fc.array(
  fc.record({
    name: fc.tuple(names, names, names, names),
    content: contents,
    flow: flows,
    state: states,
    kind: fc.constantFrom(...ITEM_KINDS),
    item: itemContents,
  }),
  { maxLength: 5 },
);

const renames: fc.Arbitrary<Rename> = fc.oneof(
  fc.record({ kind: fc.constantFrom("caseType", "dataType", "queue", "operator"), from: names, to: names }),
  fc.record({
    kind: fc.constantFrom("stage", "process", "field", "recordField"),
    owner: names,
    from: names,
    to: names,
  }),
  fc.record({ kind: fc.constant("step"), owner: names, process: names, from: names, to: names }),
).filter(({ from, to }) => from !== to);

const parts = fc.record({ field: names, container: fc.constantFrom("array", "object") }, { requiredKeys: ["field"] });
const fieldSources: fc.Arbitrary<FieldSource> = fc.record({
  kind: fc.constantFrom("cases", "records"),
  id: names,
  path: fc.array(parts, { maxLength: 2 }),
  fields: fc.array(names, { maxLength: 2 }),
  choices: fc.dictionary(names, fc.array(names, { maxLength: 2 })),
}, { requiredKeys: ["kind", "id"] });

async function fill(
  tx: QueryTransaction,
  stored: typeof rows extends fc.Arbitrary<infer R> ? R : never,
): Promise<void> {
  for (const [n, { name: [one, two, three, four], content, flow, state, kind, item }] of stored.entries()) {
    const at = `2026-01-01T00:00:0${n}.000Z`;
    await tx.putCase({
      id: `C ${n}`,
      businessId: String(n),
      typeId: one,
      status: "Open",
      urgency: 0,
      stageId: two,
      createdBy: three,
      createdAt: at,
      updatedBy: four,
      updatedAt: at,
      tag: "",
      content,
      flow,
    });
    await tx.putAssignment({
      id: `A ${n}`,
      caseId: `C ${n}`,
      processId: two,
      stepId: three,
      urgency: 0,
      createdAt: at,
      assignee: { kind: n % 2 ? "queue" : "operator", id: four },
      state,
    });
    await tx.addEvent({ caseId: `C ${n}`, at, by: two, kind: "k", text: "", facts: {} });
    const key = n % 3 ? JSON.stringify([content.a ?? null, n]) : String(n);
    await tx.putRecord({ classId: one, key, tag: "", content: { ...content, n } });
    await tx.putItem({ kind, id: String(n), owner: n % 2 ? `C ${n}` : two, at, content: item });
    await tx.putClient({ id: String(n), secretHash: "", operator: three, createdAt: at });
  }
}

/** Reads everything that contains names. */
async function readNames(tx: QueryTransaction, sources: readonly FieldSource[]): Promise<unknown> {
  const field = (...content: string[]) => ({ name: "content", field: { content } });
  const property = (name: string) => ({ name, field: { property: name } });
  return {
    uses: await tx.countUses(),
    values: await Promise.all(sources.map((source) => tx.countValues(source))),
    mismatched: await tx.countMismatchedKeys("a", ["a", "n"]),
    cases: await tx.queryRows({
      source: { kind: "cases", typeIds: NAMES },
      columns: [...["typeId", "stageId", "createdBy", "updatedBy"].map(property), field()],
    }, PAGE),
    flows: await Promise.all([0, 1, 2, 3, 4].map(async (n) => (await tx.getCase(`C ${n}`))?.flow)),
    assignments: await tx.queryRows({
      source: { kind: "assignments" },
      columns: [...["processId", "stepId", "assignee.kind", "assignee.id"].map(property), field()],
    }, PAGE),
    events: await tx.queryRows({ source: { kind: "events" }, columns: [property("by")] }, PAGE),
    records: await Promise.all(
      NAMES.map((classId) =>
        tx.queryRows({ source: { kind: "records", classId }, columns: [property("key"), field()] }, PAGE)
      ),
    ),
    items: await Promise.all(ITEM_KINDS.map((kind) => tx.listItems(kind))),
    clients: await Promise.all([0, 1, 2, 3, 4].map((n) => tx.getClient(String(n)))),
    likes: await tx.textUses("message", "likes", "C 1"),
    visible: await tx.textUses("message", "likes", undefined, {
      left: { content: ["a"] },
      comparator: "EQ",
      right: { value: "a" },
    }),
  };
}

/** A case whose container has a text in the place of a page. */
const TEXT_IN_CONTAINER = {
  name: ["a", "a", "a", "a"],
  content: { "d.ä": { a: "a" } },
  flow: {},
  state: {},
  kind: "attachment",
  item: {},
} satisfies Parameters<typeof fill>[1][number];

Deno.test("names are counted and replaced on PostgreSQL as on SQLite", async () => {
  await using postgres = await openQueryStore();
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.array(renames, { maxLength: 6 }),
      fc.array(fieldSources, { maxLength: 3 }),
      async (stored, changes, sources) => {
        const sqlite = openSqliteStore(":memory:");
        await postgres.clear();
        const change = async (tx: QueryTransaction) => {
          await fill(tx, stored);
          const states = [await readNames(tx, sources)];
          for (const one of changes) states.push(await tx.rename(one), await readNames(tx, sources));
          return states;
        };
        const expected = await sqlite.transact(change);
        assert.deepEqual(await change(postgres.transaction), expected);
        await sqlite.close();
      },
    ),
    {
      numRuns: 15,
      examples: [[[TEXT_IN_CONTAINER], [], [{
        kind: "cases",
        id: "a",
        path: [{ field: "d.ä", container: "object" }],
      }]]],
    },
  );
});
