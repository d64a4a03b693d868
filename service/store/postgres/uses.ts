/** Counts and replaces names of the application definition in stored data. */
import type { JsonObject } from "../../../utils/json.ts";
import type { SqlParameter, SqlRow } from "../../../utils/postgres/sql_value.ts";
import {
  moveMember,
  OPERATOR_COLUMNS,
  OPERATOR_LISTS,
  OPERATOR_MEMBERS,
  OPERATOR_OWNED,
  QUEUE_MEMBERS,
  renameInDrafts,
  renameWaiting,
  replaceInList,
} from "../stored_names.ts";
import { parseObject } from "../tables.ts";
import type { EmbeddedPart, FieldSource, Rename, Use, UseKind, ValueCount } from "../uses.ts";
import { escapeJson, escapeText, unescapeJson, unescapeText } from "./escape_text.ts";
import type { RunStatement } from "./run_query.ts";

/** Number of rows that are rewritten at a time. */
const PAGE = 500;

/** Statements that return the owner, the name and the number of uses. */
const COUNT_USES: { readonly [K in UseKind]: string } = {
  caseType: `SELECT '' AS owner, "typeId" AS name, COUNT(*) AS count FROM cases GROUP BY name`,
  stage: `SELECT "typeId" AS owner, "stageId" AS name, COUNT(*) AS count FROM cases GROUP BY owner, name`,
  step: `SELECT owner, name, COUNT(*) AS count FROM (
      SELECT "typeId" AS owner, "processId" || '/' || "stepId" AS name
      FROM assignments JOIN cases ON cases.id = assignments."caseId"
      UNION ALL
      SELECT "typeId", (place.value ->> 'processId') || '/' || (place.value ->> 'stepId')
      FROM cases, ${eachMember("flow::json -> 'waiting'")} AS place WHERE json_typeof(place.value) = 'object'
    ) AS steps GROUP BY owner, name`,
  draft: `SELECT "typeId" AS owner, "processId" || '/' || "stepId" || '/' || draft.key AS name, COUNT(*) AS count
    FROM assignments JOIN cases ON cases.id = assignments."caseId", ${eachMember("state::json -> 'drafts'")} AS draft
    WHERE json_typeof(draft.value) = 'object' GROUP BY "typeId", "processId", "stepId", draft.key`,
  role: countItems("participant", "role"),
  category: countItems("attachment", "category"),
  dataType: `SELECT '' AS owner, "classId" AS name, COUNT(*) AS count FROM records GROUP BY name`,
  queue: countAssignees("queue"),
  operator: countAssignees("operator"),
  uiList:
    "SELECT '' AS owner, owner AS name, COUNT(*) AS count FROM items WHERE kind = 'personalization' GROUP BY name",
};

function eachMember(object: string): string {
  return `json_each(CASE json_typeof(${object}) WHEN 'object' THEN ${object} ELSE '{}' END)`;
}

function countItems(kind: string, member: string): string {
  return `SELECT "typeId" AS owner, items.content::json ->> '${member}' AS name, COUNT(*) AS count
    FROM items JOIN cases ON cases.id = items.owner WHERE items.kind = '${kind}' GROUP BY "typeId", 2`;
}

function countAssignees(kind: string): string {
  return `SELECT '' AS owner, "assigneeId" AS name, COUNT(*) AS count FROM assignments
    WHERE "assigneeKind" = '${kind}' GROUP BY name`;
}

/** Counts the uses of names of the definition in stored data. */
export async function countUses(run: RunStatement): Promise<Use[]> {
  const uses: Use[] = [];
  for (const kind of Object.keys(COUNT_USES).filter(isUseKind)) {
    const sql = `SELECT * FROM (${COUNT_USES[kind]}) AS uses ORDER BY owner COLLATE "C", name COLLATE "C"`;
    for (const { owner, name, count } of (await run({ sql, parameters: [] })).rows) {
      uses.push({ kind, owner: readText(owner), name: readText(name), count: Number(count) });
    }
  }
  return uses;
}

const DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}";

/** Counts the values of fields by their types. */
export async function countValues(
  run: RunStatement,
  { kind, id, path = [], fields, choices = {} }: FieldSource,
): Promise<ValueCount[]> {
  const [table, owner] = kind === "cases" ? ["cases", "typeId"] : ["records", "classId"];
  const pairs = Object.entries(choices).flatMap(([name, values]) => values.map((value) => [name, value]));
  const parameters: SqlParameter[] = [escapeText(id), escapeJson(JSON.stringify(pairs))];
  const bind = (value: SqlParameter) => `$${parameters.push(value)}`;
  const { joins, content } = joinEmbedded(`${table}.content::json`, path, (name) => `${bind(escapeText(name))}::text`);
  const isWanted = fields === undefined ? "TRUE" : `member.key = ANY(${bind(fields.map(escapeText))}::text[])`;
  const text = "CASE json_typeof(member.value) WHEN 'string' THEN member.value #>> '{}' END";
  const { rows } = await run({
    sql: `SELECT member.key AS field, type.name AS json, COUNT(*) AS count,
        COUNT(*) FILTER (WHERE type.text ~ '^${DATE}$') AS dates,
        COUNT(*) FILTER (WHERE type.text ~ '^${DATE}T.*Z$') AS instants,
        COUNT(*) FILTER (WHERE (member.key, type.text) IN
          (SELECT pair ->> 0, pair ->> 1 FROM json_array_elements($2::json) AS pairs (pair))) AS chosen
      FROM ${[table, ...joins].join(", ")}, ${eachMember(content)} AS member,
        LATERAL (SELECT ${text} AS text, CASE json_typeof(member.value)
          WHEN 'string' THEN 'text'
          WHEN 'boolean' THEN member.value::text
          WHEN 'number' THEN CASE WHEN member.value::text ~ '^-?[0-9]+$' THEN 'integer' ELSE 'real' END
          ELSE json_typeof(member.value) END AS name) AS type
      WHERE ${table}."${owner}" = $1 AND ${isWanted}
      GROUP BY member.key, type.name ORDER BY member.key COLLATE "C", type.name COLLATE "C"`,
    parameters,
  });
  return rows.map(({ field, json, count, dates, instants, chosen }) => ({
    field: readText(field),
    json: readText(json),
    count: Number(count),
    dates: Number(dates),
    instants: Number(instants),
    chosen: Number(chosen),
  }));
}

/** Joins the pages or rows at a path. Values of another type have no members. */
function joinEmbedded(
  content: string,
  path: readonly EmbeddedPart[],
  bind: (name: string) => string,
): { joins: readonly string[]; content: string } {
  const joins: string[] = [];
  for (const [depth, { field, container }] of path.entries()) {
    const part = `(${content} -> ${bind(field)})`;
    if (container === "object") joins.push(`${eachMember(part)} AS row${depth}`);
    if (container === "array") {
      const list = `CASE json_typeof(${part}) WHEN 'array' THEN ${part} ELSE '[]' END`;
      joins.push(`json_array_elements(${list}) AS row${depth} (value)`);
    }
    const page = container ? `row${depth}.value` : part;
    content = `CASE json_typeof(${page}) WHEN 'object' THEN ${page} ELSE '{}' END`;
  }
  return { joins, content };
}

/** Counts the records of a class whose key does not match the values of its key fields. */
export async function countMismatchedKeys(
  run: RunStatement,
  classId: string,
  key: readonly string[],
): Promise<number> {
  const values = key.map((_, index) => `COALESCE((content::json -> $${index + 2}::text)::text, 'null')`);
  // A key is JSON in a text, in which the escapes of JSON are not replaced.
  const json = String.raw`replace(replace(concat_ws(',', ${
    values.join(", ")
  }), '\u0001\u0001', '\u0000'), '\u0001\u0002', '\u0001')`;
  const { rows } = await run({
    sql: `SELECT COUNT(*) AS count FROM records WHERE "classId" = $1 AND key <> concat('[', ${json}, ']')`,
    parameters: [classId, ...key].map(escapeText),
  });
  return Number(rows[0]?.count ?? 0);
}

/** Replaces a name. Returns the number of changed rows. */
export async function rename(run: RunStatement, change: Rename): Promise<number> {
  let count = 0;
  for (const replace of listReplacements(change)) count += await replace(run);
  // The migration reports the fields, and not the drafts in which they were renamed, too.
  if (change.kind === "field") {
    await rewrite(run, {
      table: "assignments",
      column: "state",
      condition: OF_CASE_TYPE,
      parameters: [change.owner],
      change: (state) => renameInDrafts(state, change),
    });
  }
  return count;
}

type Replacement = (run: RunStatement) => Promise<number>;

function listReplacements(change: Rename): Replacement[] {
  const { from, to } = change;
  switch (change.kind) {
    case "caseType":
      return [replaceColumn("cases", "typeId", change)];
    case "dataType":
      return [replaceColumn("records", "classId", change)];
    case "queue":
      return [
        replaceColumn("assignments", "assigneeId", change, `"assigneeKind" = $3`, change.kind),
        ...QUEUE_MEMBERS.map((place) => replaceInItems(place, change)),
      ];
    case "operator":
      return [
        replaceColumn("assignments", "assigneeId", change, `"assigneeKind" = $3`, change.kind),
        ...OPERATOR_COLUMNS.map(([table, column]) => replaceColumn(table, column, change)),
        rewriting({
          table: "cases",
          column: "flow",
          condition: "flow::json ->> 'lockedBy' = $2",
          parameters: [from],
          change: (flow) => ({ ...flow, lockedBy: to }),
        }),
        replaceElement("cases", "flow", "followers", change),
        ...OPERATOR_MEMBERS.map((place) => replaceInItems(place, change)),
        ...OPERATOR_LISTS.map((member) => replaceElement("items", "content", member, change)),
        ...OPERATOR_OWNED.map((kind) => replaceColumn("items", "owner", change, "kind = $3", kind)),
        // If both operators have used a key, the response to the new operator is kept.
        replaceColumn(
          "answers",
          "caller",
          change,
          "NOT EXISTS (SELECT 1 FROM answers AS other WHERE other.caller = $1 AND other.key = answers.key)",
        ),
      ];
    case "stage":
      return [
        replaceColumn("cases", "stageId", change, `"typeId" = $3`, change.owner),
        rewriting({
          table: "cases",
          column: "flow",
          condition: `"typeId" = $2`,
          parameters: [change.owner],
          change: (flow) => moveMember(flow, ["visits"], from, to),
        }),
      ];
    case "field":
    case "recordField": {
      const isCase = change.kind === "field";
      return [rewriting({
        table: isCase ? "cases" : "records",
        column: "content",
        condition: isCase ? `"typeId" = $2` : `"classId" = $2`,
        parameters: [change.owner],
        change: (content) => moveMember(content, [], from, to),
      })];
    }
    case "process":
      return [
        replaceColumn("assignments", "processId", change, OF_CASE_TYPE.replace("$2", "$3"), change.owner),
        renamingWaiting(change),
      ];
    case "step": {
      const condition = `${OF_CASE_TYPE.replace("$2", "$3")} AND "processId" = $4`;
      return [
        replaceColumn("assignments", "stepId", change, condition, change.owner, change.process),
        renamingWaiting(change),
      ];
    }
  }
}

const OF_CASE_TYPE = `"caseId" IN (SELECT id FROM cases WHERE "typeId" = $2)`;

/** Replaces the value of a column in the rows that meet a condition. The parameters of the condition start at `$3`. */
function replaceColumn(
  table: string,
  column: string,
  { from, to }: Rename,
  condition = "TRUE",
  ...parameters: readonly string[]
): Replacement {
  return async (run) => {
    const { count } = await run({
      sql: `UPDATE ${table} SET "${column}" = $1 WHERE "${column}" = $2 AND ${condition}`,
      parameters: [to, from, ...parameters].map(escapeText),
    });
    return count;
  };
}

/** Replaces the value of a member of all items of a kind. */
function replaceInItems(place: { readonly kind: string; readonly member: string }, { from, to }: Rename): Replacement {
  return rewriting({
    table: "items",
    column: "content",
    condition: "kind = $2 AND content::json ->> $3::text = $4",
    parameters: [place.kind, place.member, from],
    change: (content) => ({ ...content, [place.member]: to }),
  });
}

/** Replaces an element of a list in a JSON column. */
function replaceElement(
  table: string,
  column: string,
  member: string,
  { from, to }: Rename,
): Replacement {
  return rewriting({
    table,
    column,
    condition:
      `json_typeof(${column}::json -> $2::text) = 'array' AND strpos((${column}::json -> $2::text)::text, to_json($3::text)::text) > 0`,
    parameters: [member, from],
    change: (value) => replaceInList(value, member, from, to),
  });
}

function renamingWaiting(change: Rename & { readonly owner: string }): Replacement {
  return rewriting({
    table: "cases",
    column: "flow",
    condition: `"typeId" = $2 AND json_typeof(flow::json -> 'waiting') = 'object'`,
    parameters: [change.owner],
    change: (flow) => renameWaiting(flow, change),
  });
}

/** A change of a JSON column. */
interface Rewriting {
  readonly table: string;
  readonly column: string;
  /** Condition on the rows. Its parameters start at `$2`. */
  readonly condition: string;
  readonly parameters: readonly string[];
  /** Returns the new value, or undefined if it stays. */
  readonly change: (value: JsonObject) => JsonObject | undefined;
}

function rewriting(how: Rewriting): Replacement {
  return (run) => rewrite(run, how);
}

/**
 * Rewrites a JSON column here, because the functions of PostgreSQL would change the digits of numbers and the order of
 * members.
 */
async function rewrite(
  run: RunStatement,
  { table, column, condition, parameters, change }: Rewriting,
): Promise<number> {
  const select = `SELECT seq, ${column}::text AS value FROM ${table}
    WHERE seq > $1 AND (${condition}) ORDER BY seq LIMIT ${PAGE}`;
  const update = `UPDATE ${table} SET ${column} = changed.value::json
    FROM unnest($1::bigint[], $2::text[]) AS changed (seq, value) WHERE ${table}.seq = changed.seq`;
  let count = 0;
  let last: SqlParameter = 0;
  for (;;) {
    const { rows } = await run({ sql: select, parameters: [last, ...parameters.map(escapeText)] });
    const changed = rows.flatMap((row) => {
      const value = change(readObject(row));
      return value === undefined ? [] : [{ seq: Number(row.seq), value: escapeJson(JSON.stringify(value)) }];
    });
    if (changed.length > 0) {
      const lists = [changed.map(({ seq }) => seq), changed.map(({ value }) => value)];
      count += (await run({ sql: update, parameters: lists })).count;
    }
    if (rows.length < PAGE) return count;
    last = Number(rows.at(-1)?.seq);
  }
}

function readObject({ value }: SqlRow): JsonObject {
  const object = parseObject(unescapeJson(String(value)));
  if (object === undefined) throw new TypeError("A column is not a JSON object.");
  return object;
}

function readText(value: SqlRow[string] | undefined): string {
  return unescapeText(String(value ?? ""));
}

function isUseKind(kind: string): kind is UseKind {
  return kind in COUNT_USES;
}
