/** Compiles views. */
import type { Vocabulary } from "../expressions/vocabulary.ts";
import type { Condition } from "../model/expression.ts";
import {
  createPageView,
  createRowDisplay,
  createView,
  type Field,
  type FormCondition,
  getInnerView,
  limitMembers,
  type NestedView,
  type RowDisplay,
  toReadOnly,
  toViewField,
  type View,
  type ViewField,
  type ViewPart,
  type ViewPlace,
} from "../model/field.ts";
import type { FormDefinition, ViewDefinitions, ViewFieldDefinition } from "../schema/field_format.ts";
import type { DefinitionPlace } from "./definition_place.ts";

/** The fields of a class, with the vocabulary of expressions over them. */
export interface FieldSet {
  /** Fields by name, in order. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly words: Vocabulary;
}

/** The fields of a class, with the views that other views can contain. */
type ViewSet = FieldSet & { readonly views?: ReadonlyMap<string, View> };

type ShownField = Extract<ViewFieldDefinition, { field: string }>;
type ShownView = Exclude<Extract<ViewFieldDefinition, { view: string }>, { field: string }>;
type ShownGroup = Extract<ViewFieldDefinition, { group: string }>;

/** Compiles the views of a class. `pyDetails` shows all fields unless it is defined. */
export function compileViews(
  definitions: ViewDefinitions | undefined,
  set: FieldSet,
  place: DefinitionPlace,
): Map<string, View> {
  const known = new Map<string, View>();
  const views = place.compileAll(
    definitions,
    (id, { name = toLabel(id), fields: shown, readOnly, highlighted }, at) => {
      const compiler = new ViewCompiler(id, name, { ...set, views: known });
      const places = (highlighted ?? []).flatMap((field, index) => {
        return compiler.compileField({ field, readOnly: true }, [], at.at("highlighted", index)) ?? [];
      });
      const view = compiler.compile(shown, at.at("fields"));
      const shownOnly = () => new Map(Array.from(view.fields, ([field, one]) => [field, toReadOnly(one)]));
      const compiled = {
        ...view,
        ...(readOnly && { readOnly, members: [], fields: shownOnly() }),
        ...(highlighted && { highlighted: places }),
      };
      known.set(id, compiled);
      return compiled;
    },
  );
  return new Map([["pyDetails", createView("pyDetails", "Details", set.fields)], ...views]);
}

/** Compiles the fields of a view. */
export function compileView(
  id: string,
  name: string,
  definitions: readonly ViewFieldDefinition[],
  set: ViewSet,
  place: DefinitionPlace,
): View {
  return new ViewCompiler(id, name, set).compile(definitions, place);
}

/** Compiles the view that a form names or defines. Returns `fallback` if it does neither. */
export function compileForm(
  definition: FormDefinition,
  { id, name }: Pick<View, "id" | "name">,
  { views, ...set }: Required<ViewSet>,
  place: DefinitionPlace,
  fallback: View = { id, name, fields: new Map() },
): View {
  if (definition.page !== undefined) {
    if (definition.fields !== undefined) place.at("fields").report("use either 'page' or 'fields', not both");
    return compilePageForm(definition.page, definition.view, set, place) ?? fallback;
  }
  if (definition.fields !== undefined) {
    if (definition.view !== undefined) place.at("view").report("use either 'view' or 'fields', not both");
    return compileView(id, name, definition.fields, { ...set, views }, place.at("fields"));
  }
  if (definition.view === undefined) return fallback;
  return place.at("view").resolve("view", definition.view, views) ?? fallback;
}

/** Compiles a form about an embedded page. It is the view of the page, and submits the page. */
function compilePageForm(
  name: string,
  viewId: string | undefined,
  { fields }: FieldSet,
  place: DefinitionPlace,
): View | undefined {
  const field = place.at("page").resolve("field", name, fields);
  if (field === undefined) return undefined;
  const { embedded, reference, copy, type } = field;
  if (type !== "Page" || embedded === undefined || (reference ?? copy) !== undefined) {
    place.at("page").report(`'${name}' is not an embedded page`);
    return undefined;
  }
  const { views = new Map<string, View>() } = embedded;
  const view = viewId === undefined ? createPageView(embedded) : place.at("view").resolve("view", viewId, views);
  if (view === undefined) return undefined;
  const shown = { ...toViewField(field, { required: false }), view, field: limitMembers(field, [view]) };
  return { id: view.id, name: view.name, page: name, fields: new Map([[name, shown]]) };
}

/** Formats an ID as a label, e.g. `Site_Visit` as `Site Visit`. */
export function toLabel(id: string): string {
  return id.replaceAll("_", " ");
}

class ViewCompiler {
  readonly #id: string;
  readonly #name: string;
  readonly #set: ViewSet;
  readonly #fields = new Map<string, ViewField>();
  readonly #members: Required<ViewPlace>[] = [];
  readonly #whens = new Map<string, Condition>();

  constructor(id: string, name: string, set: ViewSet) {
    this.#id = id;
    this.#name = name;
    this.#set = set;
  }

  compile(definitions: readonly ViewFieldDefinition[], place: DefinitionPlace): View {
    const parts = this.#compileParts(definitions, [], place);
    const members = this.#members.map((member) => ({ ...member, isElsewhere: this.#isInPage(member) }));
    for (const page of new Set(members.map((member) => member.page))) this.#addPage(page);
    const isPlain = this.#members.length === 0 && parts.length === this.#fields.size &&
      parts.every((part) => "shown" in part);
    return {
      id: this.#id,
      name: this.#name,
      fields: this.#fields,
      ...(members.length > 0 && { members }),
      ...(!isPlain && { parts }),
      ...(this.#whens.size > 0 && { whens: this.#whens }),
    };
  }

  #compileParts(
    definitions: readonly ViewFieldDefinition[],
    within: readonly FormCondition[],
    place: DefinitionPlace,
  ): ViewPart[] {
    return definitions.flatMap((definition, index) => {
      const at = place.at(index);
      if (typeof definition === "string") return this.compileField({ field: definition }, within, at) ?? [];
      if ("field" in definition) return this.compileField(definition, within, at) ?? [];
      if ("view" in definition) return this.#compileNested(definition, within, at) ?? [];
      return [this.#compileGroup(definition, within, at)];
    });
  }

  #compileNested(
    { view: id, label, visible: source, readOnly }: ShownView,
    within: readonly FormCondition[],
    place: DefinitionPlace,
  ): NestedView | undefined {
    const nested = place.at("view").resolve("view", id, this.#set.views ?? new Map<string, View>());
    if (nested === undefined) return undefined;
    const visible = this.#compileCondition(`${id}_visible`, source, place.at("visible"));
    const around = visible === undefined ? within : [...within, visible];
    for (const [name, shown] of nested.fields) {
      const inner = { ...shown, within: [...around, ...shown.within ?? []] };
      this.#addField(name, readOnly ? toReadOnly(inner) : inner, place);
    }
    for (const [name, holds] of nested.whens ?? []) this.#whens.set(name, holds);
    return { nested, label, readOnly, visible };
  }

  /** Adds a field. Of several places, the one in which it can be edited counts. */
  #addField(name: string, shown: ViewField, place: DefinitionPlace): void {
    const known = this.#fields.get(name);
    if (known === undefined || known.readOnly) this.#fields.set(name, shown);
    else if (!shown.readOnly) {
      place.report(
        `the form has the field '${name}' already: show it again only with 'readOnly: true'`,
      );
    }
  }

  /** Reports whether a view of the page lets a person edit a member. */
  #isInPage({ page, shown }: Required<ViewPlace>): boolean {
    const holder = this.#fields.get(page);
    return holder !== undefined && !holder.readOnly &&
      getInnerView(holder)?.fields.get(shown.field.name)?.readOnly === false;
  }

  /** Adds a page whose members the form shows, so that they can be submitted. */
  #addPage(name: string): void {
    const field = this.#set.fields.get(name);
    const known = this.#fields.get(name);
    if (field?.embedded === undefined) return;
    const members = this.#members.filter(({ page }) => page === name).map(({ shown }) => {
      return [shown.field.name, {
        ...toViewField(shown.field, { required: false }),
        readOnly: shown.readOnly,
      }] as const;
    });
    const own = known === undefined || known.readOnly ? undefined : known.view ?? createPageView(field.embedded);
    const view = { ...own ?? { id: name, name }, fields: new Map([...members, ...own?.fields ?? []]) };
    const plain = toViewField(field, { required: false });
    this.#fields.set(name, { ...own === undefined ? plain : known ?? plain, view, field: limitMembers(field, [view]) });
  }

  #compileMember(
    { field: path, label, help, visible, required, readOnly, ...others }: ShownField,
    within: readonly FormCondition[],
    place: DefinitionPlace,
  ): ViewPlace | undefined {
    const [page = "", name = ""] = path.split(".");
    const holder = place.at("field").resolve("field", page, this.#set.fields);
    if (holder === undefined) return undefined;
    if (holder.type !== "Page" || holder.embedded === undefined || holder.reference !== undefined) {
      place.at("field").report(`'${page}' is not an embedded page`);
      return undefined;
    }
    const field = place.at("field").resolve("field", name, holder.embedded.fields);
    if (field === undefined) return undefined;
    if (field.embedded !== undefined) place.at("field").report(`'${name}' is embedded: show it in a view of '${page}'`);
    for (const member of Object.keys(others)) place.at(member).report(`'${member}' is not for a field of a page`);
    const shown = this.#compileShown(
      field,
      `${page}_${name}`,
      { label, help, visible, required, readOnly },
      within,
      place,
    );
    const member = { shown, page };
    this.#members.push(member);
    return member;
  }

  #compileGroup(definition: ShownGroup, within: readonly FormCondition[], place: DefinitionPlace): ViewPart {
    const { group: id, heading = toLabel(id), instructions, collapsible, fields } = definition;
    const visible = this.#compileCondition(`${id}_visible`, definition.visible, place.at("visible"));
    const parts = this.#compileParts(fields, visible === undefined ? within : [...within, visible], place.at("fields"));
    return { id, heading, instructions, collapsible, visible, parts };
  }

  /** Compiles a place of a field. */
  compileField(
    definition: ShownField,
    within: readonly FormCondition[],
    place: DefinitionPlace,
  ): ViewPlace | undefined {
    const { field: name } = definition;
    if (name.includes(".")) return this.#compileMember(definition, within, place);
    const field = place.resolve("field", name, this.#set.fields);
    if (field === undefined) return undefined;
    const display = this.#compileDisplay(field, definition, place);
    const plain = { ...this.#compileShown(field, name, definition, within, place), ...display };
    const shown = display.view?.readOnly && field.reference === undefined ? toReadOnly(plain) : plain;
    this.#addField(name, shown, place);
    return { shown };
  }

  #compileShown(
    field: Field,
    name: string,
    { label, help, visible, required, readOnly }: Omit<ShownField, "field">,
    within: readonly FormCondition[],
    place: DefinitionPlace,
  ): ViewField {
    const compile = (member: "visible" | "required" | "readOnly", value: string | boolean | undefined) =>
      this.#compileCondition(`${name}_${member}`, value, place.at(member));
    const plain = toViewField(field, {
      label,
      ...(typeof required === "boolean" && { required }),
      ...(typeof required === "string" && { required: false }),
      ...(typeof readOnly === "boolean" && { readOnly }),
    });
    return {
      ...plain,
      help,
      visible: compile("visible", visible),
      requiredWhen: typeof required === "string" && !plain.readOnly ? compile("required", required) : undefined,
      readOnlyWhen: typeof readOnly === "string" ? compile("readOnly", readOnly) : undefined,
      ...(within.length > 0 && { within }),
    };
  }

  /** Compiles how a page, a list or a reference is shown. */
  #compileDisplay(field: Field, definition: ShownField, place: DefinitionPlace): Partial<ViewField> {
    const { type, embedded, reference, copy } = field;
    const kind = (reference ?? copy) !== undefined
      ? "reference"
      : type === "Page"
      ? "page"
      : type === "List"
      ? "list"
      : "other";
    const wrong = DISPLAY_MEMBERS.filter(([owner, member]) => owner !== kind && definition[member] !== undefined);
    for (const [owner, member] of wrong) {
      place.at(member).report(`'${member}' is for a ${owner}, and '${field.name}' is not one`);
    }
    if (embedded === undefined || wrong.length > 0) return {};
    const find = (member: "view" | "details" | "rowView" | "editView") => {
      const id = definition[member];
      return id === undefined ? undefined : place.at(member).resolve("view", id, embedded.views ?? new Map());
    };
    if (kind === "reference") return { view: find("details") };
    if (kind === "page") {
      const view = find("view");
      return view === undefined ? {} : { view, field: limitMembers(field, [view]) };
    }
    if (kind !== "list" || !LIST_MEMBERS.some((member) => definition[member] !== undefined)) return {};
    const rows = this.#compileRows(field, definition, find("editView"), place);
    const isDialog = rows.editing !== "inline" || rows.layout === "repeating";
    const view = find("rowView") ?? (isDialog ? createPageView(embedded) : undefined);
    const editable = isDialog ? [view, rows.editView] : [rows.columns];
    const isLimited = definition.columns !== undefined || definition.rowView !== undefined;
    const views = editable.filter((one) => one !== undefined);
    return { view, rows, ...(isLimited && { field: limitMembers(field, views) }) };
  }

  #compileRows(
    { name, embedded = { classId: "", fields: new Map() } }: Field,
    definition: ShownField,
    editView: View | undefined,
    place: DefinitionPlace,
  ): RowDisplay {
    const { rows: layout, columns, editing = "inline", heading, rowView, allowTableEdit } = definition;
    const isFixed = allowTableEdit === false;
    const fallback = createRowDisplay(embedded);
    const words = this.#set.words.within(name);
    const compile = (action: "Add" | "Edit" | "Delete" | "Move") => {
      const member = `allow${action}` as const;
      const source = isFixed && action !== "Edit" ? false : definition[member];
      return this.#compileCondition(`${name}_${member}`, source, place.at(member));
    };
    const compileRow = (member: "allowRowEdit" | "allowRowDelete") => {
      const source = definition[member];
      if (source === undefined) return undefined;
      const condition = words.compileFormCondition(
        source,
        `${this.#prefix()}${name}_${member}`,
        place.at(member).report,
      );
      if (condition.text === undefined) {
        place.at(member).report(
          "clients evaluate this condition for each row: compare fields of the row with values by ==, !=, <, <=, >, >=",
        );
      }
      return condition;
    };
    const shown = columns && new Map(
      columns.flatMap((column, index) => {
        const at = place.at("columns", index);
        const field = at.resolve("field", column, embedded.fields);
        if (field?.embedded !== undefined) at.report(`'${column}' is embedded: show it in the view of a row`);
        return field === undefined ? [] : [[column, toViewField(field)] as const];
      }),
    );
    if (heading?.startsWith(".")) place.at("heading").checkExists("field", heading.slice(1), embedded.fields);
    return {
      layout: layout ??
        (rowView !== undefined && definition.editing === undefined && columns === undefined
          ? "repeating"
          : columns !== undefined || definition.editing !== undefined
          ? "table"
          : fallback.layout),
      editing,
      columns: shown === undefined ? fallback.columns : { id: name, name, fields: shown },
      editView,
      heading: heading?.startsWith(".") ? { field: heading.slice(1) } : heading && { text: heading } || undefined,
      ...(isFixed && { isFixed }),
      allow: { add: compile("Add"), edit: compile("Edit"), delete: compile("Delete"), move: compile("Move") },
      allowRow: { edit: compileRow("allowRowEdit"), delete: compileRow("allowRowDelete") },
    };
  }

  #prefix(): string {
    return `${this.#id.replaceAll(/\W+/g, "_")}_`;
  }

  /** Compiles a condition. Returns undefined for a missing one, and for one that always holds. */
  #compileCondition(
    name: string,
    source: string | boolean | undefined,
    place: DefinitionPlace,
  ): FormCondition | undefined {
    const full = this.#prefix() + name;
    if (source === undefined || source === true) return undefined;
    if (source === false) return { name: full, holds: () => false, text: "false" };
    const condition = this.#set.words.compileFormCondition(source, full, place.report);
    if (condition.text === undefined) this.#whens.set(full, condition.holds);
    return condition;
  }
}

const LIST_MEMBERS = [
  "rows",
  "columns",
  "editing",
  "rowView",
  "editView",
  "heading",
  "allowTableEdit",
  "allowAdd",
  "allowEdit",
  "allowDelete",
  "allowMove",
  "allowRowEdit",
  "allowRowDelete",
] as const;

/** Members of a shown field that apply to one kind of fields. */
const DISPLAY_MEMBERS = [
  ["page", "view"],
  ["reference", "details"],
  ...LIST_MEMBERS.map((member) => ["list", member] as const),
] as const;
