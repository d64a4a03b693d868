/** Compiles views. */
import type { Vocabulary } from "../expressions/vocabulary.ts";
import type { Condition } from "../model/expression.ts";
import {
  createPageView,
  createRowDisplay,
  createView,
  type Field,
  type FormCondition,
  limitMembers,
  type RowDisplay,
  toViewField,
  type View,
  type ViewField,
  type ViewPart,
} from "../model/field.ts";
import type { FormDefinition, ViewDefinitions, ViewFieldDefinition } from "../schema/field_format.ts";
import type { DefinitionPlace } from "./definition_place.ts";

/** The fields of a class, with the vocabulary of expressions over them. */
export interface FieldSet {
  /** Fields by name, in order. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly words: Vocabulary;
}

type ShownField = Extract<ViewFieldDefinition, { field: string }>;
type ShownGroup = Extract<ViewFieldDefinition, { group: string }>;

/** Compiles the views of a class. `pyDetails` shows all fields unless it is defined. */
export function compileViews(
  definitions: ViewDefinitions | undefined,
  set: FieldSet,
  place: DefinitionPlace,
): Map<string, View> {
  const views = place.compileAll(definitions, (id, { name = toLabel(id), fields: shown }, at) => {
    return compileView(id, name, shown, set, at.at("fields"));
  });
  return new Map([["pyDetails", createView("pyDetails", "Details", set.fields)], ...views]);
}

/** Compiles the fields of a view. */
export function compileView(
  id: string,
  name: string,
  definitions: readonly ViewFieldDefinition[],
  set: FieldSet,
  place: DefinitionPlace,
): View {
  return new ViewCompiler(id, name, set).compile(definitions, place);
}

/** Compiles the view that a form names or defines. Returns `fallback` if it does neither. */
export function compileForm(
  definition: FormDefinition,
  { id, name }: Pick<View, "id" | "name">,
  { views, ...set }: FieldSet & { readonly views: ReadonlyMap<string, View> },
  place: DefinitionPlace,
  fallback: View = { id, name, fields: new Map() },
): View {
  if (definition.fields !== undefined) {
    if (definition.view !== undefined) place.at("view").report("use either 'view' or 'fields', not both");
    return compileView(id, name, definition.fields, set, place.at("fields"));
  }
  if (definition.view === undefined) return fallback;
  return place.at("view").resolve("view", definition.view, views) ?? fallback;
}

/** Formats an ID as a label, e.g. `Site_Visit` as `Site Visit`. */
export function toLabel(id: string): string {
  return id.replaceAll("_", " ");
}

class ViewCompiler {
  readonly #id: string;
  readonly #name: string;
  readonly #set: FieldSet;
  readonly #fields = new Map<string, ViewField>();
  readonly #whens = new Map<string, Condition>();

  constructor(id: string, name: string, set: FieldSet) {
    this.#id = id;
    this.#name = name;
    this.#set = set;
  }

  compile(definitions: readonly ViewFieldDefinition[], place: DefinitionPlace): View {
    const parts = this.#compileParts(definitions, [], place);
    return {
      id: this.#id,
      name: this.#name,
      fields: this.#fields,
      ...(parts.some((part) => typeof part !== "string") && { parts }),
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
      if (typeof definition === "string") return this.#compileField({ field: definition }, within, at) ?? [];
      if ("field" in definition) return this.#compileField(definition, within, at) ?? [];
      return [this.#compileGroup(definition, within, at)];
    });
  }

  #compileGroup(definition: ShownGroup, within: readonly FormCondition[], place: DefinitionPlace): ViewPart {
    const { group: id, heading = toLabel(id), instructions, collapsible, fields } = definition;
    const visible = this.#compileCondition(`${id}_visible`, definition.visible, place.at("visible"));
    const parts = this.#compileParts(fields, visible === undefined ? within : [...within, visible], place.at("fields"));
    return { id, heading, instructions, collapsible, visible, parts };
  }

  #compileField(definition: ShownField, within: readonly FormCondition[], place: DefinitionPlace): string | undefined {
    const { field: name, label, help, visible, required, readOnly } = definition;
    const field = place.resolve("field", name, this.#set.fields);
    if (this.#fields.has(name)) place.report(`the form has the field '${name}' already`);
    if (field === undefined) return undefined;
    const compile = (member: "visible" | "required" | "readOnly", value: string | boolean | undefined) =>
      this.#compileCondition(`${name}_${member}`, value, place.at(member));
    const plain = toViewField(field, {
      label,
      ...(typeof required === "boolean" && { required }),
      ...(typeof required === "string" && { required: false }),
      ...(typeof readOnly === "boolean" && { readOnly }),
    });
    this.#fields.set(name, {
      ...plain,
      help,
      visible: compile("visible", visible),
      requiredWhen: typeof required === "string" && !plain.readOnly ? compile("required", required) : undefined,
      readOnlyWhen: typeof readOnly === "string" ? compile("readOnly", readOnly) : undefined,
      ...(within.length > 0 && { within }),
      ...this.#compileDisplay(field, definition, place),
    });
    return name;
  }

  /** Compiles how a page, a list or a reference is shown. */
  #compileDisplay(field: Field, definition: ShownField, place: DefinitionPlace): Partial<ViewField> {
    const { type, embedded, reference } = field;
    const kind = reference !== undefined ? "reference" : type === "Page" ? "page" : type === "List" ? "list" : "other";
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
    const { rows: layout, columns, editing = "inline", heading, rowView } = definition;
    const fallback = createRowDisplay(embedded);
    const words = this.#set.words.within(name);
    const compile = (action: "Add" | "Edit" | "Delete" | "Move") => {
      const member = `allow${action}` as const;
      return this.#compileCondition(`${name}_${member}`, definition[member], place.at(member));
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
