/** Relations between cases. Each is kept twice, once for either end. */
import type { JsonObject } from "../../utils/json.ts";
import { caseLink } from "../cases/views/links.ts";
import { type CaseWork, findCase } from "../cases/case_work.ts";
import { ServiceError } from "../errors.ts";
import type { Transaction } from "../store/store.ts";

const KIND = "relation";

/** The cases that are related to a case, those first that were related first. */
export async function relatedCases({ context, stored }: CaseWork): Promise<JsonObject[]> {
  const related: JsonObject[] = [];
  for (const { content } of (await context.tx.itemsOf(KIND, stored.id)).reverse()) {
    const other = await findCase(context, String(content.other));
    if (other !== undefined) related.push({ ...caseFacts(other), relationship: content.relationship });
  }
  return related;
}

/** Relates two cases to each other. */
export async function relate({ context, stored }: CaseWork, otherId: string, relationship: string): Promise<void> {
  const { tx, now } = context;
  if (otherId === stored.id) throw new ServiceError(400, `${stored.businessId} cannot be related to itself`);
  const other = await tx.getCase(otherId);
  if (other === undefined) throw new ServiceError(404, `Case ${otherId} not found`);
  if (await tx.getItem(KIND, itemId(stored.id, otherId)) !== undefined) {
    throw new ServiceError(409, `${stored.businessId} and ${other.businessId} are related already`);
  }
  for (const [one, two] of [[stored.id, otherId], [otherId, stored.id]] as const) {
    const content = { other: two, relationship };
    await tx.putItem({ kind: KIND, id: itemId(one, two), owner: one, at: now.toISOString(), content });
  }
}

/** Ends the relation of two cases. */
export async function unrelate({ context, stored }: CaseWork, otherId: string): Promise<void> {
  if (await context.tx.getItem(KIND, itemId(stored.id, otherId)) === undefined) {
    throw new ServiceError(409, `${stored.businessId} is not related to ${otherId}`);
  }
  await removeBoth(context.tx, stored.id, otherId);
}

/** Ends all relations of a case. */
export async function forgetRelations(tx: Transaction, caseId: string): Promise<void> {
  for (const { content } of await tx.itemsOf(KIND, caseId)) await removeBoth(tx, caseId, String(content.other));
}

async function removeBoth(tx: Transaction, one: string, two: string): Promise<void> {
  await tx.deleteItem(KIND, itemId(one, two));
  await tx.deleteItem(KIND, itemId(two, one));
}

function caseFacts({ stored, type }: CaseWork): JsonObject {
  return {
    id: stored.id,
    ID: stored.id,
    businessID: stored.businessId,
    name: stored.content.pyLabel,
    status: stored.status,
    caseTypeID: type.id,
    caseTypeName: type.name,
    links: { open: caseLink(stored.id) },
  };
}

/** A case handle holds no `!`. */
function itemId(one: string, two: string): string {
  return `${one}!${two}`;
}
