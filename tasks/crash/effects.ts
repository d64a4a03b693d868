import type { AttachmentInfo, MessageInfo } from "../../mod.ts";
import type { Client, JsonObject, JsonValue } from "../../mod.ts";
import { forEachConcurrently } from "../support/for_each_concurrently.ts";

const CONCURRENCY = 8;

/** A token of the script: a random identifier, a time and a random number. */
const TOKEN = /[\da-f]{8}-[\da-f-]{27}\/\d{13}\/0\.\d{9}/g;

/** A time with milliseconds in any format of the service. */
const TIME = /\d{4}-?\d\d-?\d\dT\d\d:?\d\d:?\d\d\.\d{3}(Z| GMT)/g;

/** Identifies the effects of an input. */
export interface InputMark {
  /** Key of the input, which is part of all names that it creates. */
  readonly key: string;
  /** Token from its result, if it has one. */
  readonly token?: string;
}

/** Reads what each input left in the service: one text per effect, without random values. */
export async function readEffects(svc: Client, marks: readonly InputMark[]): Promise<Map<string, string[]>> {
  const effects = new Map<string, string[]>();
  await forEachConcurrently(marks, CONCURRENCY, async (mark) => {
    effects.set(mark.key, await readInputEffects(svc, mark));
  });
  return effects;
}

/** Cases are named after their roles. Two cases with the same role have the same name. */
async function readInputEffects(svc: Client, mark: InputMark): Promise<string[]> {
  const cases = await queryByPrefix(svc, "D_Permits", "Applicant", `${mark.key}-`);
  const records = await queryByPrefix(svc, "D_Inspectors", "ID", mark.key);
  const recordEffects = records.filter(({ ID }) => ID === mark.key).map((record) => `record ${JSON.stringify(record)}`);
  const caseEffects = await Promise.all(cases.map((row) => readCaseEffects(svc, row)));
  const normalize = createNormalizer(mark, cases);
  return [...recordEffects, ...caseEffects.flat()].map(normalize);
}

/**
 * Returns a function that replaces everything in a text that differs between runs. The token of the input becomes
 * TOKEN 1. Another number means that the script ran again with new random values.
 */
export function createNormalizer(
  { key, token }: InputMark,
  cases: readonly JsonObject[] = [],
): (text: string) => string {
  const roles = new Map(cases.map((row) => [String(row.pyID), String(row.Applicant).slice(key.length + 1)]));
  const tokens = token === undefined ? [] : [token];
  const nameToken = (found: string) => {
    if (!tokens.includes(found)) tokens.push(found);
    return `TOKEN ${tokens.indexOf(found) + 1}`;
  };
  return (text) =>
    text.replaceAll(/\bP-\d+\b/g, (id) => roles.get(id) ?? "P").replaceAll(TIME, "TIME").replaceAll(TOKEN, nameToken)
      .replaceAll(key, "KEY");
}

async function queryByPrefix(svc: Client, view: string, field: string, value: string): Promise<JsonObject[]> {
  const filterConditions = { F1: { lhs: { field }, comparator: "STARTS_WITH", rhs: { value } } } as const;
  return (await svc.data.query(view, { data: { query: { filter: { filterConditions, logic: "F1" } } } })).data ?? [];
}

async function readCaseEffects(svc: Client, { pzInsKey, pyID }: JsonObject): Promise<string[]> {
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
    ...(history.data ?? []).map((row) => `history ${formatHistory(row)}`),
    ...await Promise.all(attachments.attachments.map((one) => formatAttachment(svc, one))),
    ...tags.tagsList.map(({ tagName }) => `tag ${tagName}`),
    ...followers.followers.map(({ ID }) => `follower ${ID}`),
    ...related.associatedCases.map(({ ID, relationship }) => `related to ${ID} as ${relationship}`),
    ...participants.participants.map((one) => `participant ${one.participantRoleID} ${JSON.stringify(one.content)}`),
    ...messages.messages.map((message) => `message ${JSON.stringify(formatMessage(message))}`),
  ];
  return effects.map((effect) => `${pyID} ${effect}`);
}

function formatHistory({ pyPerformer, pyHistoryType, pyMessageKey, pyActionID, pyContent }: JsonObject): string {
  return [pyPerformer, pyHistoryType, pyMessageKey, pyActionID, pyContent].map((part) => JSON.stringify(part)).join(
    " ",
  );
}

async function formatAttachment(
  svc: Client,
  { ID, type, category, name, fileName, url }: AttachmentInfo,
): Promise<string> {
  const bytes = type === "FILE" ? await new Response((await svc.attachments.get(ID)).stream).text() : url;
  return `attachment ${[type, category, name, fileName, bytes].join(" ")}`;
}

function formatMessage({ message, postedByUser, likes, replies = [] }: MessageInfo): JsonValue {
  return [message, postedByUser?.ID ?? null, likes?.pxLikeCount ?? null, replies.map(formatMessage)];
}
