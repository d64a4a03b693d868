/** Serves the operations of `svc pages`. */
import type { Application } from "../application/model/application.ts";
import type { LocaleBundle } from "../application/model/application.ts";
import type { UiPage } from "../application/model/application.ts";
import { ServiceError } from "../errors.ts";
import type { GroupHandlers } from "../http/handler.ts";
import { channelOutcome, dashboardOutcome, insightOutcome, pageOutcome, portalOutcome } from "./views.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"pages"> = {
  async get({ pageID, pageClass }, context) {
    const page = pageOf(context.app, pageID);
    if (pageClass !== undefined && pageClass !== page.classId) {
      throw new ServiceError(404, `The page ${pageID} lives in ${page.classId}, not in ${pageClass}.`);
    }
    return await pageOutcome(page, undefined, context);
  },

  async getWithContext({ pageID, dataContext }, context) {
    return await pageOutcome(pageOf(context.app, pageID), dataContext, context);
  },

  async dashboard({ dashboardID }, context) {
    return await dashboardOutcome(found(context.app.dashboards, dashboardID, "dashboard"), context);
  },

  async insight({ insightID }, context) {
    return await insightOutcome(found(context.app.insights, insightID, "insight"), context);
  },

  channel({ channelID }, { app }) {
    return channelOutcome(found(app.channels, channelID, "channel"));
  },

  portal({ portalID }, { app }) {
    return portalOutcome(found(app.portals, portalID, "portal"), app);
  },

  localization({ locale }, { app }) {
    const [id, texts] = bundleOf(app, locale);
    return { body: { id, ...Object.fromEntries(texts) } };
  },
};

function pageOf(app: Application, id: string): UiPage {
  return found(app.pages, id, "page");
}

function found<T>(parts: ReadonlyMap<string, T>, id: string, kind: string): T {
  const part = parts.get(id);
  if (part !== undefined) return part;
  throw new ServiceError(404, `The application has no ${kind} '${id}'.`);
}

/** The texts of a locale; those of its language where its country has none of its own. */
function bundleOf({ locales }: Application, locale: string): [id: string, texts: LocaleBundle] {
  const id = locale.replace("-", "_");
  for (const candidate of [id, id.split("_")[0] ?? id]) {
    const texts = locales.get(candidate);
    if (texts !== undefined) return [candidate, texts];
  }
  throw new ServiceError(404, `The application has no texts for the locale '${locale}'.`);
}
