/** Followers of cases. The case contains them, because each response tells the caller whether the caller follows it. */
import { type CaseWork, openCase, readFollowers, setFollowers } from "../cases/case_work.ts";
import { checkWork } from "../access/case_rights.ts";
import { Conflict, Invalid, NotFound } from "../errors.ts";
import type { GroupHandlers } from "../http/handler.ts";
import { applyToEach, getElementId, readElements, requireId } from "./elements.ts";

/** The handlers of `svc followers` by operation. */
export const handlers: GroupHandlers<"followers"> = {
  async list({ caseId }, context) {
    const { stored } = await openCase(context, caseId);
    const followers = readFollowers(stored).map((id) => {
      const { name, email = "" } = context.app.operators.get(id) ?? { name: id };
      return { id, ID: id, name, email };
    });
    return { body: { followers } };
  },

  async add({ caseId, ifMatch }, context) {
    const work = await openCase(context, caseId, ifMatch);
    return await applyToEach(readElements(context.body, "users"), async (user) => {
      const id = requireId(user);
      checkFollower(work, id);
      await addFollower(work, id);
      return id;
    }, getElementId);
  },

  async delete({ caseId, user, ifMatch }, context) {
    const work = await openCase(context, caseId, ifMatch);
    checkFollower(work, user);
    const followers = readFollowers(work.stored);
    if (!followers.includes(user)) throw new NotFound(`User ${user} is not a follower`);
    await saveFollowers(work, followers.filter((id) => id !== user));
    return {};
  },
};

/** Checks that the caller may decide whether an operator follows a case. Operators who see a case may follow it. */
function checkFollower(work: CaseWork, user: string): void {
  if (user !== work.context.caller.id) checkWork(work);
}

async function addFollower(work: CaseWork, user: string): Promise<void> {
  if (!work.context.app.operators.has(user)) throw new Invalid(`User ${user} is not valid`);
  const followers = readFollowers(work.stored);
  if (followers.includes(user)) throw new Conflict(`User ${user} is already a follower`);
  await saveFollowers(work, [...followers, user]);
}

/** Saves the followers. The entity tag stays, because a follower does not outdate the work of anyone. */
async function saveFollowers({ stored, context }: CaseWork, followers: readonly string[]): Promise<void> {
  setFollowers(stored, followers);
  await context.tx.putCase(stored);
}
