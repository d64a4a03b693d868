/** Parameters and shapes of conversations with agents and assistants. */
import type { JsonAnswer } from "../../operation/answer.ts";
import type { ObjectShape } from "../../../utils/shape.ts";

/** Parameter for the conversation. */
export const conversation = {
  help: "Conversation ID",
  type: "string",
  to: "path:conversationID",
  required: true,
} as const;

/** Parameter for the text of a message. */
export const request = { help: "Text of the message", type: "string", to: "body:Request", required: true } as const;

/** Parameter for the context whose conversations are listed. */
export const contextId = {
  help: "Context ID, e.g. a case handle",
  type: "string",
  namesCase: true,
  to: "query:contextID",
  required: true,
} as const;

/** Parameter for the size of a page. */
export const pageSize = {
  help: "Maximum number of conversations on a page",
  type: "integer",
  to: "query:pageSize",
} as const;

/** Parameter for the number of the page. */
export const pageIndex = { help: "Page number, starting at 0", type: "integer", to: "query:pageIndex" } as const;

/** Parameters of a new conversation. */
export const starter = {
  /** Context ID, e.g. a case handle. */
  contextId: { help: "Context ID, e.g. a case handle", type: "string", namesCase: true, to: "body:contextID" },
  /** Unique ID of the interaction, for external applications. */
  interactionId: {
    help: "Unique ID of the interaction, for external applications",
    type: "string",
    to: "body:interactionID",
  },
  /** Run the configured starter question. */
  executeStarter: {
    help: "Run the configured starter question",
    type: "boolean",
    to: "body:executeStarterQuestion",
    negatable: true,
  },
} as const;

const message = {
  required: {
    /** Message ID. `like` and `dislike` take it as `message`. */
    ID: "string",
    /** Author: the user, or the agent or assistant. */
    role: { values: ["user", "assistant"] },
    /** Text. */
    message: "string",
  },
  unchecked: {
    /** Time at which it was sent. */
    createTime: "string",
    /** Message that it answers. */
    inReplyTo: "string",
    /** True if the caller liked it. */
    liked: "boolean",
    /** True if the caller disliked it. */
    disliked: "boolean",
    /** Reason why the caller disliked it. */
    feedbackText: "string",
    /** Questions that a person may ask next. Some services write objects. */
    aiGuidedQuestions: { list: "json" },
    /** Attachment descriptors of the user's message. */
    attachments: { list: "json" },
  },
} as const satisfies ObjectShape;

const conversationShape = {
  required: {
    /** Conversation ID. Other operations take it as `conversation`. */
    id: "string",
  },
  optional: {
    /** Messages, oldest first. Only reading a conversation returns them. */
    messages: { list: message },
  },
  unchecked: {
    /** Entity tag, for `ifMatch`. */
    etag: "string",
    /** Context, e.g. a case handle. */
    contextID: "string",
    /** Interaction of an external application. */
    interactionID: "string",
    /** Status. Messages can be sent while it is `Open`. */
    status: { values: ["Open", "Closed"] },
    /** Time at which it was started. */
    createTime: "string",
    /** Time at which it was closed; empty while it is open. */
    closeTime: "string",
    /** Reply to the starter question of a new conversation; empty if none was asked. */
    response: "string",
    /** ID of that reply. */
    messageID: "string",
    /** Text that greets the person. */
    initialInstruction: "string",
    /** Questions that a person may ask first. Some services write objects. */
    suggestedPrompts: { list: "json" },
  },
} as const satisfies ObjectShape;

/** A conversation with an agent or an assistant. */
export const conversationAnswer = { shape: conversationShape, fill: "id" } as const satisfies JsonAnswer;

/** The caller's conversations about a context. */
export const conversationsAnswer = {
  shape: {
    required: {
      /** One page, newest first. */
      conversations: { list: conversationShape },
    },
  },
  list: "conversations",
  fill: "id",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

/** The reply of an agent or an assistant. */
export const replyAnswer = {
  shape: {
    required: {
      /** Text. */
      response: "string",
      /** Message ID. `like` and `dislike` take it as `message`. */
      messageID: "string",
    },
    unchecked: {
      /** Questions that a person may ask next. Some services write objects. */
      aiGuidedQuestions: { list: "json" },
    },
  },
  untagged: true,
} as const satisfies JsonAnswer;
