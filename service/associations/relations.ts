/** Relations between cases. Each is stored twice, once for each case, and changes both. */
import type { JsonObject } from "../../utils/json.ts";
import { checkWork } from "../access/case_rights.ts";
import { type CaseWork, findCase, openCase, openCaseToChange } from "../cases/case_work.ts";
import { readMember } from "../cases/arguments.ts";
import { createCaseLink } from "../cases/views/ui.ts";
import { Conflict, Invalid, NotFound } from "../errors.ts";
import type { GroupHandlers } from "../http/handler.ts";
import type { Transaction } from "../store/store.ts";
import { applyToEach, getElementId, readElements, requireId } from "./elements.ts";

const KIND = "relation";

/** The handlers of `svc related` by operation. */
export const handlers: GroupHandlers<"related"> = {
  async list({ caseId }, context) {
    return { body: { associatedCases: await listRelatedCases(await openCase(context, caseId)) } };
  },

  async add({ caseId, ifMatch }, context) {
    const work = await openCaseToChange(context, caseId, ifMatch);
    return await applyToEach(readElements(context.body, "cases"), async (other) => {
      const id = requireId(other);
      await addRelation(work, id, readMember(other, "relationship", "string") ?? "");
      return id;
    }, getElementId);
  },

  async delete({ caseId, relatedCaseId, ifMatch }, context) {
    const { stored } = await openCaseToChange(context, caseId, ifMatch);
    const item = await context.tx.getItem(KIND, toItemId(stored.id, relatedCaseId));
    const other = await findCase(context, relatedCaseId);
    if (item === undefined || other === undefined) {
      throw new Conflict(`${stored.businessId} is not related to ${relatedCaseId}`);
    }
    checkWork(other);
    await deleteBoth(context.tx, stored.id, relatedCaseId);
    return {};
  },
};

/** Lists the related cases of a case, oldest relation first. */
async function listRelatedCases({ context, stored }: CaseWork): Promise<JsonObject[]> {
  const related: JsonObject[] = [];
  for (const { content } of (await context.tx.listItems(KIND, stored.id)).reverse()) {
    const other = await findCase(context, String(content.other));
    if (other === undefined) continue;
    const { relationship, direction } = content; // Relations of earlier versions have no direction.
    related.push({ ...describeCase(other), relationship, ...(direction !== undefined && { direction }) });
  }
  return related;
}

async function addRelation({ context, stored }: CaseWork, otherId: string, relationship: string): Promise<void> {
  const { tx, now } = context;
  if (otherId === stored.id) throw new Invalid(`${stored.businessId} cannot be related to itself`);
  const other = await findCase(context, otherId);
  if (other === undefined) throw new NotFound(`Case ${otherId} not found`);
  checkWork(other);
  if (await tx.getItem(KIND, toItemId(stored.id, otherId)) !== undefined) {
    throw new Conflict(`${stored.businessId} and ${other.stored.businessId} are already related`);
  }
  const sides = [[stored.id, otherId, "outgoing"], [otherId, stored.id, "incoming"]] as const;
  for (const [one, two, direction] of sides) {
    const content = { other: two, relationship, direction };
    await tx.putItem({ kind: KIND, id: toItemId(one, two), owner: one, at: now.toISOString(), content });
  }
}

/** Deletes all relations of a case. */
export async function deleteRelations(tx: Transaction, caseId: string): Promise<void> {
  for (const { content } of await tx.listItems(KIND, caseId)) await deleteBoth(tx, caseId, String(content.other));
}

async function deleteBoth(tx: Transaction, one: string, two: string): Promise<void> {
  await tx.deleteItem(KIND, toItemId(one, two));
  await tx.deleteItem(KIND, toItemId(two, one));
}

function describeCase({ stored, type }: CaseWork): JsonObject {
  return {
    id: stored.id,
    ID: stored.id,
    businessID: stored.businessId,
    name: stored.content.pyLabel,
    status: stored.status,
    caseTypeID: type.id,
    caseTypeName: type.name,
    links: { open: createCaseLink(stored.id) },
  };
}

/** Builds the ID of an item. A case handle never contains `!`. */
function toItemId(one: string, two: string): string {
  return `${one}!${two}`;
}
