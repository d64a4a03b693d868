/** The user-interface resources of what is put together from parts: one view, whose children are added one by one. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { View } from "../application/model/application.ts";
import type { UiList } from "../application/model/application.ts";
import { localeReference, viewComponent, viewParts, viewRoot } from "../cases/views/ui.ts";

/** Where the content of a page's views is in its data. */
const CONTENT = "caseInfo.content";

/** The resources of one view and of all that it shows. */
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

  /** The resources of a view of a class that has no children yet. */
  constructor(id: string, classId: string, template: string) {
    this.#id = id;
    this.#classId = classId;
    this.#template = template;
    this.#localeReferences.add(localeReference({ id }, classId));
  }

  /** Shows a paragraph. */
  addText(content: string): void {
    const name = `${this.#id}_${Object.keys(this.#paragraphs).length + 1}`;
    this.#paragraphs[name] = [{ content, name, classID: this.#classId }];
    this.#add({ type: "RichText", config: { value: `@PARAGRAPH ${name}` } });
  }

  /** Shows a view of the class. */
  addView(view: View): void {
    const parts = viewParts(view, this.#classId);
    Object.assign(this.#views, parts.views);
    Object.assign(this.#fields, parts.fields);
    for (const component of parts.components) this.#components.add(component);
    for (const reference of parts.localeReferences) this.#localeReferences.add(reference);
    this.#add(viewRoot(view, CONTENT));
  }

  /** Shows something that has an address of its own: an insight, a page. */
  addReference(type: string, name: string): void {
    this.#add({ type: "reference", config: { type, name } });
  }

  /** Shows a table of a data view's rows. */
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

  /** All of it, as it is answered. */
  toJson(contextData: JsonValue = {}): JsonObject {
    const own = viewComponent({ id: this.#id }, this.#classId, this.#template, this.#children);
    return {
      root: viewRoot({ id: this.#id }, CONTENT),
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
