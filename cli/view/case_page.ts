/** The complete page of a case or an assignment, as responses contain them. */
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
import { getShortId, hasDraft, isShortId } from "../handles/handles.ts";
import { listFields } from "./content_rows.ts";
import { EMPTY, formatDistance, formatValue } from "./format_value.ts";
import type { Row, Section, Span } from "./page.ts";

/** The body of a response with a case. */
export type CaseBody = JsonObject & { readonly data: { readonly caseInfo: JsonObject } };

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

/** The parts of a case that its pages show. */
export interface CaseParts {
  readonly caseInfo: JsonObject;
  readonly content: JsonObject;
  readonly caseId: string;
  /** Number of the case, or its handle if it has none. */
  readonly name: string;
  /** Number and label. */
  readonly title: string;
  /** Open assignments: only the one that the response is about, if there is one. */
  readonly assignments: readonly JsonObject[];
  /** True if the response is about one of the assignments. */
  readonly isOfAssignment: boolean;
}

/** Reads the parts of a case from a response. */
export function readCaseParts(body: CaseBody): CaseParts {
  const { caseInfo } = body.data;
  const content = isJsonObject(caseInfo.content) ? caseInfo.content : {};
  const caseId = toText(caseInfo.ID) ?? toText(body.ID) ?? "";
  const shortId = toText(caseInfo.businessID) ?? getShortId(caseId);
  const label = toText(content.pyLabel) ?? toText(caseInfo.name) ?? "";
  const all = filterObjects(caseInfo.assignments);
  const selected = all.filter(({ ID }) => ID === body.id);
  return {
    caseInfo,
    content,
    caseId,
    name: isShortId(shortId) ? shortId : caseId,
    title: [shortId, label].filter(isNonEmptyString).join("  "),
    assignments: selected.length > 0 ? selected : all,
    isOfAssignment: selected.length > 0,
  };
}

/** Builds the page of a case, or of an assignment with its case. */
export function buildCasePage(body: CaseBody): Section[] {
  const { caseInfo, content, caseId, name, title, assignments, isOfAssignment } = readCaseParts(body);
  const isOnly = filterObjects(caseInfo.assignments).length === 1;
  const canWork = assignments.some((one) => filterObjects(one.actions).length > 0);
  return [
    ...(isNonEmptyString(body.confirmationNote) ? [{ text: htmlToText(body.confirmationNote) }] : []),
    { line: [{ text: title, style: "bold" }] },
    { line: buildStageLine(filterObjects(caseInfo.stages)) },
    { rows: listFacts(caseInfo, body, caseId) },
    ...listFields(body, content),
    { heading: "Open work", rows: assignments.map(describeAssignment) },
    {
      heading: "Actions",
      rows: [
        ...(canWork ? [{ label: "Step by step", command: formatCommandLine(["do", name]) }] : []),
        ...listAssignmentActions(assignments, isOnly ? name : undefined),
        ...(isOfAssignment ? [] : listCaseActions(caseInfo, name)),
      ],
    },
  ];
}

/** Shows the way of the case: `Intake ✓ ─ Review ● ─ Decision`. Alternative stages are shown when they are visited. */
export function buildStageLine(stages: readonly JsonObject[]): Span[] {
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
  const facts: Fact[] = [
    ["Status", toText(caseInfo.status) ?? toText(body.status)],
    ["Urgency", toText(caseInfo.urgency) ?? toText(body.urgency)],
    ...listDueTimes(caseInfo),
    ["Type", toText(caseInfo.caseTypeName) ?? toText(caseInfo.caseTypeID)],
    ["Handle", caseId],
    ["Part of", toText(caseInfo.parentCaseID)],
    ["Owner", toText(caseInfo.owner)],
    ["Created", formatTimeFact(caseInfo.createTime, caseInfo.createdBy)],
    ["Changed", formatTimeFact(caseInfo.lastUpdateTime, caseInfo.lastUpdatedBy)],
  ];
  return toRows(facts);
}

/** A label with its value, if there is one. */
export type Fact = readonly [label: string, value: string | undefined];

/** Returns the goal and the deadline of a case. */
export function listDueTimes({ sla }: JsonObject): Fact[] {
  const { goal, deadline } = isJsonObject(sla) ? sla : {};
  return [["Due", formatTimeFact(goal)], ["Deadline", formatTimeFact(deadline)]];
}

/** Returns the rows of facts that have a value. */
export function toRows(facts: readonly Fact[]): Row[] {
  return facts.flatMap(([label, value]) => isNonEmptyString(value) ? [{ label, value }] : []);
}

/** Formats a time with its distance from now, and who did it. */
export function formatTimeFact(time: JsonValue | undefined, by?: JsonValue): string | undefined {
  if (!isNonEmptyString(time)) return undefined;
  return isNonEmptyString(by) ? `${formatDistance(time)} by ${by}` : formatDistance(time);
}

/** Describes an assignment for people. */
export function describeAssignment(assignment: JsonObject): Row {
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

/** Returns the display name of an action or a step. */
export function getName({ name, ID }: JsonObject): string {
  return toText(name) ?? toText(ID) ?? "";
}

/** Returns a value as text; undefined if it is empty or nested. */
export function toText(value: JsonValue | undefined): string | undefined {
  return isScalar(value) && value !== "" ? String(value) : undefined;
}
