/** Compiles the user interface. */
import { toShapes } from "../expressions/field_shape.ts";
import { Vocabulary } from "../expressions/vocabulary.ts";
import type { Application } from "../model/application.ts";
import type { DataView } from "../model/data_view.ts";
import type { Field, View } from "../model/field.ts";
import type { LocaleBundle, PageComponent, UiList, UiPage, UserInterface } from "../model/user_interface.ts";
import type { Definition } from "../schema/definition.ts";
import type { PageDefinition } from "../schema/interface_format.ts";
import { getFields } from "./data_views.ts";
import { toLabel } from "./views.ts";
import { compileInsights } from "./insights.ts";
import type { DefinitionPlace } from "./definition_place.ts";

/** The parts of an application that its pages can refer to. */
type Parts = Pick<Application, "caseTypes" | "dataTypes" | "insights" | "uiLists">;

/** Compiles the user interface over the cases and data of an application. */
export function compileUserInterface(
  definition: Definition,
  application: Pick<Application, "caseTypes" | "dataTypes" | "dataViews">,
  place: DefinitionPlace,
): UserInterface {
  const insights = compileInsights(definition.insights, application.dataViews, place.at("insights"));
  const uiLists = compileUiLists(definition, application.dataViews, place.at("uiLists"));
  const dashboards = place.at("dashboards").compileAll(definition.dashboards, (id, dashboard, at) => ({
    id,
    name: dashboard.name ?? toLabel(id),
    insights: at.at("insights").resolveAll("insight", dashboard.insights, insights, definition.insights),
  }));
  const parts = { ...application, insights, uiLists };
  const pages = place.at("pages").compileAll(definition.pages, (id, page, at) => {
    return compilePage(id, page, parts, definition, at);
  });
  const portals = place.at("portals").compileAll(definition.portals, (id, portal, at) => ({
    id,
    name: portal.name ?? toLabel(id),
    pages: at.at("pages").resolveAll("page", portal.pages, pages),
    dashboards: at.at("dashboards").resolveAll("dashboard", portal.dashboards, dashboards),
  }));
  const channels = place.at("channels").compileAll(definition.channels, (id, { name, type, portal }, at) => ({
    id,
    name: name ?? toLabel(id),
    type,
    ...(portal !== undefined && { portal: at.at("portal").resolve("portal", portal, portals) }),
  }));
  return { pages, insights, dashboards, portals, channels, uiLists, locales: compileLocales(definition) };
}

/** Compiles all UI lists. Leaves out those whose data view does not exist. */
function compileUiLists(
  definition: Definition,
  dataViews: ReadonlyMap<string, DataView>,
  place: DefinitionPlace,
): Map<string, UiList> {
  const words = new Vocabulary({}, definition);
  return place.compileAll(
    definition.uiLists,
    (id, { name = toLabel(id), dataView: viewId, columns, setAppDefault }, at) => {
      const dataView = at.at("dataView").resolve("data view", viewId, dataViews);
      if (dataView === undefined) return undefined;
      const fields = getFields(dataView);
      return {
        id,
        name,
        dataView,
        columns: at.at("columns").resolveAll("field", columns ?? [...fields.keys()], fields),
        canSetAppDefault: words.compileCondition(setAppDefault, at.at("setAppDefault").report),
      };
    },
  );
}

function compilePage(
  id: string,
  definition: PageDefinition,
  parts: Parts,
  all: Definition,
  place: DefinitionPlace,
): UiPage {
  const { name = toLabel(id), class: classId } = definition;
  const caseType = parts.caseTypes.get(classId);
  const dataType = parts.dataTypes.get(classId);
  const { fields, views } = caseType ?? dataType ?? NO_CLASS;
  const words = new Vocabulary(toShapes(fields.values()), all);
  const components = definition.components.flatMap((component, index) => {
    return compileComponent(component, words, views, parts, all, place.at("components", index)) ?? [];
  });
  const shown = new Map(components.flatMap((part) => part.kind === "view" ? [...part.view.fields] : []));
  return { id, name, classId, caseType, dataType, fields, shown: { id, name, fields: shown }, components };
}

function compileComponent(
  { text, view, insight, list }: PageDefinition["components"][number],
  words: Vocabulary,
  views: ReadonlyMap<string, View>,
  { insights, uiLists }: Parts,
  all: Definition,
  place: DefinitionPlace,
): PageComponent | undefined {
  if (text !== undefined) return { kind: "text", text: words.compileTemplate(text, place.at("text").report) };
  if (view !== undefined) {
    const found = place.at("view").resolve("view", view, views);
    return found && { kind: "view", view: found };
  }
  if (insight !== undefined) {
    const found = place.at("insight").resolve("insight", insight, insights, all.insights);
    return found && { kind: "insight", insight: found };
  }
  const found = list === undefined ? undefined : place.at("list").resolve("UI list", list, uiLists, all.uiLists);
  return found && { kind: "list", list: found };
}

/** The fields and views of a class that is neither a case type nor a data type. */
const NO_CLASS = { fields: new Map<string, Field>(), views: new Map<string, View>() };

/** Compiles the texts. A country has the texts of its language, and may replace some of them. */
function compileLocales({ locales }: Definition): Map<string, LocaleBundle> {
  return new Map(
    Object.entries(locales).map(([id, texts]) => {
      const [language = ""] = id.split("_");
      return [id, new Map(Object.entries({ ...locales[language], ...texts }))];
    }),
  );
}
