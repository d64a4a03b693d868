/** Serves the operations of `svc followers`. */
import { eachElement, elementsIn, idOf, textOf } from "./elements.ts";
import { addFollower, listFollowers, removeFollower } from "./followers.ts";
import { openCase } from "../cases/case_work.ts";
import type { GroupHandlers } from "../http/handler.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"followers"> = {
  async list({ caseId }, context) {
    const followers = listFollowers(await openCase(context, caseId));
    return { body: { followers: followers.map(({ id, name, email = "" }) => ({ id, ID: id, name, email })) } };
  },

  async add({ caseId, ifMatch }, context) {
    const work = await openCase(context, caseId, ifMatch);
    return await eachElement(elementsIn(context.body, "users"), async (user) => {
      await addFollower(work, textOf(user, "ID"));
      return idOf(user);
    }, idOf);
  },

  async delete({ caseId, user, ifMatch }, context) {
    const work = await openCase(context, caseId, ifMatch);
    await removeFollower(work, user);
    return {};
  },
};
