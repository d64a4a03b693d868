/** The resources with which a user interface shows views. */
import { textToHtml } from "../../../../lib/forms/html.ts";
import type { JsonObject } from "../../../../utils/json.ts";
import type { Application } from "../../../application/model/application.ts";
import type { DataType } from "../../../application/model/data_view.ts";
import {
  type Choices,
  type Copy,
  createPageView,
  createRowDisplay,
  type EmbeddedClass,
  type Field,
  listParts,
  type NestedView,
  type Reference,
  toReadOnly,
  type View,
  type ViewField,
  type ViewPart,
  type ViewPlace,
} from "../../../application/model/field.ts";
import {
  CALLING_CODES,
  type Component,
  describeComponent,
  describeCondition,
  describeField,
  describeHelp,
  describeLabel,
  describeState,
  nameHelp,
  OPERATORS,
} from "./components.ts";
import { noteChoices } from "./loaded_choices.ts";
import { describeList } from "./lists.ts";
import { describeDataPage, describeDataType, describeReference } from "./references.ts";

/** Collects the resources of views: each view, field and data view that they refer to. */
export class FormResources {
  readonly #app: Application;
  readonly #views: Record<string, JsonObject[]> = {};
  readonly #fields: Record<string, JsonObject[]> = {};
  readonly #paragraphs: Record<string, JsonObject[]> = {};
  readonly #dataPages: JsonObject = {};
  readonly #dataTypes: JsonObject = {};
  readonly #components = new Set(["View", "Region", "reference"]);
  readonly #loaded: Choices[] = [];
  readonly #localeReferences = new Set<string>();

  /** Starts without views. */
  constructor(app: Application) {
    this.#app = app;
  }

  /** Adds a view of a class with all that it refers to. */
  addView(view: View, classId: string, template = "DefaultForm"): void {
    this.#addEntry(view.id, classId, () => {
      const isReadOnly = view.readOnly || READ_ONLY.includes(template);
      const place = { view, classId, isReadOnly };
      const children = this.#describeParts(listParts(view), place);
      const highlighted = isReadOnly ? view.highlighted : undefined;
      return describeView(
        view.id,
        classId,
        isReadOnly && template === "DefaultForm" ? "Details" : template,
        template === "CaseSummary" ? toSummary(children) : toFields(children),
        highlighted && { showHighlightedData: true, highlightedData: this.#describeParts(highlighted, place) },
      );
    });
  }

  /** Adds an already described view. */
  addDescribed(view: JsonObject & { name: string; classID: string }): void {
    this.#addEntry(view.name, view.classID, () => view);
  }

  /** Adds a data view. */
  addDataPage(id: string): void {
    const view = this.#app.dataViews.get(id);
    if (view !== undefined) this.#dataPages[id] ??= describeDataPage(view);
  }

  #addChoices(choices: Choices): void {
    this.addDataPage(choices.dataView);
    if (choices.loaded && choices.inForm) this.#loaded.push(choices);
  }

  /** Adds a paragraph and returns the reference to it. */
  addParagraph(name: string, content: string, classId: string): string {
    const known = this.#paragraphs[name]?.filter(({ classID }) => classID !== classId) ?? [];
    this.#paragraphs[name] = [...known, { content, name, classID: classId }];
    return `@PARAGRAPH ${name}`;
  }

  /** Returns the resources as JSON, with the component that shows them. */
  toJson(root: JsonObject | undefined): JsonObject {
    const resources: JsonObject = {
      views: this.#views,
      fields: this.#fields,
      paragraphs: this.#paragraphs,
      datapages: this.#dataPages,
      dataTypes: this.#dataTypes,
    };
    noteChoices(resources, this.#loaded);
    return {
      ...(root && { root }),
      resources,
      components: [...this.#components],
      localeReferences: [...this.#localeReferences],
      context_data: {},
    };
  }

  /** Adds a view once for each class. The entry comes before its description, because views can refer to each other. */
  #addEntry(id: string, classId: string, describe: () => JsonObject): void {
    const entries = this.#views[id] ??= [];
    if (entries.some(({ classID }) => classID === classId)) return;
    const entry: JsonObject = { classID: classId };
    entries.push(entry);
    Object.assign(entry, describe());
    this.#localeReferences.add(buildLocaleReference(id, classId));
    this.#addComponents(entry);
  }

  /** Adds the names of the components and templates below a node. */
  #addComponents(node: JsonObject[string]): void {
    if (Array.isArray(node)) return node.forEach((part) => this.#addComponents(part));
    if (!(node instanceof Object) || !("config" in node || "children" in node)) return;
    const { type, config, children } = node;
    if (typeof type === "string") this.#components.add(type);
    if (config instanceof Object && "template" in config && typeof config.template === "string") {
      this.#components.add(config.template);
    }
    this.#addComponents(children);
    if (config instanceof Object) {
      Object.values(config).forEach((part) => Array.isArray(part) && this.#addComponents(part));
    }
  }

  #describeParts(parts: readonly ViewPart[], place: DescribedView): Component[] {
    const { view, classId } = place;
    return parts.flatMap((part) => {
      if ("shown" in part) return [this.#describePlace(part, place)];
      if ("nested" in part) return [this.#describeNested(part, classId)];
      const { id, heading, instructions, collapsible, visible } = part;
      const config = {
        id: `${view.id}_${id}`,
        type: "any",
        heading: `@L ${heading}`,
        showHeading: true,
        collapsible,
        instructions: instructions === undefined
          ? "none"
          : this.addParagraph(`${view.id}_${id}`, instructions, classId),
        visibility: visible === undefined || describeCondition(visible),
      };
      return [{ type: "Group", config, children: this.#describeParts(part.parts, place) }];
    });
  }

  #describePlace({ shown, page }: ViewPlace, { view, classId, isReadOnly }: DescribedView): Component {
    const described = isReadOnly ? toReadOnly(shown) : shown;
    const holder = page === undefined ? undefined : view.fields.get(page)?.field;
    if (holder?.embedded === undefined) return this.#describeField(described, view, classId);
    this.#addField(holder, classId);
    return describeComponent(described, `${page}.`);
  }

  #describeNested({ nested, label, readOnly, visible }: NestedView, classId: string): Component {
    this.addView(nested, classId);
    return {
      type: "reference",
      config: {
        type: "view",
        name: nested.id,
        ruleClass: classId,
        ...(label !== undefined && {
          inheritedProps: [{ prop: "label", value: `@L ${label}` }, { prop: "showLabel", value: true }],
        }),
        ...(readOnly && { readOnly }),
        ...(visible && { visibility: describeCondition(visible) }),
      },
    };
  }

  #describeField(shown: ViewField, view: View, classId: string): Component {
    const { field } = shown;
    const { embedded, reference, copy, type, choices } = field;
    this.#addField(field, classId);
    if (choices !== undefined) this.#addChoices(choices);
    if (type === "UserReference") this.addDataPage(OPERATORS);
    if (type === "Phone") this.addDataPage(CALLING_CODES);
    if (reference !== undefined && embedded !== undefined) {
      return this.#addReference(shown, view, classId, reference, embedded);
    }
    if (copy !== undefined && embedded !== undefined) return this.#describeCopy(shown, copy, embedded);
    if (type === "Page" && embedded !== undefined) return this.#addPage(shown, embedded);
    if (embedded !== undefined && type !== "Attachment") return this.#addList(shown, view, classId, embedded);
    return describeComponent(shown);
  }

  /** Describes a page into which a row is copied. The content has the list, whose rows are the choices. */
  #describeCopy(shown: ViewField, { list, key }: Copy, { classId }: EmbeddedClass): Component {
    const { field: { name }, view: details, readOnly } = shown;
    if (details !== undefined) this.addView(details, classId, "Details");
    return {
      type: "EmbeddedData",
      config: {
        displayAs: "Combobox",
        datasource: { source: `@DATASOURCE .${list}`, fields: { key: `@P .${key}`, value: "" }, copyAll: true },
        targetPage: `@P .${name}`,
        value: `@P .${name}.pyLabel`,
        editable: !readOnly,
        label: describeLabel(shown),
        placeholder: "@L Select...",
        ...describeHelp(shown),
        ...describeState(shown),
      },
      children: details === undefined
        ? []
        : [{ type: "reference", config: { type: "view", name: details.id, context: `.${name}`, ruleClass: classId } }],
    };
  }

  /** Adds the view of the page that a form is about. */
  addPageForm({ fields }: View, page: string, classId: string): void {
    const shown = fields.get(page);
    if (shown?.field.embedded === undefined) return;
    this.#addField(shown.field, classId);
    this.#addPage(shown, shown.field.embedded);
  }

  #addPage(shown: ViewField, embedded: EmbeddedClass): Component {
    const page = shown.view ?? createPageView(embedded);
    this.addView(page, embedded.classId);
    return describeViewReference(shown, page.id, embedded.classId, {
      context: `.${shown.field.name}`,
      displayAs: "Form",
    });
  }

  #addList(shown: ViewField, view: View, classId: string, embedded: EmbeddedClass): Component {
    const { field, rows = createRowDisplay(embedded, field.type) } = shown;
    const rowView = shown.view ?? (rows.layout === "repeating" ? createPageView(embedded) : undefined);
    const id = this.#createId(`${view.id}_${field.name}`, classId);
    for (const { field: { choices } } of rows.columns.fields.values()) {
      if (choices !== undefined) this.#addChoices(choices);
    }
    for (const row of [rowView, rows.editView]) {
      if (row !== undefined) this.addView(row, embedded.classId);
    }
    this.addDescribed({
      ...describeList(shown, {
        id,
        classId,
        embedded,
        rows,
        rowView: rowView?.id,
        columns: [...rows.columns.fields.values()].map((column) => describeComponent(column)),
        localeReference: buildLocaleReference(id, classId),
      }),
      name: id,
      classID: classId,
    });
    return describeViewReference(shown, id, classId, { authorContext: `.${field.name}` });
  }

  #addReference(
    shown: ViewField,
    view: View,
    classId: string,
    reference: Reference,
    { classId: recordClass, fields }: EmbeddedClass,
  ): Component {
    const id = this.#createId(`${view.id}_${shown.field.name}`, classId);
    const { view: details } = shown;
    this.addDataPage(reference.dataView);
    const dataType = this.#app.dataTypes.get(recordClass);
    if (dataType !== undefined) this.#addDataType(dataType, reference.dataView);
    if (details !== undefined) this.addView(details, recordClass, "Details");
    this.addDescribed({
      ...describeReference(shown, {
        id,
        classId,
        recordClass,
        reference,
        columns: reference.columns.flatMap((name) => {
          const field = fields.get(name);
          if (field === undefined) return [];
          return [describeComponent({ field, label: field.label, required: false, readOnly: true })];
        }),
        details: details && {
          type: "reference",
          config: {
            type: "view",
            name: details.id,
            context: `.${shown.field.name}`,
            readOnly: true,
            ruleClass: recordClass,
          },
        },
        localeReference: buildLocaleReference(id, classId),
      }),
      name: id,
      classID: classId,
    });
    return describeViewReference(shown, id, classId, {
      authorContext: `.${shown.field.name}`,
      referenceType: reference.toCase ? "Case" : "Data",
    });
  }

  /** Returns an ID that no view of the class has. A form may show a field several times. */
  #createId(id: string, classId: string): string {
    const isTaken = (name: string) => this.#views[name]?.some(({ classID }) => classID === classId) ?? false;
    let free = id;
    for (let place = 2; isTaken(free); place++) free = `${id}_${place}`;
    return free;
  }

  #addDataType(dataType: DataType, listView: string): void {
    const lookup = dataType.savable ?? listView;
    this.#dataTypes[dataType.id] ??= describeDataType(dataType, lookup);
    this.addDataPage(lookup);
  }

  /** Adds the declaration of a field, and those of its members. */
  #addField(field: Field, classId: string): void {
    const { name, embedded, reference } = field;
    const declarations = this.#fields[name] ??= [];
    if (!declarations.some(({ classID }) => classID === classId)) {
      const isKey = this.#app.dataTypes.get(classId)?.key.includes(name) ?? false;
      const lookup = reference && field.type === "Page" && {
        datasource: {
          name: this.#app.dataTypes.get(embedded?.classId ?? "")?.savable ?? reference.dataView,
          parameters: Object.fromEntries(reference.key.map((key) => [key, `@P .${name}.${key}`])),
        },
      };
      declarations.push({ ...describeField(field, classId, isKey), ...lookup });
      if (field.help !== undefined) this.addParagraph(nameHelp(field), textToHtml(field.help), classId);
    }
    for (const member of embedded?.fields.values() ?? []) this.#addField(member, embedded?.classId ?? "");
  }
}

/** Templates that only show fields. */
const READ_ONLY = ["Details", "CaseSummary"];

/** A view that is described. */
interface DescribedView {
  readonly view: View;
  readonly classId: string;
  readonly isReadOnly: boolean;
}

/** Describes a view. */
export function describeView(
  id: string,
  classId: string,
  template: string,
  children: readonly Component[],
  more: JsonObject = {},
): JsonObject {
  return {
    name: id,
    type: "View",
    classID: classId,
    config: {
      template,
      ruleClass: getRuleClass(id, classId),
      localeReference: buildLocaleReference(id, classId),
      ...more,
    },
    children: [...children],
  };
}

/** Returns the class that defines a view: the platform defines the one for pages and rows without views of their own. */
function getRuleClass(id: string, classId: string): string {
  return id === "pyEdit" ? "@baseclass" : classId;
}

/** Describes the component that shows a view. `context` is the path of its content in the response. */
export function describeRoot({ id }: Pick<View, "id">, context: string): Component {
  return { type: "reference", config: { type: "view", name: id, context } };
}

/** Returns the reference to the translations of a view's labels. */
export function buildLocaleReference(id: string, classId: string): string {
  return `@LR ${classId.toUpperCase()}!VIEW!${id.toUpperCase()}`;
}

/** Describes the component that shows the view of a page, a list or a reference. Its label belongs to it, not to the view. */
function describeViewReference(shown: ViewField, id: string, ruleClass: string, config: JsonObject): Component {
  const { required, readOnly, visibility, helperText } = { ...describeHelp(shown), ...describeState(shown) };
  const inherited: JsonObject[] = [
    { prop: "label", value: describeLabel(shown) },
    { prop: "showLabel", value: true },
    ...(required === undefined ? [] : [{ prop: "required", value: required }]),
  ];
  return {
    type: "reference",
    config: {
      type: "view",
      name: id,
      ...config,
      ruleClass: getRuleClass(id, ruleClass),
      inheritedProps: inherited,
      ...(readOnly !== undefined && { readOnly }),
      ...(visibility !== undefined && { visibility }),
      ...(helperText !== undefined && { helperText }),
    },
  };
}

function toFields(children: readonly Component[]): Component[] {
  return [toRegion("Fields", children)];
}

/** Arranges the summary of a case: its fields, then facts of every case. */
function toSummary(children: readonly Component[]): Component[] {
  const status = { type: "TextInput", config: { value: "@P .pyStatusWork", label: "@L Status" } };
  const operator = {
    type: "CaseOperator",
    config: {
      createLabel: "@L Created",
      createOperator: "@USER .pxCreateOperator",
      createDateTime: "@P .pxCreateDateTime",
      updateLabel: "@L Updated",
      updateOperator: "@USER .pxUpdateOperator",
      updateDateTime: "@P .pxUpdateDateTime",
    },
  };
  return [toRegion("Primary fields", children), toRegion("Secondary fields", [status, operator])];
}

function toRegion(name: string, children: readonly Component[]): Component {
  return { name, type: "Region", children: [...children] };
}
