/** Creates cases that have not entered a stage yet. */
import type { JsonObject } from "../../utils/json.ts";
import type { CaseType } from "../application/model/application.ts";
import { OperationFailed } from "../errors.ts";
import { newPage } from "./content/content.ts";
import { CaseWork, type EngineContext } from "./case_work.ts";

/** Origin of a case. */
export interface Origin {
  /** Handle of the parent case. */
  readonly parentId?: string;
  /** The case whose step creates it. */
  readonly creator?: CaseWork;
}

/** Maximum nesting of child cases, in case a definition recurs. */
const DEPTH_LIMIT = 10;

/** Creates a case with a new number. The caller moves it into its first stage. */
export async function newCase(
  context: EngineContext,
  type: CaseType,
  content: JsonObject,
  { parentId, creator }: Origin,
): Promise<CaseWork> {
  const { tx, caller, now } = context;
  const number = await tx.nextNumber(`${type.workPool} ${type.prefix}`);
  const businessId = `${type.prefix}-${number}`;
  const time = now.toISOString();
  const [first] = type.stages.values();
  if (first === undefined) throw new OperationFailed(`Case type '${type.id}' has no stage`);
  const stored = {
    id: `${type.workPool} ${businessId}`,
    businessId,
    typeId: type.id,
    parentId,
    status: type.status,
    urgency: type.urgency,
    stageId: first.id,
    createdBy: caller.id,
    createdAt: time,
    updatedBy: caller.id,
    updatedAt: time,
    tag: "",
    content,
    flow: {},
  };
  const work = new CaseWork(context, type, stored, [], creator);
  work.addEvent("created", `Created the case ${businessId}`, { type: type.id, content: { ...content } });
  work.setContent(content, []);
  return work;
}

/** Creates the child case of a step. It is written together with the parent. */
export async function newChild(parent: CaseWork, type: CaseType, content: JsonObject): Promise<CaseWork> {
  if (countAncestors(parent) > DEPTH_LIMIT) {
    throw new OperationFailed(`The application definition nests cases deeper than ${DEPTH_LIMIT}`);
  }
  const origin = { parentId: parent.stored.id, creator: parent };
  return await newCase(parent.context, type, { ...newPage(type.fields), ...content }, origin);
}

function countAncestors({ creator }: CaseWork): number {
  return creator === undefined ? 0 : countAncestors(creator) + 1;
}
