/** Counts and replaces names of the application definition in stored data. */
import type { SQLInputValue } from "node:sqlite";
import type { TableName } from "../tables.ts";
import { set } from "./tables.ts";
import { OPERATOR_COLUMNS, OPERATOR_LISTS, OPERATOR_MEMBERS, OPERATOR_OWNED, QUEUE_MEMBERS } from "../stored_names.ts";
import type { EmbeddedPart, FieldSource, Rename, UseKind } from "../uses.ts";

/** A statement with its parameters. */
export interface Change {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** Statements that return the owner, the name and the number of uses. */
export const COUNT_USES: { readonly [K in UseKind]: string } = {
  caseType: "SELECT '' AS owner, typeId AS name, COUNT(*) AS count FROM cases GROUP BY typeId",
  stage: "SELECT typeId AS owner, stageId AS name, COUNT(*) AS count FROM cases GROUP BY typeId, stageId",
  step: `SELECT owner, name, COUNT(*) AS count FROM (
      SELECT typeId AS owner, processId || '/' || stepId AS name
      FROM assignments JOIN cases ON cases.id = assignments.caseId
      UNION ALL
      SELECT typeId, (value ->> 'processId') || '/' || (value ->> 'stepId')
      FROM cases, json_each(flow, '$.waiting') WHERE json_each.type = 'object'
    ) GROUP BY owner, name`,
  draft: `SELECT typeId AS owner, processId || '/' || stepId || '/' || key AS name, COUNT(*) AS count
    FROM assignments JOIN cases ON cases.id = assignments.caseId, json_each(state, '$.drafts')
    WHERE json_each.type = 'object' GROUP BY typeId, name`,
  role: countItems("participant", "role"),
  category: countItems("attachment", "category"),
  dataType: "SELECT '' AS owner, classId AS name, COUNT(*) AS count FROM records GROUP BY classId",
  queue: countAssignees("queue"),
  operator: countAssignees("operator"),
  uiList:
    "SELECT '' AS owner, owner AS name, COUNT(*) AS count FROM items WHERE kind = 'personalization' GROUP BY owner",
};

function countItems(kind: string, member: string): string {
  return `SELECT typeId AS owner, items.content ->> '${member}' AS name, COUNT(*) AS count
    FROM items JOIN cases ON cases.id = items.owner WHERE kind = '${kind}' GROUP BY typeId, name`;
}

function countAssignees(kind: string): string {
  return `SELECT '' AS owner, assigneeId AS name, COUNT(*) AS count FROM assignments
    WHERE assigneeKind = '${kind}' GROUP BY assigneeId`;
}

const DATE = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]";

/** Returns the statement that counts the values of fields. */
export function countValues({ kind, id, path = [], fields, choices = {} }: FieldSource): Change {
  const [table, owner] = kind === "cases" ? ["cases", "typeId"] : ["records", "classId"];
  const pairs = Object.entries(choices).flatMap(([name, values]) => values.map((value) => [name, value]));
  const parameters: SQLInputValue[] = [id, JSON.stringify(pairs)];
  const bind = (value: string) => `?${parameters.push(value)}`;
  const { joins, content } = joinEmbedded(`${table}.content`, path, bind);
  const isWanted = fields === undefined
    ? "1"
    : `member.key IN (SELECT value FROM json_each(${bind(JSON.stringify(fields))}))`;
  return {
    sql: `SELECT member.key AS field, member.type AS json, COUNT(*) AS count,
        SUM(member.type = 'text' AND member.value GLOB '${DATE}') AS dates,
        SUM(member.type = 'text' AND member.value GLOB '${DATE}T*Z') AS instants,
        SUM(member.type = 'text' AND (member.key, member.value) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2))) AS chosen
      FROM ${[table, ...joins].join(", ")}, json_each(${content}) AS member
      WHERE ${owner} = ?1 AND ${isWanted} GROUP BY member.key, member.type`,
    parameters,
  };
}

/** Joins the pages or rows at a path. Values of another type have no members. */
function joinEmbedded(
  content: string,
  path: readonly EmbeddedPart[],
  bind: (value: string) => string,
): { joins: readonly string[]; content: string } {
  const joins: string[] = [];
  for (const [depth, { field, container }] of path.entries()) {
    const part = `${content} -> ${bind(`$.${JSON.stringify(field)}`)}`;
    if (container) joins.push(`json_each(IIF(json_type(${part}) = '${container}', ${part}, '[]')) AS row${depth}`);
    const [page, type] = container ? [`row${depth}.value`, `row${depth}.type`] : [part, `json_type(${part})`];
    content = `IIF(${type} = 'object', ${page}, '{}')`;
  }
  return { joins, content };
}

/** Returns the statement that counts the records of a class whose key does not match their content. */
export function countMismatchedKeys(classId: string, key: readonly string[]): Change {
  const values = key.map((_, index) => `content -> ?${index + 2}`).join(", ");
  return {
    sql: `SELECT COUNT(*) AS count FROM records WHERE classId = ?1 AND key <> json_array(${values})`,
    parameters: [classId, ...key.map((name) => `$.${JSON.stringify(name)}`)],
  };
}

/** Returns the statements that replace a name, in the order in which they run. */
export function rename(change: Rename): Change[] {
  const { from, to } = change;
  switch (change.kind) {
    case "caseType":
      return [replace("cases", "typeId", change)];
    case "dataType":
      return [replace("records", "classId", change)];
    case "queue":
      return [
        replace("assignments", "assigneeId", change, "assigneeKind = ?3", change.kind),
        ...QUEUE_MEMBERS.map((member) => replaceInItems(member, from, to)),
      ];
    case "operator":
      return [
        replace("assignments", "assigneeId", change, "assigneeKind = ?3", change.kind),
        ...OPERATOR_COLUMNS.map(([table, column]) => replace(table, column, change)),
        {
          sql: `UPDATE cases ${set("cases", { flow: "json_set(flow, '$.lockedBy', ?1)" })}
            WHERE flow ->> 'lockedBy' = ?2`,
          parameters: [to, from],
        },
        replaceInList("cases", "flow", "followers", from, to),
        ...OPERATOR_MEMBERS.map((member) => replaceInItems(member, from, to)),
        ...OPERATOR_LISTS.map((member) => replaceInList("items", "content", member, from, to)),
        ...OPERATOR_OWNED.map((kind) => replace("items", "owner", change, "kind = ?3", kind)),
        {
          // If both operators have used a key, the response to the new operator is kept.
          sql: `UPDATE OR IGNORE answers ${set("answers", { caller: "?1" })} WHERE caller = ?2`,
          parameters: [to, from],
        },
      ];
    case "stage":
      return [
        replace("cases", "stageId", change, "typeId = ?3", change.owner),
        moveMember("cases", "flow", ["visits"], change),
      ];
    case "field":
      return [moveMember("cases", "content", [], change)];
    case "recordField":
      return [moveMember("records", "content", [], change)];
    case "process":
      return [replace("assignments", "processId", change, OF_CASE_TYPE, change.owner)];
    case "step": {
      const { owner, process } = change;
      return [replace("assignments", "stepId", change, `${OF_CASE_TYPE} AND processId = ?4`, owner, process)];
    }
  }
}

const OF_CASE_TYPE = "caseId IN (SELECT id FROM cases WHERE typeId = ?3)";

/** Replaces the value of a column in the rows that meet a condition. The parameters of the condition start at `?3`. */
function replace(
  table: TableName,
  column: string,
  { from, to }: Rename,
  condition = "1",
  ...parameters: readonly string[]
): Change {
  return {
    sql: `UPDATE ${table} ${set(table, { [column]: "?1" })} WHERE "${column}" = ?2 AND ${condition}`,
    parameters: [to, from, ...parameters],
  };
}

/** Replaces the value of a member of all items of a kind. */
function replaceInItems(
  { kind, member }: { readonly kind: string; readonly member: string },
  from: string,
  to: string,
): Change {
  return {
    sql: `UPDATE items ${set("items", { content: "json_set(content, ?1, ?2)" })}
      WHERE kind = ?3 AND content ->> ?1 = ?4`,
    parameters: [`$.${member}`, to, kind, from],
  };
}

/** Replaces an element of a list in a JSON column. An element that the list already contains is not repeated. */
function replaceInList(table: "cases" | "items", column: string, member: string, from: string, to: string): Change {
  const list = `json_each(${table}.${column}, ?1)`;
  const replaced = `json_set(${column}, ?1, (
      SELECT json_group_array(name) FROM (
        SELECT IIF(value = ?2, ?3, value) AS name, MIN(key) AS place FROM ${list} GROUP BY 1 ORDER BY place
      )
    ))`;
  return {
    sql: `UPDATE ${table} ${set(table, { [column]: replaced })} WHERE ?2 IN (SELECT value FROM ${list})`,
    parameters: [`$.${member}`, from, to],
  };
}

/** Renames a member of an object in a JSON column, unless the object has a member with the new name. */
function moveMember(
  table: "cases" | "records",
  column: "content" | "flow",
  path: readonly string[],
  { owner, from, to }: { readonly owner: string; readonly from: string; readonly to: string },
): Change {
  const [before, after] = [from, to].map((name) =>
    "$" + [...path, name].map((part) => `.${JSON.stringify(part)}`).join("")
  );
  const type = table === "cases" ? "typeId" : "classId";
  const moved = `json_remove(json_set(${column}, ?1, json(${column} -> ?2)), ?2)`;
  return {
    sql: `UPDATE ${table} ${set(table, { [column]: moved })}
      WHERE ${type} = ?3 AND json_type(${column}, ?2) IS NOT NULL AND json_type(${column}, ?1) IS NULL`,
    parameters: [after ?? "", before ?? "", owner],
  };
}
