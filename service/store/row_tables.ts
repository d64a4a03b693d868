/** The tables from which queries read. They are the same in every database. */
import type { RowProperties, RowSource } from "./query.ts";

/** A table with the rows of a source. */
export interface RowTable {
  readonly name: RowSource["kind"];
  /** Column with the content of a row. */
  readonly content: "content" | "state" | "facts";
  /** Columns by property. */
  readonly columns: ReadonlyMap<string, string>;
  /** Columns of the case of a row by property. */
  readonly caseColumns?: ReadonlyMap<string, string>;
}

/** Properties of the case of an assignment. */
type CaseProperty = Extract<RowProperties["assignments"], `case.${string}`>;

type OwnProperty = Exclude<RowProperties["assignments"], CaseProperty>;

/** The tables by kind of source. */
export const ROW_TABLES: { readonly [K in RowSource["kind"]]: RowTable } = {
  records: {
    name: "records",
    content: "content",
    columns: columns<RowProperties["records"]>({ key: "key", tag: "tag" }),
  },
  cases: {
    name: "cases",
    content: "content",
    columns: columns<RowProperties["cases"]>({
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
    columns: columns<OwnProperty>({
      id: "id",
      caseId: "caseId",
      processId: "processId",
      stepId: "stepId",
      urgency: "urgency",
      createdAt: "createdAt",
      "assignee.kind": "assigneeKind",
      "assignee.id": "assigneeId",
    }),
    caseColumns: columns<CaseProperty>({ "case.businessId": "businessId", "case.typeId": "typeId" }),
  },
  events: {
    name: "events",
    content: "facts",
    columns: columns<RowProperties["events"]>({ caseId: "caseId", at: "at", by: "by", kind: "kind", text: "text" }),
  },
  given: { name: "given", content: "content", columns: new Map() },
};

function columns<P extends string>(names: Record<P, string>): ReadonlyMap<string, string> {
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
