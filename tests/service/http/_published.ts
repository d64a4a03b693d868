/**
 * The operations of the published API that the service has, from its description: query parameters with their values,
 * members of the body, and whether a change needs an entity tag. It is not written from the descriptions of operations,
 * which are tested with it.
 */

/** An operation of the published API. */
export interface PublishedOperation {
  /** Method, path and query parameters, e.g. `GET /cases/{caseID}?viewType=none|page&pageName`. */
  readonly request: string;
  /** Query parameters that a request must have. */
  readonly needs?: readonly string[];
  /** Paths of the members of the body. */
  readonly body?: readonly string[];
  /** True if it needs an entity tag. */
  readonly tag?: true;
}

const ATTACHMENTS = [
  "attachments[].attachmentFieldName",
  "attachments[].ID",
  "attachments[].category",
  "attachments[].delete",
  "attachments[].name",
  "attachments[].type",
  "attachments[].pyRouteToWorkbasket",
];

const CALCULATIONS = [
  "calculations.fields[].name",
  "calculations.fields[].context",
  "calculations.whens[].name",
  "calculations.whens[].context",
];

/** The operations. */
export const PUBLISHED: readonly PublishedOperation[] = [
  { request: "GET /ai-agents" },
  { request: "GET /ai-agents/{agentID}/conversations?contextID&pageSize&pageIndex", needs: ["contextID"] },
  {
    request: "POST /ai-agents/{agentID}/conversations",
    body: ["contextID", "interactionID", "activeChannel", "activeChannelID", "executeStarterQuestion"],
  },
  { request: "PUT /ai-agents/{agentID}/conversations/{conversationID}/close" },
  { request: "PUT /ai-agents/{agentID}/conversations/{conversationID}/messages/{messageID}/like" },
  { request: "GET /ai-agents/{agentID}/conversations/{conversationID}" },
  {
    request: "PATCH /ai-agents/{agentID}/conversations/{conversationID}",
    body: [
      "Request",
      "Attachments[].attachmentFieldName",
      "Attachments[].ID",
      "Attachments[].category",
      "Attachments[].delete",
      "Attachments[].name",
      "Attachments[].type",
      "Attachments[].pyRouteToWorkbasket",
      "activeChannel",
      "activeChannelID",
      "capabilities",
    ],
  },
  {
    request: "PUT /ai-agents/{agentID}/conversations/{conversationID}/messages/{messageID}/dislike",
    body: ["feedbackText"],
  },
  { request: "GET /assignments/next?viewType=page|form&pageName" },
  { request: "GET /assignments/{assignmentID}?viewType=page|form&pageName" },
  {
    request:
      "GET /assignments/{assignmentID}/actions/{actionID}?viewType=form|page&excludeAdditionalActions=true|false",
  },
  {
    request:
      "PATCH /assignments/{assignmentID}/actions/{actionID}?viewType=none|page|form&skipRoboticAutomation=true|false",
    body: ["content", "pageInstructions", ...ATTACHMENTS],
    tag: true,
  },
  {
    request: "PATCH /assignments/{assignmentID}/actions/{actionID}/recalculate",
    body: ["content", "pageInstructions", ...CALCULATIONS],
    tag: true,
  },
  {
    request:
      "PATCH /assignments/{assignmentID}/actions/{actionID}/refresh?refreshFor&fillFormWithAI=true|false&operation=showRow|submitRow",
    body: ["content", "pageInstructions", "contextData", "interestPage", "interestPageActionID"],
    tag: true,
  },
  {
    request: "PATCH /assignments/{assignmentID}/actions/{actionID}/save",
    body: ["content", "pageInstructions", ...ATTACHMENTS],
    tag: true,
  },
  {
    request: "PATCH /assignments/{assignmentID}/navigation_steps/previous?viewType=form|page|none",
    body: ["content", "pageInstructions", ...ATTACHMENTS],
    tag: true,
  },
  {
    request: "PATCH /assignments/{assignmentID}/navigation_steps/{stepID}?viewType=form|page|none",
    body: ["content", "pageInstructions", ...ATTACHMENTS],
    tag: true,
  },
  { request: "GET /assistants/{assistantID}/conversations?contextID&pageSize&pageIndex", needs: ["contextID"] },
  {
    request: "POST /assistants/{assistantID}/conversations",
    body: ["contextID", "interactionID", "executeStarterQuestion"],
  },
  { request: "PUT /assistants/{assistantID}/conversations/{conversationID}/close" },
  { request: "GET /assistants/{assistantID}/conversations/{conversationID}" },
  { request: "PATCH /assistants/{assistantID}/conversations/{conversationID}", body: ["Request", "capabilities"] },
  { request: "POST /attachments/upload" },
  { request: "GET /attachments/{attachmentID}?mode=string|stream" },
  { request: "DELETE /attachments/{attachmentID}" },
  { request: "PATCH /attachments/{attachmentID}", body: ["name", "category", "description"] },
  { request: "GET /cases/{caseID}/attachment_categories?type=File|URL" },
  { request: "GET /cases/{caseID}/attachments?includeThumbnails=true|false" },
  { request: "POST /cases/{caseID}/attachments", body: [...ATTACHMENTS] },
  { request: "POST /cases/bulk-actions", body: ["cases[].ID"] },
  {
    request: "POST /cases?viewType=page|form|none&pageName",
    body: ["content", "pageInstructions", "caseTypeID", "parentCaseID", ...ATTACHMENTS],
  },
  {
    request: "PATCH /cases?actionID",
    needs: ["actionID"],
    body: ["cases[].ID", "content", "pageInstructions", ...ATTACHMENTS],
  },
  { request: "GET /cases/{caseID}?viewType=none|page&pageName" },
  { request: "DELETE /cases/{caseID}" },
  { request: "GET /cases/{caseID}/actions/{actionID}?viewType=page|form&excludeAdditionalActions=true|false" },
  {
    request: "PATCH /cases/{caseID}/actions/{actionID}?viewType=page|form|none&skipRoboticAutomation=true|false",
    body: ["content", "pageInstructions", ...ATTACHMENTS],
    tag: true,
  },
  {
    request: "PATCH /cases/{caseID}/actions/{actionID}/recalculate",
    body: ["content", "pageInstructions", ...CALCULATIONS],
    tag: true,
  },
  {
    request:
      "PATCH /cases/{caseID}/actions/{actionID}/refresh?refreshFor&fillFormWithAI=true|false&operation=showRow|submitRow",
    body: ["content", "pageInstructions", "contextData", "interestPage", "interestPageActionID"],
    tag: true,
  },
  { request: "GET /cases/{caseID}/ancestors" },
  { request: "GET /cases/{caseID}/descendants" },
  { request: "POST /cases/{caseID}/processes/{processID}?viewType=page|form|none" },
  { request: "GET /cases/{caseID}/stages" },
  { request: "POST /cases/{caseID}/stages/next?viewType=none|page|form&cleanupProcesses=true|false", tag: true },
  { request: "PUT /cases/{caseID}/stages/{stageID}?viewType=page|form|none&cleanupProcesses=true|false", tag: true },
  { request: "DELETE /cases/{caseID}/updates?viewType=none|page" },
  { request: "GET /cases/{caseID}/views/{viewID}" },
  { request: "POST /cases/{caseID}/views/{viewID}/calculated_fields", body: [...CALCULATIONS] },
  { request: "PATCH /cases/{caseID}/views/{viewID}/refresh", body: ["content", "pageInstructions", "interestPage"] },
  { request: "GET /cases/{caseID}/followers" },
  { request: "POST /cases/{caseID}/followers", body: ["users[].ID"] },
  { request: "DELETE /cases/{caseID}/followers/{followerID}" },
  { request: "GET /cases/{caseID}/participant_roles" },
  { request: "GET /cases/{caseID}/participant_roles/{participant_role_ID}?viewType=form|none" },
  { request: "GET /cases/{caseID}/participants" },
  {
    request: "POST /cases/{caseID}/participants?viewType=form|none",
    body: ["content", "pageInstructions", "participantRoleID"],
    tag: true,
  },
  { request: "GET /cases/{caseID}/participants/{participantID}?viewType=form|none" },
  { request: "DELETE /cases/{caseID}/participants/{participantID}", tag: true },
  {
    request: "PATCH /cases/{caseID}/participants/{participantID}?viewType=form|none",
    body: ["content", "pageInstructions"],
    tag: true,
  },
  { request: "GET /cases/{caseID}/related_cases" },
  { request: "POST /cases/{caseID}/related_cases", body: ["cases[].ID"] },
  { request: "DELETE /cases/{caseID}/related_cases/{related_caseID}" },
  { request: "GET /cases/{caseID}/tags" },
  { request: "POST /cases/{caseID}/tags", body: ["tags[].Name"] },
  { request: "DELETE /cases/{caseID}/tags/{tagID}" },
  { request: "GET /casetypes" },
  { request: "GET /casetypes/{caseTypeID}/actions/{actionID}?bulkContextID&bulkContextType" },
  { request: "GET /channels/{channelID}" },
  { request: "GET /dashboard/{dashboardID}" },
  { request: "GET /insight/{insightID}" },
  { request: "GET /localizations/{locale}" },
  { request: "GET /pages/{pageID}?pageClass" },
  { request: "POST /pages/{pageID}", body: ["dataContext"] },
  { request: "GET /portals/{portalID}" },
  { request: "GET /components/{componentID}" },
  { request: "GET /files/{fileID}" },
  { request: "GET /users/{user_ID}/profile-image" },
  { request: "GET /data_objects?type=data|case" },
  { request: "GET /data_pages?type=all|explorable", needs: ["type"] },
  { request: "POST /data/{data_view_ID}/actions" },
  { request: "POST /data/{data_view_ID}/actions/{action_ID}", body: ["ID", "pyRouteToWorkbasket"] },
  { request: "PATCH /data/{data_view_ID}/actions/{action_ID}?skipRoboticAutomation=true|false" },
  { request: "PUT /data/{data_view_ID}" },
  { request: "POST /data/{data_view_ID}" },
  { request: "DELETE /data/{data_view_ID}?dataViewParameters", needs: ["dataViewParameters"] },
  { request: "PATCH /data/{data_view_ID}" },
  { request: "GET /data_views/{data_view_ID}?dataViewParameters" },
  {
    request: "POST /data_views/{data_view_ID}",
    body: ["includeTotalCount", "includeTotalCountLimit", "useExtendedTimeout"],
  },
  { request: "POST /data_views/{data_view_ID}/count" },
  { request: "GET /data_views/{data_view_ID}/metadata?skipAssociationProcessing=true|false" },
  { request: "POST /data_views/{data_view_ID}/metadata" },
  { request: "POST /data_views/{data_view_ID}/views/{view_ID}", body: ["pyRouteToWorkbasket"] },
  { request: "GET /feeds/{feedID}?filterFor&olderThan&pageSize&feedClass&filterBy", needs: ["filterFor"] },
  { request: "GET /mentions?context&mentionsType&searchFor&listSize", needs: ["mentionsType"] },
  { request: "GET /mention_types" },
  { request: "GET /messages?pageSize&olderThan&filterBy&filterFor", needs: ["filterBy", "filterFor"] },
  { request: "POST /messages?message-type", body: ["context", "message", "pyRouteToWorkbasket"] },
  { request: "GET /messages/{messageID}" },
  { request: "PUT /messages/{messageID}", body: ["message", "pyRouteToWorkbasket"] },
  { request: "DELETE /messages/{messageID}" },
  { request: "GET /messages/{messageID}/likes" },
  { request: "POST /messages/{messageID}/likes" },
  { request: "DELETE /messages/{messageID}/likes" },
  { request: "GET /message-types/{type}" },
  { request: "GET /suggested_tags?context" },
  { request: "GET /tags?searchFor&listSize" },
  { request: "PATCH /ui_lists/{viewName}/move", body: ["sourceID", "destinationID", "context", "listClass"] },
  {
    request: "PUT /ui_lists/{ui_list_ID}/personalizations/{personalizationID}",
    body: ["ID", "markAsAppDefault", "markAsDefault", "name", "personalizationState", "pyRouteToWorkbasket"],
  },
  { request: "DELETE /ui_lists/{ui_list_ID}/personalizations/{personalizationID}" },
  { request: "GET /ui_lists/{ui_list_ID}/personalizations" },
  {
    request: "POST /ui_lists/{ui_list_ID}/personalizations",
    body: ["ID", "markAsAppDefault", "markAsDefault", "name", "personalizationState", "pyRouteToWorkbasket"],
  },
];
