/** What the service answers: the members that callers may rely on, in the shapes of DX API v2. */
import type {
  AncestorsAnswer,
  AssignmentAnswer,
  AttachmentCategoriesAnswer,
  BulkActionsAnswer,
  BulkAnswer,
  CaseAnswer,
  CaseData,
  CaseTypeAnswer,
  CaseTypesAnswer,
  CountAnswer,
  DataObjectsAnswer,
  DataPageAnswer,
  DataPagesAnswer,
  DescendantsAnswer,
  RecordActionsAnswer,
  RecordAnswer,
  RecordFormAnswer,
  RowsAnswer,
  StagesAnswer,
  ViewAnswer,
  ViewRowsAnswer,
} from "./case_answer_types.ts";
import type { ErrorDetail } from "../errors.ts";
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { FeedAnswer, MentionAnswer, MessageAnswer, MessagesAnswer, UsedTagsAnswer } from "./social_types.ts";

export type * from "./case_answer_types.ts";
export type * from "./social_types.ts";

/** A participant of a case. */
export interface ParticipantAnswer extends JsonObject {
  /** Participant ID: what the other operations take as `participantId`. */
  id: string;
  /** The role in which it takes part. */
  participantRoleID?: string;
  /** Entity tag of the case, for `ifMatch`. */
  etag?: string;
  /** Content: `data.caseInfo.content`. */
  data?: CaseData;
  /** The form: fields with types, and the components that show them. */
  uiResources?: JsonObject;
}

/** The participants of a case. */
export interface ParticipantsAnswer extends JsonObject {
  /** In the order in which they came. */
  participants: ParticipantInfo[];
}

/** A participant, as a case lists it. */
export interface ParticipantInfo extends JsonObject {
  /** Participant ID: what the other operations take as `participantId`. */
  ID: string;
  /** The role in which it takes part. */
  participantRoleID: string;
  /** Name of the role for people. */
  roleName?: string;
  /** The fields of the role's form. */
  content?: JsonObject;
}

/** The participant roles of a case. */
export interface ParticipantRolesAnswer extends JsonObject {
  /** In the order of the case type. */
  participantRoles: ParticipantRoleInfo[];
}

/** A participant role. */
export interface ParticipantRoleInfo extends JsonObject {
  /** Role ID: what `add` takes as `role`. */
  ID: string;
  /** Name for people. */
  name: string;
  /** Whether a case may have several participants in it; some services leave it out. */
  multiple?: boolean;
}

/** The tags of a case. */
export interface TagsAnswer extends JsonObject {
  /** In the order in which they were added. */
  tagsList: TagInfo[];
}

/** A tag. */
export interface TagInfo extends JsonObject {
  /** Name, in small letters. */
  tagName: string;
  /** Key, e.g. `DATA-SOCIAL-TAG ACME-WORK!HOT`. */
  tagKey?: string;
}

/** The followers of a case. */
export interface FollowersAnswer extends JsonObject {
  /** In the order in which they began. */
  followers: FollowerInfo[];
}

/** A follower. */
export interface FollowerInfo extends JsonObject {
  /** User ID. */
  ID: string;
  /** Name for people. */
  name?: string;
  /** Address. */
  email?: string;
}

/** The cases that are related to a case. */
export interface RelatedCasesAnswer extends JsonObject {
  /** In the order in which they were related. */
  associatedCases: RelatedCaseInfo[];
}

/** A related case. */
export interface RelatedCaseInfo extends JsonObject {
  /** Case handle. */
  ID: string;
  /** How it is related; some services leave it out. */
  relationship?: string;
  /** Label of the case. */
  name?: string;
  /** Its status. */
  status?: string;
}

/** What became of one element of a call with several. */
export interface ElementStatus extends JsonObject {
  /** The element, e.g. a user ID. */
  ID: string;
  /** HTTP status of the element; some services answer it as text. */
  status: number | string;
  /** Of an element that failed: why. */
  errorDetails?: ErrorDetail[];
}

/** A conversation with an agent or an assistant. */
export interface ConversationAnswer extends JsonObject {
  /** Conversation ID: what the other operations take as `conversation`. */
  id: string;
  /** Entity tag, for `ifMatch`. */
  etag?: string;
  /** What it is about, e.g. a case handle. */
  contextID?: string;
  /** `Open` or `Closed`. */
  status?: string;
  /** Of a conversation that is read: its messages, oldest first. */
  messages?: ConversationMessage[];
  /** Of a new conversation: the answer to its starter question; empty where none was asked. */
  response?: string;
  /** ID of that answer. */
  messageID?: string;
  /** Of a new conversation: what to tell a person first. */
  initialInstruction?: string;
  /** Of a new conversation: what a person may ask; some services answer objects. */
  suggestedPrompts?: JsonValue[];
}

/** A message of a conversation. */
export interface ConversationMessage extends JsonObject {
  /** Message ID: what `like` and `dislike` take as `message`. */
  ID: string;
  /** Who says it: `user`, or `assistant` for an agent or an assistant. */
  role: string;
  /** What is said. */
  message: string;
  /** Of an answer: the message that it answers. */
  inReplyTo?: string;
  /** Of an answer: whether the caller liked it. */
  liked?: boolean;
  /** Of an answer: whether the caller disliked it. */
  disliked?: boolean;
  /** Of an answer: why the caller disliked it. */
  feedbackText?: string;
}

/** The answer of an agent or an assistant. */
export interface ReplyAnswer extends JsonObject {
  /** What is said. */
  response: string;
  /** Message ID: what `like` and `dislike` take as `message`. */
  messageID: string;
  /** What a person may ask next; some services answer objects. */
  aiGuidedQuestions?: JsonValue[];
}

/** The caller's conversations about a context. */
export interface ConversationsAnswer extends JsonObject {
  /** One page, newest first. */
  conversations: ConversationAnswer[];
}

/** An agent that is enabled for external access. */
export interface AgentAnswer extends JsonObject {
  /** Class: with `!` and the name it is what the other operations take as `agentId`. */
  agentClass: string;
  /** Name within its class. */
  name: string;
}

/** A page, dashboard, portal or channel: what is shown, and what shows it. */
export interface PageAnswer extends JsonObject {
  /** Its ID; some services leave it out. */
  id?: string;
  /** What is shown. */
  data: JsonObject;
  /** Views and components that show it. */
  uiResources?: JsonObject;
}

/** An insight with its numbers. */
export interface InsightAnswer extends PageAnswer {
  /** What is shown. */
  data: InsightData;
}

/** The numbers of an insight. */
export interface InsightData extends JsonObject {
  /** A row per group; some services leave them out. */
  rows?: JsonObject[];
  /** What the members of the rows are: groups first, then numbers. */
  columns?: JsonObject[];
}

/** How a caller has arranged a UI list. */
export interface PersonalizationsAnswer extends JsonObject {
  /** One element per personalization. */
  personalizations?: PersonalizationInfo[];
}

/** A personalization of a UI list. */
export interface PersonalizationInfo extends JsonObject {
  /** Personalization ID: what the other operations take as `personalizationID`. */
  ID: string;
  /** Name for people. */
  name: string;
  /** State of the list, as it was given. */
  personalizationState?: string;
  /** Whether it is the caller's default. */
  markAsDefault?: boolean;
  /** Whether it is the application's default. */
  markAsAppDefault?: boolean;
}

/** The attachments of a case. */
export interface AttachmentsAnswer extends JsonObject {
  /** Those that the caller may see. */
  attachments: AttachmentInfo[];
}

/** An attachment of a case. */
export interface AttachmentInfo extends JsonObject {
  /** Attachment ID: what the other operations take as `id`. */
  ID: string;
  /** `FILE` or `URL`. */
  type: string;
  /** Category ID. */
  category?: string;
  /** Name for people. */
  name?: string;
  /** Name with extension, of a file. */
  fileName?: string;
  /** Media type, of a file. */
  mimeType?: string;
  /** Address, of a link. */
  url?: string;
  /** A small picture as base64, of an image, where it was asked for. */
  thumbnail?: string;
}

/** An uploaded file that waits for a case. */
export interface UploadAnswer extends JsonObject {
  /** Upload ID: what `attachments.add` takes as `ID`. */
  id: string;
  /** The same. */
  ID: string;
}

/** Bytes that are read as they arrive. */
export interface Content {
  /** Media type, e.g. `application/pdf`. */
  readonly type: string;
  /** File name, where the service gives one. It may hold anything: never use it as a path. */
  readonly name?: string;
  /** Number of bytes, where it is known before the end. */
  readonly size?: number;
  /** The bytes; can be read once. A transfer that is cut short errors the stream. */
  readonly stream: ReadableStream<Uint8Array>;
}

/** Answers by the name of their shape. */
export interface Answers {
  /** A case. */
  case: CaseAnswer;
  /** An assignment. */
  assignment: AssignmentAnswer;
  /** A view. */
  view: ViewAnswer;
  /** Stages. */
  stages: StagesAnswer;
  /** Case types. */
  caseTypes: CaseTypesAnswer;
  /** One case type. */
  caseType: CaseTypeAnswer;
  /** The parent of a case, its parent, and so on. */
  ancestors: AncestorsAnswer;
  /** The children of a case, and theirs. */
  descendants: DescendantsAnswer;
  /** Outcome of a bulk call. */
  bulk: BulkAnswer;
  /** Actions on several cases. */
  bulkActions: BulkActionsAnswer;
  /** Attachment categories. */
  attachmentCategories: AttachmentCategoriesAnswer;
  /** Rows. */
  rows: RowsAnswer;
  /** Rows through a view. */
  viewRows: ViewRowsAnswer;
  /** A number of rows. */
  count: CountAnswer;
  /** The single page of a data view. */
  dataPage: DataPageAnswer;
  /** A record. */
  record: RecordAnswer;
  /** The form of a record's action. */
  recordForm: RecordFormAnswer;
  /** The actions of records. */
  recordActions: RecordActionsAnswer;
  /** Data objects. */
  dataObjects: DataObjectsAnswer;
  /** Data pages. */
  dataPages: DataPagesAnswer;
  /** A participant. */
  participant: ParticipantAnswer;
  /** Participants. */
  participants: ParticipantsAnswer;
  /** Participant roles. */
  participantRoles: ParticipantRolesAnswer;
  /** Tags of a case. */
  tags: TagsAnswer;
  /** Followers. */
  followers: FollowersAnswer;
  /** Related cases. */
  relatedCases: RelatedCasesAnswer;
  /** What became of each element. */
  multiStatus: ElementStatus[];
  /** A message. */
  message: MessageAnswer;
  /** Messages. */
  messages: MessagesAnswer;
  /** A feed. */
  feed: FeedAnswer;
  /** Whom a text may mention. */
  mentions: MentionAnswer[];
  /** Tags of messages. */
  usedTags: UsedTagsAnswer;
  /** A conversation. */
  conversation: ConversationAnswer;
  /** Conversations. */
  conversations: ConversationsAnswer;
  /** What an agent or an assistant says. */
  reply: ReplyAnswer;
  /** Agents. */
  agents: AgentAnswer[];
  /** A page, dashboard, portal or channel. */
  page: PageAnswer;
  /** An insight. */
  insight: InsightAnswer;
  /** Personalizations of a UI list. */
  personalizations: PersonalizationsAnswer;
  /** Attachments. */
  attachments: AttachmentsAnswer;
  /** An upload. */
  upload: UploadAnswer;
  /** Bytes. */
  content: Content;
  /** A text. */
  text: string;
  /** Any JSON value. */
  any: JsonValue;
  /** Any JSON object. */
  object: JsonObject;
  /** Nothing. */
  nothing: undefined;
}
