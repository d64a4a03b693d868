/** The page of a case or an assignment. */
import { formatCommandLine } from "../../lib/errors.ts";
import { htmlToText } from "../../lib/forms/html.ts";
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isScalar,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";
import { displayWidth, padToWidth } from "../../utils/text/display_width.ts";
import { getShortId, hasDraft, isShortId } from "../handles/handles.ts";
import { listFields } from "./content_rows.ts";
import { EMPTY, formatDistance, formatValue } from "./format_value.ts";
import type { Row, Section, Span } from "./page.ts";

/** Number of entries of the history on a page. */
const RECENT = 5;

/** The body of a response with a case. */
type CaseBody = JsonObject & { readonly data: { readonly caseInfo: JsonObject } };

/** Reports whether a result is a case, or an assignment with its case. */
export function isCaseBody(value: JsonValue): value is CaseBody {
  return isJsonObject(value) && isJsonObject(value.data) && isJsonObject(value.data.caseInfo);
}

/** Something that has happened to a case. */
export interface PastEvent {
  /** Time, in ISO 8601. */
  readonly time: string;
  /** Operator ID. */
  readonly by: string;
  /** The event as a sentence. */
  readonly text: string;
}

/** Describes an event for people: in local time, and with a dash for what the service does not say. */
export function describeEvent({ time, by, text }: PastEvent): PastEvent {
  return { time: formatValue(time), by: formatValue(by), text: formatValue(text) };
}

/** Facts that a page shows besides the response with the case. */
export interface CaseContext {
  /** Response with a page or form of the case, whose labels are shown. */
  readonly page?: JsonObject;
  /** History of the case, oldest first. */
  readonly history: readonly PastEvent[];
  /** Sections with the last notes. Default: none. */
  readonly notes?: readonly Section[];
}

/** Builds the page of a case, or of an assignment with its case. */
export function buildCasePage(body: CaseBody, around?: CaseContext): Section[] {
  const { caseInfo } = body.data;
  const content = isJsonObject(caseInfo.content) ? caseInfo.content : {};
  const caseId = toText(caseInfo.ID) ?? toText(body.ID) ?? "";
  const shortId = toText(caseInfo.businessID) ?? getShortId(caseId);
  const name = isShortId(shortId) ? shortId : caseId;
  const all = filterObjects(caseInfo.assignments);
  const selected = all.filter(({ ID }) => ID === body.id);
  const assignments = selected.length > 0 ? selected : all;
  const label = toText(content.pyLabel) ?? toText(caseInfo.name) ?? "";
  return [
    ...(isNonEmptyString(body.confirmationNote) ? [{ text: htmlToText(body.confirmationNote) }] : []),
    { line: [{ text: [shortId, label].filter(isNonEmptyString).join("  "), style: "bold" }] },
    { line: buildStageLine(filterObjects(caseInfo.stages)) },
    { rows: listFacts(caseInfo, body, caseId) },
    ...listFields(around?.page ?? body, content, { omitsEmpty: around !== undefined }),
    { heading: "Open work", rows: assignments.map(describeAssignment) },
    {
      heading: "Actions",
      rows: [
        ...listAssignmentActions(assignments, all.length === 1 ? name : undefined),
        ...(selected.length > 0 ? [] : listCaseActions(caseInfo, name)),
      ],
    },
    ...(around === undefined ? [] : [...around.notes ?? [], listHistory(around.history, name)]),
  ];
}

/** Shows the last entries of a history. */
function listHistory(history: CaseContext["history"], caseName: string): Section {
  const recent = history.slice(-RECENT).map(describeEvent);
  const width = Math.max(0, ...recent.map(({ by }) => displayWidth(by)));
  const all = formatCommandLine(["history", caseName]);
  return {
    heading: "Recent history" + (history.length > RECENT ? ` (for all, run: ${all})` : ""),
    rows: recent.map(({ time, by, text }) => ({ label: time, value: `${padToWidth(by, width)}  ${text}` })),
  };
}

/** Shows the way of the case: `Intake ✓ ─ Review ● ─ Decision`. Alternative stages are shown when they are visited. */
function buildStageLine(stages: readonly JsonObject[]): Span[] {
  const shown = stages.filter(({ type, visited_status: status }) =>
    type !== "Alternate" || (isNonEmptyString(status) && status !== "future")
  );
  return shown.flatMap(({ name, ID, visited_status: status }, i): Span[] => {
    const text = toText(name) ?? toText(ID) ?? "";
    const isActive = status === "active";
    const between: Span[] = i === 0 ? [] : [{ text: " ─ ", style: "dim" }];
    if (isActive) return [...between, { text: `${text} ●`, style: "cyan" }];
    return [...between, status === "completed" ? { text: `${text} ✓`, style: "green" } : { text, style: "dim" }];
  });
}

function listFacts(caseInfo: JsonObject, body: CaseBody, caseId: string): Row[] {
  const sla = isJsonObject(caseInfo.sla) ? caseInfo.sla : {};
  const facts: [string, string | undefined][] = [
    ["Status", toText(caseInfo.status) ?? toText(body.status)],
    ["Urgency", toText(caseInfo.urgency) ?? toText(body.urgency)],
    ["Due", formatTimeFact(sla.goal)],
    ["Deadline", formatTimeFact(sla.deadline)],
    ["Type", toText(caseInfo.caseTypeName) ?? toText(caseInfo.caseTypeID)],
    ["Handle", caseId],
    ["Part of", toText(caseInfo.parentCaseID)],
    ["Owner", toText(caseInfo.owner)],
    ["Created", formatTimeFact(caseInfo.createTime, caseInfo.createdBy)],
    ["Changed", formatTimeFact(caseInfo.lastUpdateTime, caseInfo.lastUpdatedBy)],
  ];
  return facts.flatMap(([label, value]) => !isNonEmptyString(value) ? [] : [{ label, value }]);
}

function formatTimeFact(time: JsonValue | undefined, by?: JsonValue): string | undefined {
  if (!isNonEmptyString(time)) return undefined;
  return isNonEmptyString(by) ? `${formatDistance(time)} by ${by}` : formatDistance(time);
}

function describeAssignment(assignment: JsonObject): Row {
  const { name, ID, instructions, assigneeInfo, urgency, dueTime } = assignment;
  const assignee = isJsonObject(assigneeInfo) ? assigneeInfo : {};
  const [id, display] = [toText(assignee.ID), toText(assignee.name)];
  const who = id === undefined || display === undefined || display === id ? display ?? id : `${display} (${id})`;
  const facts = [
    who === undefined ? undefined : assignee.type === "workbasket" ? `in the queue ${who}` : `assigned to ${who}`,
    toText(urgency) === undefined ? undefined : `urgency ${toText(urgency)}`,
    isNonEmptyString(dueTime) ? `due ${formatDistance(dueTime)}` : undefined,
    hasDraft(assignment) ? "has a draft" : undefined,
  ];
  const text = facts.filter(isNonEmptyString).join(", ");
  const value = [text.charAt(0).toUpperCase() + text.slice(1), htmlToText(toText(instructions) ?? "")].filter(
    isNonEmptyString,
  ).join(
    "\n",
  );
  return { label: getName({ name, ID }), value: value === "" ? EMPTY : value };
}

/** An assignment that is the only one of its case is named by the case. */
function listAssignmentActions(assignments: readonly JsonObject[], caseName: string | undefined): Row[] {
  return assignments.flatMap(({ ID, name, actions, isMultiStep }) =>
    filterObjects(actions).map((action) => ({
      label: (assignments.length > 1 || isMultiStep === "true" ? `${getName({ name, ID })}: ` : "") + getName(action),
      command: formatCommandLine([
        ...["assignments", "perform", caseName ?? toText(ID) ?? ""],
        ...["--action", toText(action.ID) ?? ""],
      ]),
    }))
  );
}

function listCaseActions({ availableActions, availableProcesses }: JsonObject, caseName: string): Row[] {
  const actions = filterObjects(availableActions).map((action) => ({
    label: getName(action),
    command: action.ID === "pyChangeStage"
      ? `${formatCommandLine(["cases", "stage-go", caseName])} --stage <stage>`
      : formatCommandLine(["cases", "perform-action", caseName, "--action", toText(action.ID) ?? ""]),
  }));
  const processes = filterObjects(availableProcesses).map((process) => ({
    label: `Start ${getName(process)}`,
    command: formatCommandLine(["cases", "start-process", caseName, "--process", toText(process.ID) ?? ""]),
  }));
  return [...actions, ...processes];
}

function getName({ name, ID }: JsonObject): string {
  return toText(name) ?? toText(ID) ?? "";
}

function toText(value: JsonValue | undefined): string | undefined {
  return isScalar(value) && value !== "" ? String(value) : undefined;
}
