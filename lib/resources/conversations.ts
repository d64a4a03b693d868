/** Flags that the conversations with agents and with assistants share. */

/** The conversation. */
export const conversation = {
  help: "Conversation ID",
  type: "string",
  to: "path:conversationID",
  required: true,
} as const;

/** The text of a message. */
export const request = { help: "Text of the message", type: "string", to: "body:Request", required: true } as const;

/** The context whose conversations are listed. */
export const contextId = {
  help: "Context ID, e.g. a case handle",
  type: "string",
  to: "query:contextID",
  required: true,
} as const;

/** The size of a page. */
export const pageSize = { help: "Conversations to answer at most", type: "integer", to: "query:pageSize" } as const;

/** The page. */
export const pageIndex = { help: "Page, from 0", type: "integer", to: "query:pageIndex" } as const;

/** What starts a conversation. */
export const starter = {
  contextId: { help: "Context ID, e.g. a case handle", type: "string", to: "body:contextID" },
  interactionId: {
    help: "Unique ID of the interaction, for external applications",
    type: "string",
    to: "body:interactionID",
  },
  executeStarter: {
    help: "Run the configured starter question",
    type: "boolean",
    to: "body:executeStarterQuestion",
    negatable: true,
  },
} as const;
