/** The page of `svc show`: a summary of a case that fits on one screen. */
import { formatCommandLine } from "../../lib/errors.ts";
import type { Surface } from "../../lib/output/format.ts";
import { filterObjects, isNonEmptyString, type JsonObject } from "../../utils/json.ts";
import { displayWidth, padToWidth } from "../../utils/text/display_width.ts";
import { getShortId } from "../handles/handles.ts";
import {
  buildStageLine,
  type CaseBody,
  type CaseParts,
  describeAssignment,
  describeEvent,
  type Fact,
  formatTimeFact,
  getName,
  listDueTimes,
  type PastEvent,
  readCaseParts,
  toRows,
  toText,
} from "./case_page.ts";
import { listFields } from "./content_rows.ts";
import { layOutPage, type Row, type Section } from "./page.ts";

/** Maximum number of history entries on the page. */
const RECENT = 5;

/** Data about a case that the response with the case does not contain. */
export interface CaseContext {
  /** Response with a page or form of the case, whose labels are shown. */
  readonly page?: JsonObject;
  /** History of the case, oldest first. */
  readonly history: readonly PastEvent[];
  /** Latest messages of the case, oldest first. Default: none. */
  readonly notes?: { readonly heading: string; readonly rows: readonly Row[] };
  /** Child cases of a case without open work. Default: none. */
  readonly children?: readonly JsonObject[];
}

/** A section that can be shortened until the page fits. */
interface Part {
  readonly heading?: string;
  rows: readonly Row[];
  /** Number of rows to keep, at first and if the page is still too long. */
  readonly keep: readonly [number, number];
  /** True to drop the first row before the last one. */
  readonly dropsFirst?: boolean;
}

/** Renders the page of a case, or of an assignment with its case, with at most `maxLines` lines if possible. */
export function renderCaseSummary(body: CaseBody, around: CaseContext, surface: Surface, maxLines = Infinity): string {
  const parts = readCaseParts(body);
  const { caseInfo, content, name, title } = parts;
  const [main, ...groups] = listFields(around.page ?? body, content, { omitsEmpty: true })
    .flatMap((section): Part[] => "rows" in section ? [{ ...section, keep: [0, 0] }] : []);
  const fields: Part[] = main === undefined ? [] : [{ ...main, keep: [3, 0] }, ...groups];
  const notes: Part[] = around.notes === undefined ? [] : [{ ...around.notes, keep: [1, 0], dropsFirst: true }];
  const history: Part = { ...listHistory(around.history, name), keep: [2, 0], dropsFirst: true };
  const head: Section[] = [
    { line: [{ text: title, style: "bold" }] },
    { line: buildStageLine(filterObjects(caseInfo.stages)) },
    { rows: listMainFacts(body, parts) },
    { heading: "Open work", rows: listWork(parts, around.children ?? []) },
  ];
  const complete = formatCommandLine(["cases", "get", name, "--format", "view"]);
  const render = (isCut: boolean) =>
    layOutPage([
      ...head,
      ...fields,
      ...notes,
      history,
      ...(isCut ? [{ text: `For all fields and actions, run: ${complete}` }] : []),
    ], surface);
  return shorten(render, [history, ...notes, ...fields.toReversed()], maxLines);
}

/** Drops rows, one part after another, until the page fits. */
function shorten(render: (isCut: boolean) => string, parts: readonly Part[], maxLines: number): string {
  let text = render(false);
  const isTooLong = () => text.split("\n").length - 1 > maxLines;
  for (const round of [0, 1] as const) {
    for (const part of parts) {
      while (isTooLong() && part.rows.length > part.keep[round]) {
        part.rows = part.dropsFirst ? part.rows.slice(1) : part.rows.slice(0, -1);
        text = render(true);
      }
    }
  }
  return text;
}

function listMainFacts(body: CaseBody, { caseInfo }: CaseParts): Row[] {
  const urgency = toText(caseInfo.urgency) ?? toText(body.urgency);
  const status = toText(caseInfo.status) ?? toText(body.status);
  const facts: Fact[] = [
    ["Status", [status, urgency && `urgency ${urgency}`].filter(isNonEmptyString).join(", ")],
    ...listDueTimes(caseInfo),
    ["Part of", toText(caseInfo.parentCaseID)],
    ["Created", formatTimeFact(caseInfo.createTime, caseInfo.createdBy)],
  ];
  return toRows(facts);
}

/** Lists the open work and the command to work on it, then the names of other actions. */
function listWork({ caseInfo, assignments, name, isOfAssignment }: CaseParts, children: readonly JsonObject[]): Row[] {
  const work = assignments.map(describeAssignment);
  const others = isOfAssignment
    ? []
    : [...filterObjects(caseInfo.availableActions), ...filterObjects(caseInfo.availableProcesses)].map(getName);
  const canWork = others.length > 0 || assignments.some(({ actions }) => filterObjects(actions).length > 0);
  return [
    ...work,
    ...children.map(describeChild),
    ...(canWork ? [{ label: "To work on it, run", command: formatCommandLine(["do", name]) }] : []),
    ...(others.length > 0 ? [{ label: "Other actions", value: others.join(", ") }] : []),
  ];
}

/** Describes a child case that its parent waits for, and who works on it. */
function describeChild({ ID, businessID, name, status, assignments }: JsonObject): Row {
  const [first] = filterObjects(assignments).map(describeAssignment);
  const facts = [toText(name), toText(status), first && `${first.label}: ${first.value?.split("\n")[0]}`];
  return {
    label: `Waits for ${toText(businessID) ?? getShortId(toText(ID) ?? "")}`,
    value: facts.filter(isNonEmptyString).join(", "),
  };
}

/** Lists the latest entries of a history. */
function listHistory(history: CaseContext["history"], caseName: string): { heading: string; rows: Row[] } {
  const recent = history.slice(-RECENT).map(describeEvent);
  const width = Math.max(0, ...recent.map(({ by }) => displayWidth(by)));
  const all = formatCommandLine(["history", caseName]);
  return {
    heading: `Recent history (for all, run: ${all})`,
    rows: recent.map(({ time, by, text }) => ({ label: time, value: `${padToWidth(by, width)}  ${text}` })),
  };
}
