/** The cases above and below a case. */
import type { JsonObject } from "../../../utils/json.ts";
import { type EngineContext, findCase, openCase } from "../case_work.ts";
import { assignmentInfo, urgencyIn } from "./case.ts";
import { caseLink } from "./ui.ts";

/**
 * The parent of a case, its parent, and so on; nothing for a case without one. One whose type a changed definition has
 * lost is passed over, here and below.
 */
export async function ancestors(context: EngineContext, caseId: string): Promise<JsonObject> {
  const found: JsonObject[] = [];
  let { stored: { parentId } } = await openCase(context, caseId);
  while (parentId !== undefined) {
    const parent = await context.tx.getCase(parentId);
    const type = context.app.caseTypes.get(parent?.typeId ?? "");
    if (type !== undefined) {
      found.push({ id: parentId, ID: parentId, name: type.name, links: { open: caseLink(parentId) } });
    }
    parentId = parent?.parentId;
  }
  return found.length === 0 ? {} : { ancestors: found };
}

/** The children of a case, their children, and so on; nothing for a case without any. */
export async function descendants(context: EngineContext, caseId: string): Promise<JsonObject> {
  await openCase(context, caseId);
  return await listChildren(context, caseId);
}

async function listChildren(context: EngineContext, caseId: string): Promise<JsonObject> {
  const childCases: JsonObject[] = [];
  for (const { id } of await context.tx.listChildren(caseId)) {
    const work = await findCase(context, id);
    if (work === undefined) continue;
    const { stored, type } = work;
    childCases.push({
      id,
      ID: id,
      businessID: stored.businessId,
      name: type.name,
      caseTypeID: type.id,
      status: stored.status,
      urgency: urgencyIn(context.app.platformVersion, stored.urgency),
      links: { open: caseLink(stored.id) },
      assignments: work.assignments.map((assignment) => assignmentInfo(work, assignment)),
      ...await listChildren(context, id),
    });
  }
  return childCases.length === 0 ? {} : { childCases };
}
