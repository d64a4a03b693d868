/** User-interface resources of a view that is composed of parts. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { UiList, View } from "../application/model/application.ts";
import { buildLocaleReference, buildViewParts, describeRoot, describeViewComponent } from "../cases/views/ui.ts";

/** The path of the content in the data of a page. */
const CONTENT = "caseInfo.content";

/** Builds the resources of a view, to which components are added. */
export class UiResources {
  readonly #id: string;
  readonly #classId: string;
  readonly #template: string;
  readonly #children: JsonObject[] = [];
  readonly #views: JsonObject = {};
  readonly #fields: JsonObject = {};
  readonly #paragraphs: JsonObject = {};
  readonly #dataPages: JsonObject = {};
  readonly #components = new Set(["View", "Region", "reference"]);
  readonly #localeReferences = new Set<string>();

  /** Starts a view of a class without components. */
  constructor(id: string, classId: string, template: string) {
    this.#id = id;
    this.#classId = classId;
    this.#template = template;
    this.#localeReferences.add(buildLocaleReference({ id }, classId));
  }

  /** Adds a paragraph. */
  addText(content: string): void {
    const name = `${this.#id}_${Object.keys(this.#paragraphs).length + 1}`;
    this.#paragraphs[name] = [{ content, name, classID: this.#classId }];
    this.#add({ type: "RichText", config: { value: `@PARAGRAPH ${name}` } });
  }

  /** Adds a view of the class. */
  addView(view: View): void {
    const parts = buildViewParts(view, this.#classId);
    Object.assign(this.#views, parts.views);
    Object.assign(this.#fields, parts.fields);
    for (const component of parts.components) this.#components.add(component);
    for (const reference of parts.localeReferences) this.#localeReferences.add(reference);
    this.#add(describeRoot(view, CONTENT));
  }

  /** Adds a reference to another resource, such as an insight or a page. */
  addReference(type: string, name: string): void {
    this.#add({ type: "reference", config: { type, name } });
  }

  /** Adds a table of the rows of a data view. */
  addList({ id, name, dataView, columns }: UiList): void {
    const { classId, queryable, structure } = dataView;
    this.#dataPages[dataView.id] = { classID: classId, mode: "readonly", structure, isQueryable: queryable };
    const children = columns.map((field) => ({
      type: "TextInput",
      config: { value: `@P .${field.name}`, label: field.label },
    }));
    this.#components.add("TextInput");
    this.#add({ type: "multirecordlist", config: { name: id, label: name, referenceList: dataView.id }, children });
  }

  /** Returns the resources as JSON. */
  toJson(contextData: JsonValue = {}): JsonObject {
    const own = describeViewComponent({ id: this.#id }, this.#classId, this.#template, this.#children);
    return {
      root: describeRoot({ id: this.#id }, CONTENT),
      resources: {
        views: { ...this.#views, [this.#id]: [own] },
        fields: this.#fields,
        paragraphs: this.#paragraphs,
        datapages: this.#dataPages,
        dataTypes: {},
      },
      components: [...this.#components],
      localeReferences: [...this.#localeReferences],
      context_data: contextData,
    };
  }

  #add(child: JsonObject & { type: string }): void {
    this.#components.add(child.type);
    this.#children.push(child);
  }
}
