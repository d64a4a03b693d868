/** What an input has left with the service, read back through the library: one text per effect, without what is chance. */
import type { AttachmentInfo, MessageInfo } from "../../mod.ts";
import type { Client, JsonObject, JsonValue } from "../../mod.ts";
import { eachOf } from "../each_of.ts";

/** Reads that are made at the same time. */
const CONCURRENCY = 8;

/** What the script draws and tells at run time, all in one. */
const TOKEN = /[\da-f]{8}-[\da-f-]{27}\/\d{13}\/0\.\d{9}/g;

/** A time with milliseconds in any of the forms in which the service writes it. */
const TIME = /\d{4}-?\d\d-?\d\dT\d\d:?\d\d:?\d\d\.\d{3}(Z| GMT)/g;

/** What an input is known by. */
export interface Mark {
  /** Its key, in the names of all that it makes. */
  readonly key: string;
  /** What it drew, as its result tells; it may have none. */
  readonly token?: string;
}

/** The effects of each of several inputs. */
export async function effectsOfAll(svc: Client, marks: readonly Mark[]): Promise<Map<string, string[]>> {
  const effects = new Map<string, string[]>();
  await eachOf(marks, CONCURRENCY, async (mark) => void effects.set(mark.key, await effectsOf(svc, mark)));
  return effects;
}

/** The effects of an input. Its cases are named after their roles; two of the same role have the same name. */
async function effectsOf(svc: Client, mark: Mark): Promise<string[]> {
  const cases = await rowsStartingWith(svc, "D_Permits", "Applicant", `${mark.key}-`);
  const records = await rowsStartingWith(svc, "D_Inspectors", "ID", mark.key);
  const own = records.filter(({ ID }) => ID === mark.key).map((record) => `record ${JSON.stringify(record)}`);
  const ofCases = await Promise.all(cases.map((row) => effectsOfCase(svc, row)));
  const plain = plainer(mark, cases);
  return [...own, ...ofCases.flat()].map(plain);
}

/** A text without what differs from one run to the next. What the input drew is TOKEN 1; there must be no other. */
export function plainer({ key, token }: Mark, cases: readonly JsonObject[] = []): (text: string) => string {
  const roles = new Map(cases.map((row) => [String(row.pyID), String(row.Applicant).slice(key.length + 1)]));
  const tokens = token === undefined ? [] : [token];
  const nameOf = (drawn: string) => {
    if (!tokens.includes(drawn)) tokens.push(drawn);
    return `TOKEN ${tokens.indexOf(drawn) + 1}`;
  };
  return (text) =>
    text.replaceAll(/\bP-\d+\b/g, (id) => roles.get(id) ?? "P").replaceAll(TIME, "TIME").replaceAll(TOKEN, nameOf)
      .replaceAll(key, "KEY");
}

async function rowsStartingWith(svc: Client, view: string, field: string, value: string): Promise<JsonObject[]> {
  const filterConditions = { F1: { lhs: { field }, comparator: "STARTS_WITH", rhs: { value } } };
  return (await svc.data.query(view, { data: { query: { filter: { filterConditions, logic: "F1" } } } })).data ?? [];
}

async function effectsOfCase(svc: Client, { pzInsKey, pyID }: JsonObject): Promise<string[]> {
  const id = String(pzInsKey);
  const [{ data }, history, attachments, tags, followers, related, participants, messages] = await Promise.all([
    svc.cases.get(id),
    svc.data.query("D_pyWorkHistory", { params: { CaseInstanceKey: id } }),
    svc.attachments.list(id),
    svc.tags.list(id),
    svc.followers.list(id),
    svc.related.list(id),
    svc.participants.list(id),
    svc.social.listMessages({ filterBy: "messages", filterFor: id }),
  ]);
  const { status, urgency, stageID, content, assignments = [] } = data.caseInfo;
  const effects = [
    `is ${status}, urgency ${urgency}, stage ${stageID}`,
    `content ${JSON.stringify(content)}`,
    ...assignments.map(({ name, assigneeInfo }) => `assignment ${name} of ${assigneeInfo?.ID}`),
    ...(history.data ?? []).map((row) => `history ${historyLine(row)}`),
    ...await Promise.all(attachments.attachments.map((one) => attachmentLine(svc, one))),
    ...tags.tagsList.map(({ tagName }) => `tag ${tagName}`),
    ...followers.followers.map(({ ID }) => `follower ${ID}`),
    ...related.associatedCases.map(({ ID, relationship }) => `related to ${ID} as ${relationship}`),
    ...participants.participants.map((one) => `participant ${one.participantRoleID} ${JSON.stringify(one.content)}`),
    ...messages.messages.map((message) => `message ${JSON.stringify(messageLine(message))}`),
  ];
  return effects.map((effect) => `${pyID} ${effect}`);
}

function historyLine({ pyPerformer, pyHistoryType, pyMessageKey, pyActionID, pyContent }: JsonObject): string {
  return [pyPerformer, pyHistoryType, pyMessageKey, pyActionID, pyContent].map((part) => JSON.stringify(part)).join(
    " ",
  );
}

async function attachmentLine(
  svc: Client,
  { ID, type, category, name, fileName, url }: AttachmentInfo,
): Promise<string> {
  const bytes = type === "FILE" ? await new Response((await svc.attachments.get(ID)).stream).text() : url;
  return `attachment ${[type, category, name, fileName, bytes].join(" ")}`;
}

function messageLine({ message, postedByUser, likes, replies = [] }: MessageInfo): JsonValue {
  return [message, postedByUser?.ID ?? null, likes?.pxLikeCount ?? null, replies.map(messageLine)];
}
