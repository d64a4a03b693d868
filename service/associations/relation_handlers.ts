/** Serves the operations of `svc related`. */
import { eachElement, elementsIn, idOf, textOf } from "./elements.ts";
import { relate, relatedCases, unrelate } from "./relations.ts";
import { openCase } from "../cases/case_work.ts";
import type { GroupHandlers } from "../http/handler.ts";
import { memberIn } from "../cases/handler_values.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"related"> = {
  async list({ caseId }, context) {
    return { body: { associatedCases: await relatedCases(await openCase(context, caseId)) } };
  },

  async add({ caseId, ifMatch }, context) {
    const work = await openCase(context, caseId, ifMatch);
    return await eachElement(elementsIn(context.body, "cases"), async (other) => {
      await relate(work, textOf(other, "ID"), memberIn(other, "relationship", "string") ?? "");
      return idOf(other);
    }, idOf);
  },

  async delete({ caseId, relatedCaseId, ifMatch }, context) {
    const work = await openCase(context, caseId, ifMatch);
    await unrelate(work, relatedCaseId);
    return {};
  },
};
