/** The history of a case: who did what and when, and the fields that changed. */
import { isUnserved } from "../../lib/client/refusals.ts";
import type { Answer } from "../../lib/operation/answer.ts";
import { isJsonObject, isObjectList, isScalar, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import { displayWidth, padToWidth, truncateToWidth } from "../../utils/text/display_width.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { parseTimestamp } from "../../utils/time/parse_timestamp.ts";
import type { CommandContext } from "../commands/command.ts";
import { queryRows } from "../handles/query_rows.ts";
import { describeEvent, type PastEvent } from "../view/case_page.ts";
import { formatValue, isEmptyValue, isTechnical, toLabel } from "../view/format_value.ts";

/** A field that changed. A value that is missing was or became empty. */
export interface FieldChange {
  /** Name of the field. */
  readonly field: string;
  /** Value before. */
  readonly from?: JsonValue;
  /** Value after. */
  readonly to?: JsonValue;
}

/** A line of the history. */
export interface HistoryEntry extends PastEvent {
  /** Fields that changed. Services that do not record the old values list the submitted ones. */
  readonly changes: readonly FieldChange[];
}

/** Description of what `svc history` prints. */
export const HISTORY: Answer = {
  shape: {
    required: {
      history: {
        list: {
          required: {
            time: "string",
            by: "string",
            text: "string",
            changes: { list: { required: { field: "string" }, optional: { from: "json", to: "json" } } },
          },
        },
      },
    },
  },
};

/** Reads the history of a case, oldest first. */
export async function readHistory(context: CommandContext, caseId: string): Promise<HistoryEntry[]> {
  const { rows } = await queryRows(context, "D_pyWorkHistory", { params: { CaseInstanceKey: caseId } });
  const entries = rows.map((row) => ({
    time: toText(row.pxTimeCreated),
    by: toText(row.pyPerformer),
    text: toText(row.pyMessageKey),
    changes: isJsonObject(row.pyChanges) ? listChanges(row.pyChanges) : listValues(row.pyContent),
  }));
  const times = entries.map(({ time }) => parseTimestamp(time) ?? "");
  const isNewestFirst = times.every((time, i) => i === 0 || time <= (times[i - 1] ?? ""));
  return isNewestFirst && times[0] !== times.at(-1) ? entries.reverse() : entries;
}

/** Reads the history of a case. If the service does not serve it, the error names another command. */
export async function requireHistory(context: CommandContext, caseId: string): Promise<HistoryEntry[]> {
  try {
    return await readHistory(context, caseId);
  } catch (error) {
    if (!isUnserved(error)) throw error;
    const hint = { commands: [{ args: ["show", caseId], purpose: "to see the state of the case" }] };
    throw error.with({ hint }, `The history of ${caseId} cannot be read: ${error.message}`);
  }
}

function toText(value: JsonValue | undefined): string {
  return isScalar(value) ? String(value) : "";
}

function listChanges(changes: JsonObject): FieldChange[] {
  return Object.entries(changes).flatMap(([field, change]) => isJsonObject(change) ? [{ field, ...change }] : []);
}

function listValues(content: JsonValue | undefined): FieldChange[] {
  if (!isJsonObject(content)) return [];
  return Object.entries(content).map(([field, to]) => ({ field, ...(to !== undefined && { to }) }));
}

/** Converts a history to JSON. */
export function toJson(entries: readonly HistoryEntry[]): JsonObject {
  return {
    history: entries.map(({ changes, ...entry }) => ({ ...entry, changes: changes.map((one) => ({ ...one })) })),
  };
}

/** Renders a history for people. Each change is on a line of its own. */
export function renderHistory(entries: readonly HistoryEntry[], columns: number): string {
  const events = entries.map((entry) => ({ ...describeEvent(entry), changes: entry.changes }));
  const width = Math.max(0, ...events.map(({ by }) => displayWidth(by)));
  const indent = " ".repeat(4);
  const lines = events.flatMap(({ time, by, text, changes }) => [
    escapeToOneLine(`${time}  ${padToWidth(by, width)}  ${text}`),
    ...changes.flatMap(formatChange).map((change) => truncateToWidth(indent + escapeToOneLine(change), columns)),
  ]);
  return lines.map((line) => line + "\n").join("");
}

/** Formats a change as `Fee: 50 → 150`. A page that had content before has a line for each member that changed. */
function formatChange({ field, from, to }: FieldChange): string[] {
  if (isJsonObject(from) && isJsonObject(to)) {
    const members = Object.keys({ ...from, ...to }).filter((name) => !isTechnical(name));
    const changed = members.filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]));
    return changed.flatMap((name) =>
      formatChange({ field: name, from: from[name], to: to[name] }).map((line) => `${toLabel(field)}: ${line}`)
    );
  }
  const old = from === undefined ? "" : `${formatChanged(from)} → `;
  return [`${toLabel(field)}: ${old}${formatChanged(to)}`];
}

function formatChanged(value: JsonValue | undefined): string {
  if (isEmptyValue(value)) return "(empty)";
  return isObjectList(value) ? pluralize(value.length, "row") : formatValue(value);
}
