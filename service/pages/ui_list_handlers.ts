/** Serves the operations of `svc ui-lists`. */
import type { Application } from "../application/model/application.ts";
import type { UiList } from "../application/model/application.ts";
import { shownValues } from "../cases/views/content.ts";
import { moveRow } from "./move_row.ts";
import { ServiceError } from "../errors.ts";
import type { GroupHandlers } from "../http/handler.ts";
import {
  addPersonalization,
  changePersonalization,
  personalizationsOf,
  removePersonalization,
} from "./personalizations.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"uiLists"> = {
  async listPersonalizations({ uiListID }, context) {
    return { body: { personalizations: await personalizationsOf(listOf(context.app, uiListID), context) } };
  },

  async createPersonalization({ uiListID, ...values }, context) {
    return { text: await addPersonalization(listOf(context.app, uiListID), values, context) };
  },

  async updatePersonalization({ uiListID, personalizationID, ...values }, context) {
    return { text: await changePersonalization(listOf(context.app, uiListID), personalizationID, values, context) };
  },

  async deletePersonalization({ uiListID, personalizationID, ifMatch }, context) {
    return { text: await removePersonalization(listOf(context.app, uiListID), personalizationID, ifMatch, context) };
  },

  async move(values, context) {
    const { work: { stored, type }, list } = await moveRow(context, values);
    const content = shownValues(new Map([[list.name, list]]), stored.content, type.id);
    return {
      tag: stored.tag,
      body: { id: stored.id, etag: stored.tag, data: { caseInfo: { ID: stored.id, content } } },
    };
  },
};

function listOf(app: Application, id: string): UiList {
  const list = app.uiLists.get(id);
  if (list !== undefined) return list;
  throw new ServiceError(404, `The application has no UI list '${id}'.`);
}
