/** Handlers of the operations of `svc pages`, `svc ui-lists` and `svc static-content`. */
import type { Application, LocaleBundle } from "../application/model/application.ts";
import { showValues } from "../cases/views/ui.ts";
import { NotFound } from "../errors.ts";
import type { GroupHandlers, Outcome, SentContent } from "../http/handler.ts";
import { moveRow } from "./move_row.ts";
import {
  addPersonalization,
  changePersonalization,
  deletePersonalization,
  listPersonalizations,
} from "./personalizations.ts";
import { describeChannel, describeDashboard, describeInsight, describePage, describePortal } from "./views.ts";

/** The handlers of pages by operation. */
export const pageHandlers: GroupHandlers<"pages"> = {
  async get({ pageID, pageClass }, context) {
    const page = find(context.app.pages, pageID, "page");
    if (pageClass !== undefined && pageClass !== page.classId) {
      throw new NotFound(`The page ${pageID} has the class ${page.classId}, not ${pageClass}.`);
    }
    return { body: await describePage(page, undefined, context) };
  },

  async getWithContext({ pageID, dataContext }, context) {
    return { body: await describePage(find(context.app.pages, pageID, "page"), dataContext, context) };
  },

  async dashboard({ dashboardID }, context) {
    return { body: await describeDashboard(find(context.app.dashboards, dashboardID, "dashboard"), context) };
  },

  async insight({ insightID }, context) {
    return { body: await describeInsight(find(context.app.insights, insightID, "insight"), context) };
  },

  channel({ channelID }, { app }) {
    return { body: describeChannel(find(app.channels, channelID, "channel"), app) };
  },

  portal({ portalID }, { app }) {
    return { body: describePortal(find(app.portals, portalID, "portal"), app) };
  },

  localization({ locale }, { app }) {
    const [id, texts] = findBundle(app, locale);
    return { body: { id, ...Object.fromEntries(texts) } };
  },
};

/** The handlers of UI lists by operation. */
export const uiListHandlers: GroupHandlers<"uiLists"> = {
  async listPersonalizations({ uiListID }, context) {
    const list = find(context.app.uiLists, uiListID, "UI list");
    return { body: { personalizations: await listPersonalizations(list, context) } };
  },

  async createPersonalization({ uiListID, ...values }, context) {
    return { text: await addPersonalization(find(context.app.uiLists, uiListID, "UI list"), values, context) };
  },

  async updatePersonalization({ uiListID, personalizationID, ...values }, context) {
    const list = find(context.app.uiLists, uiListID, "UI list");
    return { text: await changePersonalization(list, personalizationID, values, context) };
  },

  async deletePersonalization({ uiListID, personalizationID, ifMatch }, context) {
    const list = find(context.app.uiLists, uiListID, "UI list");
    return { text: await deletePersonalization(list, personalizationID, ifMatch, context) };
  },

  async move(values, context) {
    const { work: { stored, type }, list } = await moveRow(context, values);
    const content = showValues(new Map([[list.name, list]]), stored.content, type.id);
    return {
      tag: stored.tag,
      body: { id: stored.id, etag: stored.tag, data: { caseInfo: { ID: stored.id, content } } },
    };
  },
};

/** The handlers of static content by operation. */
export const staticContentHandlers: GroupHandlers<"staticContent"> = {
  component({ componentID }, { assets }) {
    return sendContent("component", componentID, async () => {
      const found = await assets.find("components", `${componentID}.js`) ??
        await assets.find("components", componentID);
      return found && { ...found, type: "application/javascript" };
    });
  },

  file({ fileID }, { assets }) {
    return sendContent("file", fileID, async () => {
      const found = await assets.find("files", fileID);
      return found && { ...found, type: "application/octet-stream" };
    });
  },

  profileImage({ userId }, { app, assets }) {
    return sendContent("profile image of", userId, async () => {
      const known = app.operators.has(userId);
      const name = assets.list("profile-images").find((one) => one.replace(/\.[^.]*$/, "") === userId);
      return known && name !== undefined ? await assets.find("profile-images", name) : undefined;
    });
  },
};

/** Sends content, which is read from the disk outside of any transaction. */
function sendContent(kind: string, id: string, find: () => Promise<SentContent | undefined>): Outcome {
  return {
    afterCommit: async () => {
      const content = await find();
      if (content === undefined) throw new NotFound(`The application has no ${kind} '${id}'`);
      return () => ({ content });
    },
  };
}

function find<T>(parts: ReadonlyMap<string, T>, id: string, kind: string): T {
  const part = parts.get(id);
  if (part !== undefined) return part;
  throw new NotFound(`The application has no ${kind} '${id}'.`);
}

/** Finds the texts of a locale, or those of its language. */
function findBundle({ locales }: Application, locale: string): [id: string, texts: LocaleBundle] {
  const id = locale.replace("-", "_");
  for (const candidate of [id, id.split("_")[0] ?? id]) {
    const texts = locales.get(candidate);
    if (texts !== undefined) return [candidate, texts];
  }
  throw new NotFound(`The application has no texts for the locale '${locale}'.`);
}
