/** UI lists: tables of a data view's rows that people arrange as they like. */
import { z } from "zod";
import type { Condition, DataView, Field } from "../model/application.ts";
import { compileCondition } from "../expressions/conditions.ts";
import { vocabulary } from "../expressions/expressions.ts";
import { spaced } from "./fields.ts";
import type { Report } from "../findings.ts";
import { missing, refer, type Referable } from "./references.ts";
import { identifier, right, text } from "../schema/words.ts";

/** A UI list as it is written. */
export const uiListSchema = z.strictObject({
  name: text.optional(),
  dataView: identifier,
  columns: z.array(identifier).min(1).optional().describe("Columns in order; all of the data view's without it"),
  setAppDefault: right.default(false).describe("Whether the caller may make a personalization everybody's default"),
});

/** A UI list. */
export interface UiList {
  /** ID, e.g. `Permits`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Where its rows come from. */
  readonly dataView: DataView;
  /** Columns in order. */
  readonly columns: readonly Field[];
  /** Whether the caller may make a personalization everybody's default. */
  readonly canSetAppDefault: Condition;
}

/** Compiles all UI lists. */
export function compileUiLists(
  definitions: Readonly<Record<string, z.infer<typeof uiListSchema>>>,
  dataViews: Referable<DataView>,
  report: Report,
): Map<string, UiList> {
  const words = vocabulary({});
  const lists = new Map<string, UiList>();
  for (const [id, { name = spaced(id), dataView: viewId, columns, setAppDefault }] of Object.entries(definitions)) {
    const at = ["uiLists", id];
    const dataView = refer(viewId, dataViews, [...at, "dataView"], report);
    if (dataView === undefined) continue;
    lists.set(id, {
      id,
      name,
      dataView,
      columns: (columns ?? [...dataView.columns.keys()]).flatMap((column, index) => {
        const field = dataView.columns.get(column)?.field;
        if (field === undefined) report([...at, "columns", index], missing("field", column, dataView.columns.keys()));
        return field ?? [];
      }),
      canSetAppDefault: compileCondition(setAppDefault, [...at, "setAppDefault"], { words, report }),
    });
  }
  return lists;
}
