/** The cases above and below a case. */
import type { JsonObject } from "../../../utils/json.ts";
import { type EngineContext, findCase, openCase } from "../case_work.ts";
import { describeAssignment, formatUrgency } from "./case.ts";
import { createCaseLink } from "./ui.ts";

/** Lists the ancestors of a case, its parent first. Leaves out cases that the caller may not see or whose type is missing. */
export async function listAncestors(context: EngineContext, caseId: string): Promise<JsonObject> {
  const found: JsonObject[] = [];
  let { stored: { parentId } } = await openCase(context, caseId);
  while (parentId !== undefined) {
    const parent = await context.tx.unrestricted.getCase(parentId);
    const type = await context.tx.isVisible(parentId) ? context.app.caseTypes.get(parent?.typeId ?? "") : undefined;
    if (type !== undefined) {
      found.push({ id: parentId, ID: parentId, name: type.name, links: { open: createCaseLink(parentId) } });
    }
    parentId = parent?.parentId;
  }
  return found.length === 0 ? {} : { ancestors: found };
}

/** Lists the children of a case with their descendants. */
export async function listDescendants(context: EngineContext, caseId: string): Promise<JsonObject> {
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
      urgency: formatUrgency(context.app.platformVersion, stored.urgency),
      links: { open: createCaseLink(stored.id) },
      assignments: work.assignments.map((assignment) => describeAssignment(work, assignment)),
      ...await listChildren(context, id),
    });
  }
  return childCases.length === 0 ? {} : { childCases };
}
