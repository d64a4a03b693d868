/** Describes the configuration that web clients load when they start: the application, the caller and the routes. */
import type { JsonObject } from "../../utils/json.ts";
import { listCreatableTypes } from "../cases/creatable_types.ts";
import type { HandlerContext } from "../http/handler.ts";

/** End of the published API root. Clients add it to the address of the server themselves. */
const PUBLISHED_ROOT = "/api/application/v2";

/**
 * The routes of requests, by the names that clients use. Clients fill in the variables by name, so the variables differ
 * from those in the paths of operations.
 */
export const CLIENT_ROUTES: Readonly<Record<string, string>> = {
  createWork: "POST /cases?viewType={viewType}",
  openWorkByHandle: "GET /cases/{caseID}?viewType=page",
  deleteCaseInCreateStage: "DELETE /cases/{ID}",
  cancelAssignment: "DELETE /cases/{caseID}/updates?viewType={viewType}",
  releaseAssignmentLock: "DELETE /cases/{ID}/updates",
  caseWideActions: "GET /cases/{caseID}/actions/{actionID}?excludeAdditionalActions=true",
  executeCaseWideActions: "PATCH /cases/{caseID}/actions/{actionID}?excludeAdditionalActions=true",
  refreshCaseData: "PATCH /cases/{ID}/actions/{actionID}/refresh",
  recalculateCaseData: "PATCH /cases/{ID}/actions/{actionID}/recalculate",
  loadView: "GET /cases/{caseID}/views/{viewID}",
  refreshCaseView: "PATCH /cases/{ID}/views/{viewID}/refresh",
  getCalculatedFieldsInViewByID: "POST /cases/{caseID}/views/{viewID}/calculated_fields",
  getCaseStages: "GET /cases/{caseID}/stages",
  openStage: "PUT /cases/{caseID}/stages/{stageID}",
  openProcessAction: "POST /cases/{caseID}/processes/{actionID}",
  getDescendants: "GET /cases/{caseID}/descendants",
  getBulkActions: "POST /cases/bulk-actions",
  performBulkAction: "PATCH /cases?actionID={actionID}",
  openBulkAction:
    "GET /casetypes/{caseTypeID}/actions/{actionID}?bulkContextID={bulkContextID}&bulkContextType={bulkContextType}",
  getNextWork: "GET /assignments/next",
  openAssignment: "GET /assignments/{assignmentID}",
  openLocalAction: "GET /assignments/{ID}/actions/{actionID}?excludeAdditionalActions=true",
  finishAssignment: "PATCH /assignments/{assignmentID}/actions/{actionID}?viewType={viewType}",
  save: "PATCH /assignments/{assignmentID}/actions/{actionID}/save",
  refreshAssignmentData: "PATCH /assignments/{ID}/actions/{actionID}/refresh",
  recalculateAssignmentData: "PATCH /assignments/{ID}/actions/{actionID}/recalculate",
  navigateToStep: "PATCH /assignments/{ID}/navigation_steps/{stepID}?viewType={viewType}",
  getListData: "POST /data_views/{dataViewName}",
  getListDataCount: "POST /data_views/{dataViewName}/count",
  getPageData: "GET /data_views/{dataViewName}?dataViewParameters={dataViewParameters}",
  getDataViewMetadata: "GET /data_views/{dataViewName}/metadata",
  postDataViewMetadata: "POST /data_views/{dataViewName}/metadata",
  readDataObject: "POST /data_views/{data_view_ID}/views/{view_ID}",
  operatorDetails: "GET /data_views/D_pyOperatorMiniProfile?dataViewParameters={encodedOperatorId}",
  getDataObjects: "GET /data_objects",
  getDataPages: "GET /data_pages?type={datapageRequestType}",
  createDataObject: "POST /data/{data_view_ID}",
  updateDataObject: "PATCH /data/{data_view_ID}",
  deleteDataObject: "DELETE /data/{data_view_ID}?dataViewParameters={dataViewParameters}",
  getDataObjectActions: "POST /data/{data_view_ID}/actions",
  openDataObjectAction: "POST /data/{data_view_ID}/actions/{action_ID}",
  submitDataObjectAction: "PATCH /data/{data_view_ID}/actions/{action_ID}",
  uploadAttachment: "POST /attachments/upload",
  linkCaseAttachment: "POST /cases/{caseID}/attachments",
  getCaseAttachments: "GET /cases/{caseID}/attachments?includeThumbnail={includeThumbnail}",
  getAttachmentCategories: "GET /cases/{caseID}/attachment_categories?type={type}",
  downloadAttachment: "GET /attachments/{attachmentID}",
  editAttachment: "PATCH /attachments/{attachmentID}",
  deleteAttachment: "DELETE /attachments/{attachmentID}",
  getCaseTags: "GET /cases/{caseID}/tags",
  addTagsToCase: "POST /cases/{caseID}/tags",
  deleteCaseTag: "DELETE /cases/{caseID}/tags/{tagID}",
  getCaseFollowers: "GET /cases/{caseID}/followers",
  addCaseFollower: "POST /cases/{caseID}/followers",
  deleteCaseFollower: "DELETE /cases/{caseID}/followers/{followerID}",
  getRelatedCases: "GET /cases/{caseID}/related_cases",
  addRelatedCases: "POST /cases/{caseID}/related_cases",
  removeRelatedCase: "DELETE /cases/{caseID}/related_cases/{relatedCaseID}",
  getParticipantRoles: "GET /cases/{caseID}/participant_roles",
  getParticipantRoleView: "GET /cases/{caseID}/participant_roles/{participant_roleID}",
  getAllParticipants: "GET /cases/{caseID}/participants",
  createParticipant: "POST /cases/{caseID}/participants",
  getParticipant: "GET /cases/{caseID}/participants/{participantID}",
  updateParticipant: "PATCH /cases/{caseID}/participants/{participantID}",
  deleteParticipant: "DELETE /cases/{caseID}/participants/{participantID}",
  getFeedMessages:
    "GET /feeds/{feedID}?filterFor={filterForContext}&feedClass={feedClass}&filterBy={filterBy}&pageSize={pageSize}&olderThan={olderThan}",
  postFeedMessages: "POST /messages",
  postCustomFeedMessages: "POST /messages?message-type={type}",
  editFeedMessage: "PUT /messages/{messageID}",
  deleteFeedMessage: "DELETE /messages/{messageID}",
  getFeedMessageLikes: "GET /messages/{messageID}/likes",
  likeFeedMessages: "POST /messages/{pulseContext}/likes",
  unlikeFeedMessages: "DELETE /messages/{pulseContext}/likes",
  getViewRuleByMessageType: "GET /message-types/{type}",
  getMentionTypes: "GET /mention_types",
  getMentionSuggestions:
    "GET /mentions?context={pulseContext}&mentionsType={mentionsType}&searchFor={searchFor}&listSize={listSize}",
  getTagSuggestions: "GET /tags?searchFor={searchFor}&listSize={listSize}",
  home: "GET /portals/{portalName}",
  showView: "GET /pages/{page}?pageClass={pageClass}",
  showData: "POST /pages/{pageName}",
  showDashboard: "GET /dashboard/{dashboardID}",
  showInsight: "GET /insight/{insightID}",
  getLocalizationPack: "GET /localizations/{bundle}?v={version}",
  getCustomComponent: "GET /components/{componentName}",
  getBinaryFile: "GET /files/{fileID}",
  getOperatorImage: "GET /users/{user_ID}/profile-image",
  getUIListPersonalizations: "GET /ui_lists/{listID}/personalizations",
  createListPersonalization: "POST /ui_lists/{listID}/personalizations",
  updateListPersonalization: "PUT /ui_lists/{listID}/personalizations/{personalizationID}",
  deleteListPersonalization: "DELETE /ui_lists/{listID}/personalizations/{personalizationID}",
  moveListRecords: "PATCH /ui_lists/{viewClassName}!{viewName}/move",
  getConversations:
    "GET /assistants/{assistantID}/conversations?contextID={contextID}&pageSize={pageSize}&pageIndex={pageIndex}",
  createConversation: "POST /assistants/{assistantID}/conversations",
  getMessages: "GET /assistants/{assistantID}/conversations/{conversationID}",
  sendMessage: "PATCH /assistants/{assistantID}/conversations/{conversationID}",
  getConversationsForAgent:
    "GET /ai-agents/{agentID}/conversations?contextID={contextID}&pageSize={pageSize}&pageIndex={pageIndex}",
  createConversationForAgent: "POST /ai-agents/{agentID}/conversations",
  getMessagesForAgent: "GET /ai-agents/{agentID}/conversations/{conversationID}",
  sendMessageForAgent: "PATCH /ai-agents/{agentID}/conversations/{conversationID}",
  likeAgentMessage: "PUT /ai-agents/{agentID}/conversations/{conversationID}/messages/{messageID}/like",
  dislikeAgentMessage: "PUT /ai-agents/{agentID}/conversations/{conversationID}/messages/{messageID}/dislike",
};

/** The actions that each container of a client offers. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  primary: ["showView", "openWorkByHandle", "createNewWork"],
  secondary: ["createNewWorkModal"],
  tertiary: ["previewWork", "previewView", "closePreview"],
  workarea: ["openAssignment", "finishAssignment", "openLocalAction", "openProcessAction", "cancel"],
};

/** Describes the service to a client. */
export function describeBootstrap({ app, caller, apiRoot, maxFileBytes }: HandlerContext): JsonObject {
  const isPublished = apiRoot.endsWith(PUBLISHED_ROOT);
  const root = isPublished ? PUBLISHED_ROOT : apiRoot;
  const [portalName = ""] = app.portals.keys();
  const creatable = new Set(listCreatableTypes(app).map(({ id }) => id));
  const routes = [...app.pages.values()].map(({ id, classId }): [string, JsonObject] => [id, {
    routeKey: "showView",
    payload: { page: id, pageClass: classId },
  }]);
  return {
    locale: "en_US",
    timezone: "UTC",
    additionalHeaders: {},
    tokens: {},
    routingInfo: {
      routesMeta: Object.fromEntries(
        Object.entries(CLIENT_ROUTES).map(([name, route]) => [name, { restApi: describeRoute(root, route) }]),
      ),
      routes: {
        ...Object.fromEntries(routes),
        "cases/{id}": { routeKey: "openWorkByHandle", payload: { caseID: "{id}", page: "pyDetails" } },
      },
      appName: app.id,
      appAlias: app.id,
      appDelimeter: "app",
      orgName: app.organisation,
      portalName,
    },
    actionModel: Object.fromEntries(
      Object.entries(ACTIONS).map(([name, actions]) => [name, { actions: [...actions] }]),
    ),
    environmentInfo: {
      pxObjClass: "Data-Admin-Operator-ID",
      pxApplication: {
        pyLabel: app.name,
        pyRuleName: app.id,
        pyBaseLocale: "en-US",
        pyMaxAttachmentSize: String(Math.floor(maxFileBytes / 1024 / 1024)),
        pyDefaultOperatorDP: "D_pyC11nOperatorsList",
        pyCaseTypesAvailableToCreateDP: "D_pxAvailableCaseTypesForPortal",
      },
      pxLocale: { pyTimeZone: "UTC" },
      pxOperator: { pyUserIdentifier: caller.id, pyUserName: caller.name, pyDefaultPortal: portalName },
      pyApplications: [{ pyLabel: app.name }],
      pyCaseTypeList: [...app.caseTypes.values()].map(({ id, name }) => ({
        pyWorkTypeImplementationClassName: id,
        pyWorkTypeName: name,
        pyHasCreateAccess: String(creatable.has(id)),
      })),
      pyFeatures: { pyForm: { pyAttachmentPageInstructionEnabled: "true" } },
    },
    fieldDefaults: {},
    remoteCaseMapping: {},
    serviceConfig: {
      contextPath: isPublished ? apiRoot.slice(0, -PUBLISHED_ROOT.length) : "",
      appAlias: "",
      staticContentServer: "",
      appStaticContentServer: "",
    },
  };
}

function describeRoute(root: string, route: string): JsonObject {
  const [method = "", path = ""] = route.split(" ");
  const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    endPoint: root + path,
    reqType: method,
    params: Object.fromEntries(variables.map((name) => [name, ""])),
  };
}
