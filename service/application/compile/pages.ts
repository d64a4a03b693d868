/** What a person sees: pages of texts, views, insights and lists, portals with pages, channels to portals. */
import { z } from "zod";
import type { CaseType, DataType, Field, View } from "../model/application.ts";
import { shapesOf, type Vocabulary, vocabulary } from "../expressions/expressions.ts";
import { spaced } from "./fields.ts";
import type { Path, Report } from "../findings.ts";
import type { Dashboard, Insight } from "./insights.ts";
import { refer, type Referable, referAll } from "./references.ts";
import { compileTemplate, type Template } from "../expressions/template.ts";
import type { UiList } from "./ui_lists.ts";
import { className, identifier, text } from "../schema/words.ts";

const component = z.strictObject({
  text: text.optional().describe("A paragraph, with expressions in {{ }}"),
  view: identifier.optional().describe("A view of the page's class"),
  insight: identifier.optional(),
  list: identifier.optional().describe("A UI list"),
});

/** A page as it is written. */
export const pageSchema = z.strictObject({
  name: text.optional(),
  class: className.describe("Class in which the page lives: expressions see the fields of a case type or data type"),
  components: z.array(component).min(1),
});

/** A portal as it is written. */
export const portalSchema = z.strictObject({
  name: text.optional(),
  pages: z.array(identifier).min(1).describe("Pages, the first of which a person sees first"),
  dashboards: z.array(identifier).default([]),
});

/** A channel as it is written. */
export const channelSchema = z.strictObject({
  name: text.optional(),
  type: z.enum(["Web", "Mobile", "Email", "Chat"]).default("Web"),
  portal: identifier.optional().describe("The portal to which it leads"),
});

type PageDefinition = z.infer<typeof pageSchema>;

/** A part of a page. */
export type PageComponent =
  | { readonly kind: "text"; readonly text: Template }
  | { readonly kind: "view"; readonly view: View }
  | { readonly kind: "insight"; readonly insight: Insight }
  | { readonly kind: "list"; readonly list: UiList };

/** A page. */
export interface Page {
  /** ID, e.g. `Welcome`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Class in which it lives. */
  readonly classId: string;
  /** The case type that is its class, if one is. */
  readonly caseType?: CaseType;
  /** The data type that is its class, if one is. */
  readonly dataType?: DataType;
  /** Fields of its class. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The fields of all its views. */
  readonly shown: View;
  /** In order. */
  readonly components: readonly PageComponent[];
}

/** A portal. */
export interface Portal {
  /** ID, e.g. `Desk`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Its pages, in order. */
  readonly pages: readonly Page[];
  /** Its dashboards, in order. */
  readonly dashboards: readonly Dashboard[];
}

/** A channel. */
export interface Channel {
  /** ID, e.g. `Web`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** How people come in. */
  readonly type: z.infer<typeof channelSchema>["type"];
  /** The portal to which it leads. */
  readonly portal?: Portal;
}

/** What pages can refer to. */
export interface PageParts {
  /** Case types by ID. */
  readonly caseTypes: ReadonlyMap<string, CaseType>;
  /** Data types by class. */
  readonly dataTypes: ReadonlyMap<string, DataType>;
  /** Insights. */
  readonly insights: Referable<Insight>;
  /** UI lists. */
  readonly uiLists: Referable<UiList>;
}

/** Compiles all pages. */
export function compilePages(
  definitions: Readonly<Record<string, PageDefinition>>,
  parts: PageParts,
  report: Report,
): Map<string, Page> {
  return new Map(
    Object.entries(definitions).map(([id, definition]) => [id, compilePage(id, definition, parts, report)]),
  );
}

/** Compiles all portals. */
export function compilePortals(
  definitions: Readonly<Record<string, z.infer<typeof portalSchema>>>,
  parts: { readonly pages: Referable<Page>; readonly dashboards: Referable<Dashboard> },
  report: Report,
): Map<string, Portal> {
  return new Map(
    Object.entries(definitions).map(([id, { name = spaced(id), pages, dashboards }]) => [id, {
      id,
      name,
      pages: referAll(pages, parts.pages, ["portals", id, "pages"], report),
      dashboards: referAll(dashboards, parts.dashboards, ["portals", id, "dashboards"], report),
    }]),
  );
}

/** Compiles all channels. */
export function compileChannels(
  definitions: Readonly<Record<string, z.infer<typeof channelSchema>>>,
  portals: Referable<Portal>,
  report: Report,
): Map<string, Channel> {
  return new Map(
    Object.entries(definitions).map(([id, { name = spaced(id), type, portal }]) => [
      id,
      {
        id,
        name,
        type,
        ...(portal !== undefined && { portal: refer(portal, portals, ["channels", id, "portal"], report) }),
      },
    ]),
  );
}

function compilePage(id: string, definition: PageDefinition, parts: PageParts, report: Report): Page {
  const caseType = parts.caseTypes.get(definition.class);
  const dataType = parts.dataTypes.get(definition.class);
  const { fields, views } = caseType ?? dataType ?? NOTHING;
  const words = vocabulary(shapesOf(fields.values()));
  const components = definition.components.flatMap((given, index) => {
    const at = ["pages", id, "components", index];
    if (Object.keys(given).length !== 1) {
      report(at, "a component is exactly one of 'text', 'view', 'insight' and 'list'");
      return [];
    }
    return compileComponent(given, words, views, parts, at, report) ?? [];
  });
  const name = definition.name ?? spaced(id);
  const shown = new Map(components.flatMap((part) => part.kind === "view" ? [...part.view.fields] : []));
  return {
    id,
    name,
    classId: definition.class,
    caseType,
    dataType,
    fields,
    shown: { id, name, fields: shown },
    components,
  };
}

function compileComponent(
  { text, view, insight, list }: PageDefinition["components"][number],
  words: Vocabulary,
  views: ReadonlyMap<string, View>,
  { insights, uiLists }: PageParts,
  at: Path,
  report: Report,
): PageComponent | undefined {
  if (text !== undefined) return { kind: "text", text: compileTemplate(text, [...at, "text"], words, report) };
  if (view !== undefined) {
    const found = refer(view, { kind: "view", written: {}, compiled: views }, [...at, "view"], report);
    return found && { kind: "view", view: found };
  }
  if (insight !== undefined) {
    const found = refer(insight, insights, [...at, "insight"], report);
    return found && { kind: "insight", insight: found };
  }
  const found = list === undefined ? undefined : refer(list, uiLists, [...at, "list"], report);
  return found && { kind: "list", list: found };
}

/** What a class has that is neither a case type nor a data type. */
const NOTHING = { fields: new Map<string, Field>(), views: new Map<string, View>() };
