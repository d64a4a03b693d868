import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import data from "../../lib/resources/data.ts";
import { filterObjects, isJsonObject, type JsonObject } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation } from "../context.ts";

/** Rows of a data view. */
export interface QueriedRows {
  /** The rows. */
  readonly rows: readonly JsonObject[];
  /** True if the data view has more of them. */
  readonly hasMoreResults: boolean;
}

/** Queries a data view. Some services send an empty object instead of an empty list. */
export async function queryRows(
  context: CommandContext,
  dataViewId: string,
  params: { readonly params?: JsonObject; readonly data?: JsonObject } = {},
): Promise<QueriedRows> {
  const ref = { name: "data.query", operation: data.query };
  const reply = await callOperation(context, ref, { dataViewId, ...params });
  const isEmpty = isJsonObject(reply.body) && Object.keys(reply.body).length === 0;
  if (isEmpty) return { rows: [], hasMoreResults: false };
  const { data: rows, hasMoreResults } = checkAnswer(data.query.answer, reply);
  return { rows: filterObjects(rows), hasMoreResults: hasMoreResults === true };
}
