/** The check of an answer, where it enters. */
import type { Answers, CaseData, Content } from "./answer_types.ts";
import { SvcError, type SvcErrorOptions } from "../errors.ts";
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isString,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";

/** Whether a value has the members that a shape promises. */
const SHAPES: { readonly [N in keyof Answers]: (value: unknown) => value is Answers[N] } = {
  case: (value): value is Answers["case"] =>
    hasCaseData(value) && typeof value.id === "string" && typeof value.type === "string" &&
    typeof value.status === "string",
  assignment: (value): value is Answers["assignment"] => hasCaseData(value) && typeof value.id === "string",
  view: (value): value is Answers["view"] => hasCaseData(value),
  stages: (value): value is Answers["stages"] => hasList(value, "stages"),
  caseTypes: (value): value is Answers["caseTypes"] => hasList(value, "caseTypes"),
  caseType: (value): value is Answers["caseType"] => isJsonObject(value) && typeof value.ID === "string",
  ancestors: (value): value is Answers["ancestors"] => mayHaveList(value, "ancestors"),
  descendants: (value): value is Answers["descendants"] => mayHaveList(value, "childCases"),
  bulk: (value): value is Answers["bulk"] => mayHaveList(value, "results"),
  bulkActions: (value): value is Answers["bulkActions"] => mayHaveList(value, "bulkActions"),
  attachmentCategories: (value): value is Answers["attachmentCategories"] =>
    mayHaveList(value, "attachment_categories"),
  rows: (value): value is Answers["rows"] => isJsonObject(value) && (value.data === null || isList(value.data)),
  viewRows: (value): value is Answers["viewRows"] =>
    isJsonObject(value) && (isJsonObject(value.data ?? {}) || isList(value.data)),
  count: (value): value is Answers["count"] => isJsonObject(value) && typeof value.resultCount === "number",
  dataPage: isJsonObject,
  record: isJsonObject,
  recordForm: isJsonObject,
  recordActions: (value): value is Answers["recordActions"] => mayHaveList(value, "actions"),
  dataObjects: (value): value is Answers["dataObjects"] => mayHaveList(value, "dataObjects"),
  dataPages: (value): value is Answers["dataPages"] => mayHaveList(value, "dataPages"),
  participant: (value): value is Answers["participant"] => hasId(value),
  participants: (value): value is Answers["participants"] => hasList(value, "participants"),
  participantRoles: (value): value is Answers["participantRoles"] => hasList(value, "participantRoles"),
  tags: (value): value is Answers["tags"] => hasList(value, "tagsList"),
  followers: (value): value is Answers["followers"] => hasList(value, "followers"),
  relatedCases: (value): value is Answers["relatedCases"] => hasList(value, "associatedCases"),
  multiStatus: (value): value is Answers["multiStatus"] => isList(value),
  message: (value): value is Answers["message"] => hasId(value) && typeof value.message === "string",
  messages: (value): value is Answers["messages"] => hasList(value, "messages"),
  feed: (value): value is Answers["feed"] =>
    isJsonObject(value) && isJsonObject(value.data) && hasList(value.data.FeedList, "pxResults"),
  mentions: (value): value is Answers["mentions"] => isList(value),
  usedTags: (value): value is Answers["usedTags"] => hasList(value, "tags", isString),
  conversation: (value): value is Answers["conversation"] => isConversation(value),
  conversations: (value): value is Answers["conversations"] => hasList(value, "conversations", isConversation),
  reply: (value): value is Answers["reply"] =>
    isJsonObject(value) && typeof value.response === "string" && typeof value.messageID === "string",
  agents: (value): value is Answers["agents"] => isList(value, isAgent),
  page: (value): value is Answers["page"] => isJsonObject(value) && isJsonObject(value.data),
  insight: (value): value is Answers["insight"] =>
    isJsonObject(value) && mayHaveList(value.data, "rows") && mayHaveList(value.data, "columns"),
  personalizations: (value): value is Answers["personalizations"] => mayHaveList(value, "personalizations"),
  attachments: (value): value is Answers["attachments"] => hasList(value, "attachments"),
  upload: (value): value is Answers["upload"] => hasId(value) && typeof value.ID === "string",
  content: (value): value is Answers["content"] =>
    value instanceof Object && "stream" in value && value.stream instanceof ReadableStream,
  text: (value): value is Answers["text"] => typeof value === "string",
  any: (value): value is Answers["any"] => value !== undefined,
  object: isJsonObject,
  nothing: (value): value is Answers["nothing"] => value === undefined,
};

/** Whether there is a shape of this name. */
export function isAnswerShape(name: unknown): name is keyof Answers {
  return typeof name === "string" && Object.hasOwn(SHAPES, name);
}

/** The body of an answer as the shape that its operation promises, or `INVALID_RESPONSE`; `asked` names what was asked for. */
export function checkAnswer<N extends keyof Answers>(
  shape: N,
  answer: {
    readonly body: JsonValue | undefined;
    readonly content?: Content;
    readonly etag?: string;
    readonly head?: Pick<SvcErrorOptions, "operation" | "status" | "requestId">;
  },
  asked?: unknown,
): Answers[N] {
  // Some services answer a sentence where nothing is promised.
  const body = shape === "nothing" || shape === "content" ? undefined : answer.body;
  const value = shape === "content" ? answer.content : wholeAnswer(shape, body, answer.etag, asked);
  if (SHAPES[shape](value)) return value;
  const { operation, status, requestId } = answer.head ?? {};
  throw new SvcError("INVALID_RESPONSE", `The service's answer is not of the shape "${shape}".`, {
    operation,
    status,
    requestId,
    hint: "Check that the base URL and API root name a DX API v2 service. --verbose shows the answer.",
  });
}

function wholeAnswer(shape: keyof Answers, body: JsonValue | undefined, etag?: string, asked?: unknown): unknown {
  if (Array.isArray(body)) return wholeList(shape, body);
  return isJsonObject(body) ? completed(shape, body, etag, asked) : body;
}

/** Some servers answer the list itself. */
function wholeList(shape: keyof Answers, list: JsonValue[]): JsonValue {
  if (shape === "bulk") return { results: list };
  return shape === "ancestors" ? { ancestors: list } : list;
}

/** The answer with its identifier and entity tag at the top: some servers give them only further down or in a header. */
export function completed(shape: keyof Answers, body: JsonObject, etag?: string, asked?: unknown): JsonObject {
  const known = Object.entries({ ...identityOf(shape, body, asked), etag });
  const missing = known.filter(([name, value]) => value !== undefined && !Object.hasOwn(body, name));
  return missing.length === 0 ? body : { ...Object.fromEntries(missing), ...body };
}

function identityOf(shape: keyof Answers, body: JsonObject, asked: unknown): JsonObject {
  const named = shape === "participant" || shape === "message" || shape === "conversation" || shape === "upload";
  if (named && typeof body.ID === "string") return { id: body.ID };
  if (shape === "participant" && isNonEmptyString(asked)) return { id: asked };
  if (shape === "page" && isJsonObject(body.uiResources)) return { data: {} }; // A portal without pages has none.
  if (!hasCaseData(body)) return {};
  const { ID, caseTypeID, status, urgency, assignments } = body.data.caseInfo;
  if (shape === "case") return { id: ID, type: caseTypeID, status, urgency };
  return shape === "assignment" ? { id: isNonEmptyString(asked) ? asked : nextOf(assignments) } : {};
}

/** The assignment that is next for the caller: of those of its case, the first that the caller may perform. */
function nextOf(assignments: unknown): JsonValue | undefined {
  const open = filterObjects(assignments);
  return (open.find(({ canPerform }) => canPerform === "true") ?? open[0])?.ID;
}

function hasCaseData(value: unknown): value is JsonObject & { data: CaseData } {
  return isJsonObject(value) && isJsonObject(value.data) && isJsonObject(value.data.caseInfo);
}

function isAgent(value: unknown): boolean {
  return isJsonObject(value) && typeof value.agentClass === "string" && typeof value.name === "string";
}

function isConversation(value: unknown): boolean {
  return hasId(value) && mayHaveList(value, "messages");
}

/** Whether a value is a list, and each of its elements what the caller will take it for. */
function isList(value: unknown, isElement: (element: unknown) => boolean = isJsonObject): boolean {
  return Array.isArray(value) && value.every(isElement);
}

function hasList(value: unknown, name: string, isElement?: (element: unknown) => boolean): boolean {
  return isJsonObject(value) && isList(value[name], isElement);
}

/** Whether a value that may lack a list has none that is another thing. */
function mayHaveList(value: unknown, name: string): boolean {
  return isJsonObject(value) && (value[name] === undefined || isList(value[name]));
}

function hasId(value: unknown): value is JsonObject & { id: string } {
  return isJsonObject(value) && typeof value.id === "string";
}
