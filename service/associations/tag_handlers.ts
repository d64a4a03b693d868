/** Serves the operations of `svc tags`. */
import { eachElement } from "./elements.ts";
import { addTag, removeTag, tagKey, tagsOf } from "./tags.ts";
import { openCase } from "../cases/case_work.ts";
import type { GroupHandlers } from "../http/handler.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"tags"> = {
  async list({ caseId }, context) {
    const work = await openCase(context, caseId);
    return { body: { tagsList: (await tagsOf(work)).map((name) => ({ tagName: name, tagKey: tagKey(work, name) })) } };
  },

  async add({ caseId, tag, ifMatch }, context) {
    const work = await openCase(context, caseId, ifMatch);
    return await eachElement(tag, (name) => addTag(work, name), String);
  },

  async delete({ caseId, tag, ifMatch }, context) {
    const work = await openCase(context, caseId, ifMatch);
    await removeTag(work, tag);
    return {};
  },
};
