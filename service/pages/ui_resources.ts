/** User-interface resources of a view that is composed of parts. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { Application, UiList, View } from "../application/model/application.ts";
import { toViewField } from "../application/model/field.ts";
import { type Component, describeComponent } from "../cases/views/forms/components.ts";
import { describeRoot, describeView, FormResources } from "../cases/views/forms/form_resources.ts";

/** The path of the content in the data of a page. */
const CONTENT = "caseInfo.content";

/** Builds the resources of a view, to which components are added. */
export class UiResources {
  readonly #id: string;
  readonly #classId: string;
  readonly #template: string;
  readonly #children: Component[] = [];
  readonly #resources: FormResources;
  #paragraphs = 0;

  /** Starts a view of a class without components. */
  constructor(id: string, classId: string, template: string, app: Application) {
    this.#id = id;
    this.#classId = classId;
    this.#template = template;
    this.#resources = new FormResources(app);
  }

  /** Adds a paragraph. */
  addText(content: string): void {
    const name = `${this.#id}_${++this.#paragraphs}`;
    const value = this.#resources.addParagraph(name, content, this.#classId);
    this.#children.push({ type: "RichText", config: { value } });
  }

  /** Adds a view of the class. */
  addView(view: View): void {
    this.#resources.addView(view, this.#classId, "Details");
    this.#children.push(describeRoot(view, CONTENT));
  }

  /** Adds a reference to another resource, such as an insight or a page. */
  addReference(type: string, name: string): void {
    this.#children.push({ type: "reference", config: { type, name } });
  }

  /** Adds a table of the rows of a data view. */
  addList({ id, name, dataView, columns }: UiList): void {
    this.#resources.addDataPage(dataView.id);
    const fields = columns.map((field) => describeComponent(toViewField(field, { readOnly: true })));
    const presets = [{
      id: "P_1",
      label: "@L All",
      template: "Table",
      config: {},
      children: [{ name: "Columns", type: "Region", children: fields }],
    }];
    const { classId } = dataView;
    const list = describeView(id, classId, "ListView", []);
    this.#resources.addDescribed({
      ...list,
      config: { template: "ListView", ruleClass: classId, label: `@L ${name}`, referenceList: dataView.id, presets },
      name: id,
      classID: classId,
    });
    this.#children.push({ type: "reference", config: { type: "view", name: id, ruleClass: classId } });
  }

  /** Returns the resources as JSON. */
  toJson(contextData: JsonValue = {}): JsonObject {
    const fields = { name: "Fields", type: "Region", children: this.#children };
    const own = describeView(this.#id, this.#classId, this.#template, [fields]);
    this.#resources.addDescribed({ ...own, name: this.#id, classID: this.#classId });
    return { ...this.#resources.toJson(describeRoot({ id: this.#id }, CONTENT)), context_data: contextData };
  }
}
