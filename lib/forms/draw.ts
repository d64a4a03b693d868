/** Draws the parts of a form: resolves the views that a response describes for its current content. */
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isString,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";
import { describeQuestion, drawField, isFieldComponent, isReadOnly, readInherited } from "./draw_field.ts";
import { drawList, isListView } from "./draw_list.ts";
import { drawCopy, drawReference, isMultiplePicker } from "./draw_reference.ts";
import { htmlToText } from "./html.ts";
import type { FormAttachment, FormNode } from "./nodes.ts";
import { getAt, getObject } from "./path.ts";
import {
  evaluateCondition,
  findClasses,
  findField,
  parseContext,
  parseReference,
  resolvePath,
  resolveText,
  type Scope,
} from "./scope.ts";
import { listFiles, nameFile } from "./values.ts";

/** Templates that only show values. */
const READ_ONLY_TEMPLATE =
  /^(?:\w*Details\w*|CaseSummary|Confirmation|(?:SelfService)?CaseView|CaseViewActionsMenu|SubTabs)$/;

/** Parts of pages that do not belong to a form. */
const OUTSIDE_FORMS: readonly string[] = [
  "ActionButtons",
  "AppAnnouncement",
  "CaseHistory",
  "CaseOperator",
  "DeferLoad",
  "FileUtility",
  "FlowContainer",
  "Followers",
  "Pulse",
  "QuickCreate",
  "RelatedCases",
  "Stages",
  "Tags",
  "Todo",
];

/** Members of a reference that its view does not inherit. Some are evaluated on the page of the reference. */
const REFERENCE_MEMBERS: readonly string[] = [
  "name",
  "type",
  "visibility",
  "readOnly",
  "disabled",
  "context",
  "inheritedProps",
];

/** Maximum number of components that contain each other. */
const MAX_DEPTH = 200;

/** Maximum number of components of a form. */
const MAX_COMPONENTS = 100_000;

/** Draws components. */
export function draw(nodes: JsonValue | undefined, scope: Scope): FormNode[] {
  const { log, depth = 0 } = scope;
  const list = Array.isArray(nodes) ? nodes : [nodes];
  return list.flatMap((node) => {
    if (!isJsonObject(node)) return [];
    log.count = (log.count ?? 0) + 1;
    if (depth < MAX_DEPTH && log.count <= MAX_COMPONENTS) return drawNode(node, { ...scope, depth: depth + 1 });
    log.warnings.add("The form is too large to be shown completely.");
    return [];
  });
}

function drawNode(node: JsonObject, scope: Scope): FormNode[] {
  const type = isString(node.type) ? node.type : "";
  const config = getObject(node.config);
  if (OUTSIDE_FORMS.includes(type)) return [];
  const inner: Scope = { ...scope, isVisible: evaluateCondition(config.visibility, scope, true) && scope.isVisible };
  switch (type) {
    case "reference":
      return drawViewReference(config, inner);
    case "View":
      return drawView(node, {}, inner);
    case "Region":
      return draw(node.children, inner);
    case "Group":
      return drawGroup(node, config, inner);
    case "TextContent":
      return drawText(config, inner);
    case "Attachment":
      return drawAttachment(config, inner);
    case "EmbeddedData":
      return drawEmbeddedData(type, node, config, inner);
    case "EmbeddedDataMulti":
      return drawList(toListView(node), inner, draw);
    case "ObjectReference":
      return drawReference(node, config, inner, draw);
  }
  if (isListView(type, config)) return drawList(node, inner, draw);
  if (isMultiplePicker(type, config)) return drawReference({ config: {}, children: [node] }, {}, inner, draw);
  if (isFieldComponent(type)) return drawField(type, config, inner);
  return drawUnknown(type, node, config, inner);
}

/** Draws a row to copy with the page that holds the copy. Without such a choice, draws the children of a page. */
function drawEmbeddedData(type: string, node: JsonObject, config: JsonObject, scope: Scope): FormNode[] {
  const copy = drawCopy(config, scope);
  if (copy.length === 0) return drawUnknown(type, node, { ...config, value: undefined }, scope);
  return [...copy, ...draw(node.children, { ...scope, isReadOnly: true })];
}

function drawText({ content }: JsonObject, scope: Scope): FormNode[] {
  const text = htmlToText(resolveText(content, scope));
  return text === "" ? [] : [{ type: "note", text, isVisible: scope.isVisible, isProblem: false }];
}

/** Draws a component that this version does not know. */
function drawUnknown(type: string, node: JsonObject, config: JsonObject, scope: Scope): FormNode[] {
  if (resolvePath(config.value, scope) !== undefined) return drawField(type, config, scope);
  if (Array.isArray(node.children) && node.children.length > 0) {
    const children = draw(node.children, { ...scope, isReadOnly: isReadOnly(config, scope) });
    return toGroup(resolveText(config.label, scope), "", children, scope);
  }
  if (type === "") return [];
  const text = `The part '${resolveText(config.label, scope) || type}' of this form cannot be shown here.`;
  return [{ type: "note", text, isVisible: scope.isVisible, isProblem: true }];
}

/** Draws the view that a reference names. */
export function drawViewReference(config: JsonObject, scope: Scope): FormNode[] {
  const name = isString(config.name) ? config.name : "";
  const place = enterContext(config, scope);
  const { resources } = scope.form;
  const classes = [...findClasses(place.path, place), isString(config.ruleClass) ? config.ruleClass : undefined];
  const view = resources.findView(name, classes, scope.drawn);
  if (view === undefined) {
    // A view that contains itself ends here. Views of the platform may be left out of a response.
    const isKnown = resources.findView(name, classes, new Set()) !== undefined;
    if (isKnown || name === "" || name.startsWith("@") || (scope.drawn.size > 0 && /^p[xyz][A-Z]/.test(name))) {
      return [];
    }
    const text = `The view '${name}' of this form is missing in the response.`;
    return [{ type: "note", text, isVisible: scope.isVisible, isProblem: true }];
  }
  const overlay = Object.fromEntries(
    Object.entries(config).filter(([member, value]) =>
      !REFERENCE_MEMBERS.includes(member) && !(member === "displayAs" && value === "Form")
    ),
  );
  const inherited = readInherited(config, scope);
  return drawView(view, overlay, { ...place, inherited, isReadOnly: isReadOnly(config, scope) });
}

/** Returns the place of a view that is referred to with a context. */
function enterContext({ context }: JsonObject, scope: Scope): Scope {
  const reference = parseReference(context);
  if (reference?.prefix === "CLASS") {
    return { ...scope, otherClasses: [reference.rest, ...scope.otherClasses ?? []] };
  }
  const path = isString(context) ? parseContext(context) ?? resolvePath(context, scope) : undefined;
  if (path === undefined) return scope;
  const [classId, ...otherClasses] = findClasses(path, scope);
  return { ...scope, path, classId, otherClasses };
}

function drawView(view: JsonObject, overlay: JsonObject, scope: Scope): FormNode[] {
  const own = getObject(view.config);
  const config: JsonObject = { ...own, ...overlay, ...scope.inherited };
  const visible = evaluateCondition(own.visibility, scope, true) && scope.isVisible;
  const template = isString(config.template) ? config.template : "";
  const place: Scope = { ...scope, isVisible: visible, drawn: new Set([...scope.drawn, view]) };
  if (template === "DataReference") return drawReference(view, config, place, draw);
  if (isListView(template, config)) return drawList({ ...view, config }, place, draw);
  const isDisplay = READ_ONLY_TEMPLATE.test(template) || /^readonly/i.test(String(config.mode));
  const inner: Scope = { ...place, inherited: {}, isReadOnly: isReadOnly(config, place) || isDisplay };
  const highlighted = config.showHighlightedData === true || config.showHighlightedData === "true"
    ? draw(config.highlightedData, inner)
    : [];
  const children = [...highlighted, ...draw(view.children, inner)];
  // An inherited label is shown unless it is switched off, and an own label only if it is switched on.
  const isLabelShown = String(config.showLabel ?? scope.inherited.label !== undefined) === "true";
  const label = isLabelShown ? resolveText(config.label, scope) || resolveText(view.label, scope) : "";
  return toGroup(label, readInstructions(config, scope), children, inner);
}

function readInstructions({ instructions }: JsonObject, scope: Scope): string {
  return instructions === "none" || instructions === "casestep" ? "" : resolveText(instructions, scope);
}

function drawGroup(node: JsonObject, config: JsonObject, scope: Scope): FormNode[] {
  const children = draw(node.children, { ...scope, isReadOnly: isReadOnly(config, scope) });
  const heading = String(config.showHeading) === "false" ? "" : resolveText(config.heading ?? config.label, scope);
  const instructions = config.instructions === "none" ? "" : resolveText(config.instructions, scope);
  return toGroup(heading, instructions, children, scope);
}

/** Returns the parts as they are if they have no heading. */
function toGroup(label: string, instructions: string, children: FormNode[], scope: Scope): FormNode[] {
  if (children.length === 0 || (label === "" && instructions === "")) return children;
  return [{ type: "group", label, instructions, children, isVisible: scope.isVisible, isReadOnly: scope.isReadOnly }];
}

function drawAttachment(config: JsonObject, scope: Scope): FormNode[] {
  const path = resolvePath(config.value, scope);
  if (path === undefined) return [];
  const declared = findField(path, scope) ?? {};
  const extensions = isString(config.extensions) ? config.extensions.split(/[,;\s]+/) : [];
  const isMultiple = String(config.allowMultiple) === "true" || declared.type === "Page List";
  const attachment: FormAttachment = {
    type: "attachment",
    ...describeQuestion("Attachment", config, path, scope),
    isMultiple,
    extensions: extensions.map((extension) => extension.replace(/^\*?\./, "").toLowerCase()).filter((one) =>
      one !== "" && one !== "*"
    ),
    files: listFiles(getAt(scope.form.content, path)).map(({ file }) => nameFile(file)),
  };
  return [attachment];
}

/** Describes newer list components as the view that older servers send. */
function toListView(node: JsonObject): JsonObject {
  const config = getObject(node.config);
  const view = [config.addEditView, config.addEditAction].find(isNonEmptyString);
  return {
    ...node,
    config: {
      ...config,
      type: "multirecordlist",
      referenceList: config.pagelistValue ?? config.value,
      contextClass: config.targetObjectClass,
      multiRecordDisplayAs: config.displayAs,
      renderMode: config.renderMode ?? (String(config.readOnly) === "true" ? "ReadOnly" : "Editable"),
      editMode: config.editType === "inline" || view === undefined ? "tableRows" : "modal",
      ...(view !== undefined && { editModeConfig: { defaultView: view } }),
      children: config.children ?? [{ type: "Region", children: toColumnNodes(config.columns) }],
    },
  };
}

function toColumnNodes(columns: JsonValue | undefined): JsonObject[] {
  return filterObjects(columns).map((column) =>
    isJsonObject(column.config) ? column : {
      type: isString(column.type) ? column.type : "TextInput",
      config: { ...column, value: toReference(column.value) },
    }
  );
}

function toReference(value: JsonValue | undefined): JsonValue | undefined {
  return isString(value) && value.startsWith(".") ? `@P ${value}` : value;
}
