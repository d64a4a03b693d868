/** The tables from which queries read. They are the same in every database. */
import type { RowProperties, RowSource } from "./query.ts";

/** A table with the rows of a source. */
export interface RowTable {
  readonly name: RowSource["kind"];
  /** Column with the content of a row. */
  readonly content: "content" | "state" | "facts";
  /** Columns by property. */
  readonly columns: ReadonlyMap<string, string>;
}

/** The tables by kind of source. */
export const ROW_TABLES: { readonly [K in RowSource["kind"]]: RowTable } = {
  records: { name: "records", content: "content", columns: columns<"records">({ key: "key", tag: "tag" }) },
  cases: {
    name: "cases",
    content: "content",
    columns: columns<"cases">({
      id: "id",
      businessId: "businessId",
      typeId: "typeId",
      parentId: "parentId",
      status: "status",
      urgency: "urgency",
      stageId: "stageId",
      createdBy: "createdBy",
      createdAt: "createdAt",
      updatedBy: "updatedBy",
      updatedAt: "updatedAt",
      tag: "tag",
    }),
  },
  assignments: {
    name: "assignments",
    content: "state",
    columns: columns<"assignments">({
      id: "id",
      caseId: "caseId",
      processId: "processId",
      stepId: "stepId",
      urgency: "urgency",
      createdAt: "createdAt",
      "assignee.kind": "assigneeKind",
      "assignee.id": "assigneeId",
    }),
  },
  events: {
    name: "events",
    content: "facts",
    columns: columns<"events">({ caseId: "caseId", at: "at", by: "by", kind: "kind", text: "text" }),
  },
};

function columns<K extends keyof RowProperties>(names: Record<RowProperties[K], string>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names));
}

/** Returns the column of a property. Throws `TypeError` if the rows do not have the property. */
export function getColumn({ name, columns }: RowTable, property: string): string {
  const column = columns.get(property);
  if (column === undefined) throw new TypeError(`Rows of ${name} have no property ${property}.`);
  return column;
}

/** Properties that are numbers. All others are texts. */
export const NUMBER_PROPERTIES: readonly string[] = ["urgency"];
