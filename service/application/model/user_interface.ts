/** The user interface: pages, insights, dashboards, portals, channels, UI lists and texts. */
import type { CaseType } from "./case_type.ts";
import type { DataType, DataView, SummaryFunction } from "./data_view.ts";
import type { Condition, Template } from "./expression.ts";
import type { Field, View } from "./field.ts";

/** The user interface of an application. */
export interface UserInterface {
  /** Pages by ID. */
  readonly pages: ReadonlyMap<string, UiPage>;
  /** Insights by ID. */
  readonly insights: ReadonlyMap<string, Insight>;
  /** Dashboards by ID. */
  readonly dashboards: ReadonlyMap<string, Dashboard>;
  /** Portals by ID. */
  readonly portals: ReadonlyMap<string, Portal>;
  /** Channels by ID. */
  readonly channels: ReadonlyMap<string, Channel>;
  /** UI lists by ID. */
  readonly uiLists: ReadonlyMap<string, UiList>;
  /** Bundles of texts by locale. */
  readonly locales: ReadonlyMap<string, LocaleBundle>;
}

/** A page: texts, views, insights and lists in order. */
export interface UiPage {
  /** ID, e.g. `Welcome`. */
  readonly id: string;
  readonly name: string;
  /** The class whose fields its expressions can use. */
  readonly classId: string;
  /** The case type of this class, if there is one. */
  readonly caseType?: CaseType;
  /** The data type of this class, if there is one. */
  readonly dataType?: DataType;
  /** Fields of its class. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The fields of all its views. */
  readonly shown: View;
  readonly components: readonly PageComponent[];
}

/** A part of a page. */
export type PageComponent =
  | { readonly kind: "text"; readonly text: Template }
  | { readonly kind: "view"; readonly view: View }
  | { readonly kind: "insight"; readonly insight: Insight }
  | { readonly kind: "list"; readonly list: UiList };

/** The kinds of charts that an insight can ask for. */
export const CHARTS = ["Table", "Bar", "Column", "Line", "Pie", "Number"] as const;

/** A summary of the rows of a data view. */
export interface Insight {
  /** ID, e.g. `PermitsByStatus`. */
  readonly id: string;
  readonly name: string;
  readonly chart: typeof CHARTS[number];
  /** The data view, with the conditions of the insight added. */
  readonly view: DataView;
  /** Columns: those that make the groups first. */
  readonly columns: readonly SummaryColumn[];
  readonly sort: readonly { readonly column: string; readonly descending: boolean }[];
}

/** A column of the rows of an insight. */
export interface SummaryColumn {
  readonly name: string;
  readonly label: string;
  /** Name of the field. */
  readonly field: string;
  /** The function that is applied to each group. The columns without a function make the groups. */
  readonly summary?: SummaryFunction;
}

/** Several insights on one screen. */
export interface Dashboard {
  /** ID, e.g. `Permits`. */
  readonly id: string;
  readonly name: string;
  readonly insights: readonly Insight[];
}

/** A portal: pages and dashboards. */
export interface Portal {
  /** ID, e.g. `Desk`. */
  readonly id: string;
  readonly name: string;
  readonly pages: readonly UiPage[];
  readonly dashboards: readonly Dashboard[];
}

/** The types of channels. */
export const CHANNEL_TYPES = ["Web", "Mobile", "Email", "Chat"] as const;

/** A channel through which people reach a portal. */
export interface Channel {
  /** ID, e.g. `Web`. */
  readonly id: string;
  readonly name: string;
  readonly type: typeof CHANNEL_TYPES[number];
  readonly portal?: Portal;
}

/** A table of the rows of a data view, which people can personalize. */
export interface UiList {
  /** ID, e.g. `Permits`. */
  readonly id: string;
  readonly name: string;
  readonly dataView: DataView;
  readonly columns: readonly Field[];
  /** Decides whether the caller may make a personalization the default for everyone. */
  readonly canSetAppDefault: Condition;
}

/** The texts of a locale by key. */
export type LocaleBundle = ReadonlyMap<string, string>;
