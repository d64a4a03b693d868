/** Tests which features a service supports. Only sends reads, and none that locks a case. */
import { type Caller, createCaller } from "../client/caller.ts";
import { isUnserved } from "../client/refusals.ts";
import { checkAnswer, findList } from "../client/response/check_answer.ts";
import type { Reply } from "../client/response/reply.ts";
import type { Values } from "../client/request/values.ts";
import { toSvcError } from "../errors.ts";
import type { OperationRef } from "../operation/operation.ts";
import aiAgents from "../resources/ai_agents.ts";
import attachments from "../resources/attachments.ts";
import cases from "../resources/cases.ts";
import data from "../resources/data.ts";
import followers from "../resources/followers.ts";
import participants from "../resources/participants.ts";
import related from "../resources/related.ts";
import social from "../resources/social.ts";
import tags from "../resources/tags.ts";
import work from "../resources/work.ts";
import { listsCases } from "../resources/shared/lists_cases.ts";
import { filterObjects, isJsonObject, isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import type { AuthOptions } from "./commands.ts";
import { type Feature, FEATURES, type SupportedFeatures } from "./supported_features.ts";

/** The result for one feature. */
export type FeatureTest = {
  /** Name of the feature, as the profile stores it. Features that no read can show have none. */
  name?: Feature;
  /** Label. */
  feature: string;
  /** The result. */
  supported: "yes" | "no" | "not tested";
  /** Reason why it is not supported, or why it was not tested. */
  reason?: string;
};

/** A read that shows whether a feature is supported. */
interface Probe {
  readonly feature: Feature;
  readonly ref: OperationRef;
  readonly values?: Values;
  /** Returns the reason why a successful response shows that the feature is not supported. */
  readonly findObstacle?: (body: JsonValue | undefined, reply: Reply) => string | undefined;
}

const WORKLIST = "D_pyMyWorkList";

const query = { name: "data.query", operation: data.query };

const onePage = { query: { select: [{ field: "pzInsKey" }] }, paging: { maxResultsToFetch: 1 } };

const GENERAL: readonly Probe[] = [
  { feature: "workOperations", ref: { name: "work.get-operator", operation: work.getOperator } },
  { feature: "worklist", ref: query, values: { dataViewId: WORKLIST } },
  {
    feature: "caseViews",
    ref: { name: "data.list-objects", operation: data.listObjects },
    findObstacle: (body) => findObjects(body, "dataObjects").some(listsCases) ? undefined : "No data view lists cases.",
  },
  {
    feature: "paging",
    ref: query,
    values: { dataViewId: WORKLIST, pageSize: 1 },
    findObstacle: (body) => findObjects(body, "data").length > 1 ? "The page size was ignored." : undefined,
  },
  { feature: "queries", ref: query, values: { dataViewId: WORKLIST, data: onePage } },
  {
    feature: "metadata",
    ref: { name: "data.get-metadata", operation: data.getMetadata },
    values: { dataViewId: WORKLIST },
  },
  { feature: "agents", ref: { name: "ai-agents.list", operation: aiAgents.list } },
];

/** Lists the reads of a case. */
function listCaseProbes(caseId: string): Probe[] {
  const values = { caseId };
  return [
    {
      feature: "entityTags",
      ref: { name: "cases.get", operation: cases.get },
      values,
      findObstacle: (_, { etag }) => etag === undefined ? "The response has no entity tag." : undefined,
    },
    {
      feature: "history",
      ref: query,
      values: { dataViewId: "D_pyWorkHistory", params: { CaseInstanceKey: caseId } },
    },
    { feature: "attachments", ref: { name: "attachments.list", operation: attachments.list }, values },
    { feature: "participants", ref: { name: "participants.list", operation: participants.list }, values },
    { feature: "followers", ref: { name: "followers.list", operation: followers.list }, values },
    { feature: "tags", ref: { name: "tags.list", operation: tags.list }, values },
    { feature: "relatedCases", ref: { name: "related.list", operation: related.list }, values },
    {
      feature: "messages",
      ref: { name: "social.list-messages", operation: social.listMessages },
      values: { filterBy: "All", filterFor: caseId },
    },
  ];
}

/** Features that only changes could show. */
const UNTESTED = [
  "Creation of cases",
  "Forms of actions",
  "Uploads",
  "Bulk actions",
  "Changes of records",
  "Conversations with agents",
  "Idempotency keys",
];

/** Tests the features of a service. A failure is part of the result, not an error. */
export async function testFeatures(options: AuthOptions): Promise<FeatureTest[]> {
  const caller = createCaller(options);
  const bodies = new Map<Feature, JsonValue | undefined>();
  const general = await Promise.all(GENERAL.map(async (probe) => {
    const { body, ...result } = await testFeature(caller, probe, options);
    bodies.set(probe.feature, body);
    return result;
  }));
  const caseId = findObjects(bodies.get("worklist"), "data").map(({ pxRefObjectKey }) => pxRefObjectKey)
    .find(isNonEmptyString) ?? await findCase(caller, findObjects(bodies.get("caseViews"), "dataObjects"), options);
  const ofCase = await Promise.all(
    listCaseProbes(caseId ?? "").map(async (probe): Promise<FeatureTest> => {
      if (caseId === undefined) return describe(probe.feature, "not tested", "No case was found to read.");
      const { body: _, ...result } = await testFeature(caller, probe, options);
      return result;
    }),
  );
  const tested = [...general, ...ofCase];
  const ordered = Object.keys(FEATURES).flatMap((name) => tested.filter((one) => one.name === name));
  return [...ordered, ...UNTESTED.map((feature): FeatureTest => ({ feature, supported: "not tested" }))];
}

/** Finds any case in the first data view that lists cases. */
async function findCase(
  caller: Caller,
  objects: readonly JsonObject[],
  options: AuthOptions,
): Promise<string | undefined> {
  const view = objects.find(listsCases)?.defaultListDataView;
  if (view === undefined) return undefined;
  const probe: Probe = { feature: "caseViews", ref: query, values: { dataViewId: view, max: 1 } };
  const { body } = await testFeature(caller, probe, options);
  return findObjects(body, "data").map(({ pzInsKey }) => pzInsKey).find(isNonEmptyString);
}

/** Returns the results of tests as the profile stores them. */
export function toSupportedFeatures(tests: readonly FeatureTest[], testedAt: Date): SupportedFeatures {
  const known = tests.flatMap(({ name, supported }) =>
    name === undefined || supported === "not tested" ? [] : [[name, supported === "yes"]]
  );
  return { testedAt: testedAt.toISOString(), ...Object.fromEntries(known) };
}

async function testFeature(
  caller: Caller,
  { feature, ref, values = {}, findObstacle = () => undefined }: Probe,
  { signal }: AuthOptions,
): Promise<FeatureTest & { body?: JsonValue }> {
  try {
    const reply = await caller.call(ref, values, { signal });
    const { body } = reply;
    if (!isEmptyObject(body)) checkAnswer(ref.operation.answer, reply);
    const obstacle = findObstacle(body, reply);
    return { ...describe(feature, obstacle === undefined ? "yes" : "no", obstacle), body };
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (signal?.aborted) throw error;
    return describe(feature, isUnserved(error) ? "no" : "not tested", error.message);
  }
}

function describe(name: Feature, supported: FeatureTest["supported"], reason?: string): FeatureTest {
  return { name, feature: FEATURES[name], supported, ...(reason !== undefined && { reason }) };
}

/** Some services send an empty object instead of an empty list. */
function isEmptyObject(body: JsonValue | undefined): boolean {
  return isJsonObject(body) && Object.keys(body).length === 0;
}

/** Returns the objects in the list of a body. */
function findObjects(body: JsonValue | undefined, member: string): JsonObject[] {
  return filterObjects(findList(body, member));
}
