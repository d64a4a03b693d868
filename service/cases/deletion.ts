/** Which cases can be deleted: those that have not come far. */
import { Conflict, Forbidden } from "../errors.ts";
import { type EngineContext, isResolved } from "./context.ts";
import { currentStage } from "./flow.ts";
import { waitingFor } from "./state.ts";
import { checkChange, openCase } from "./case_work.ts";

/** Refuses to delete a case that has left its create stage, or with which others have to do. */
export async function checkDeletable(
  context: EngineContext,
  caseId: string,
  ifMatch: string | undefined,
): Promise<void> {
  const work = await openCase(context, caseId);
  if (isResolved(work.stored) || currentStage(work).transition !== "create") {
    throw new Forbidden(`${work.stored.businessId} has left its create stage: it cannot be deleted any more`);
  }
  if ((await context.tx.childrenOf(caseId)).length > 0) {
    throw new Conflict(`${work.stored.businessId} has child cases: it cannot be deleted`);
  }
  const { parentId = "" } = work.stored;
  const parent = await context.tx.getCase(parentId);
  if (parent !== undefined && waitingFor(parent, caseId) !== undefined) {
    // It would wait for ever: nothing tells it but that the child is resolved.
    throw new Conflict(`${parent.businessId} waits for ${work.stored.businessId}: it cannot be deleted`);
  }
  checkChange(work, ifMatch);
}
