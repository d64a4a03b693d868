/** Draws the rows of embedded data. */
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isString,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";
import { describeQuestion, isReadOnly, isReferred, listColumnNodes } from "./draw_field.ts";
import type { FormColumn, FormList, FormNode, FormQuestion, FormRow } from "./nodes.ts";
import { formatPath, getAt, getObject, parsePath, type Path } from "./path.ts";
import {
  type Draw,
  evaluateCondition,
  findField,
  parseReference,
  resolvePath,
  resolveText,
  type Scope,
} from "./scope.ts";
import { NUMBER_KINDS } from "./values.ts";

/** Templates and components that show rows. */
const LIST_TEMPLATES: readonly string[] = [
  "SimpleTable",
  "ListView",
  "FieldGroupTemplate",
  "FieldGroup",
  "RepeatingView",
  "DynamicTabs",
  "multirecordlist",
];

/** Reports whether a view shows rows. */
export function isListView(template: string, config: JsonObject): boolean {
  return config.type === "multirecordlist" || (config.type !== "page" && LIST_TEMPLATES.includes(template));
}

/** Draws a view that shows rows. */
export function drawList(view: JsonObject, scope: Scope, draw: Draw): FormNode[] {
  const config = getObject(view.config);
  const path = findList(config, scope);
  if (path === undefined) return drawDataPage(config, scope);
  scope.log.used.add(JSON.stringify(path));
  const declared = findField(path, scope) ?? {};
  const columns = readColumnNodes(view, config);
  const place: Scope = { ...scope, inherited: {}, isReadOnly: !isEditable(config, declared, scope) };
  const rowScope = (row: number | string): Scope => {
    const at = [...path, row];
    const [classId, ...otherClasses] = [
      getObject(scope.form.content, at).classID,
      declared.pageClass,
      config.contextClass,
    ].filter(isNonEmptyString);
    return { ...place, path: at, classId, otherClasses };
  };
  const value = getAt(scope.form.content, path);
  const isGroup = declared.type === "Page Group";
  const names = isGroup ? Object.keys(getObject(value)).filter((name) => isJsonObject(getObject(value)[name])) : [];
  const rows = isGroup ? names.map((name) => getObject(value, [name])) : filterObjects(value);
  const views = readRowViews(view, config, columns);
  const drawRow = (form: JsonObject | undefined, at: Scope): FormNode[] => {
    const nodes = form === undefined ? [] : draw([form], at);
    return nodes.some(({ type }) => type !== "note") ? nodes : draw(columns, at);
  };
  const newRow = drawRow(views.add, rowScope(rows.length));
  const template = draw(columns, rowScope(rows.length));
  const ofNewRow = template.length > 0 ? template : newRow;
  const allowed = getObject(config.allowActions);
  const isChangeable = !place.isReadOnly && String(config.allowTableEdit ?? true) !== "false";
  const canDo = (name: string) => evaluateCondition(allowed[name] ?? config[name], scope, true);
  const drawnRows = rows.map((content, i) => {
    const own = rowScope(names[i] ?? i);
    const isNew = scope.form.isNewRow(own.path);
    // A rule about a row applies before it is changed. Otherwise a value could forbid its own entry.
    const canEdit = !place.isReadOnly && !isGroup && (scope.form.isChangedRow(own.path) ||
      (canDo("allowEdit") && evaluateCondition(config.allowRowEdit, own, true)));
    const at = { ...own, isReadOnly: !canEdit };
    const form = isNew ? views.add : views.edit;
    const nodes = drawRow(form, at);
    const row = {
      path: formatPath(at.path),
      heading: names[i] ?? readHeading(config, content, i, at),
      nodes,
      canEdit,
      canDelete: isChangeable &&
        (isNew || (canDo("allowDelete") && evaluateCondition(config.allowRowDelete, at, true))),
    };
    return { row, path: at.path, cells: form === undefined || columns.length === 0 ? nodes : draw(columns, at) };
  });
  const places = [{ path: [...path, rows.length], cells: ofNewRow }, ...drawnRows];
  const shown = listColumns(ofNewRow, [...path, rows.length]).filter((column) =>
    !scope.isVisible || places.some(({ path, cells }) => findCell(cells, path, column)?.isVisible)
  );
  const list: FormList = {
    type: "list",
    ...describeQuestion("", { ...config, label: readLabel(config, scope) }, path, scope),
    isRequired: evaluateCondition(scope.inherited.required ?? config.required, scope, false),
    isReadOnly: place.isReadOnly,
    ...(!place.isReadOnly && (isGroup || newRow.length === 0) && {
      cannotFill: isGroup ? "Its rows have names instead of positions." : "The form does not describe its rows.",
    }),
    noun: resolveText(config.targetClassLabel, scope),
    columns: shown,
    newRow,
    ...(views.name !== undefined && { rowView: views.name }),
    ...(views.action !== undefined && { rowAction: views.action }),
    canAdd: isChangeable && canDo("allowAdd"),
    canReorder: isChangeable && canDo("allowDragDrop"),
    rows: drawnRows.map(({ row, path, cells }): FormRow => {
      return { ...row, cells: shown.map((column) => formatCell(findCell(cells, path, column))) };
    }),
  };
  return [list];
}

/** Returns the path of the list; undefined if the rows belong to a data page. */
function findList(config: JsonObject, scope: Scope): Path | undefined {
  const reference = parseReference(config.referenceList);
  const source = reference?.prefix === "DATASOURCE" ? reference.rest : config.referenceList;
  const own = resolvePath(source, scope);
  const isNamed = isNonEmptyString(source);
  if (own !== undefined || (isNamed && config.type !== "multirecordlist")) return own;
  const other = resolvePath(config.value, scope) ?? resolvePath(config.authorContext, scope);
  if (other !== undefined || isNamed) return other;
  return isNonEmptyString(config.name) ? [...scope.path, config.name.replace(/^\./, "")] : undefined;
}

/** Names a table whose rows do not belong to the case. */
function drawDataPage(config: JsonObject, scope: Scope): FormNode[] {
  const { referenceList } = config;
  const dataView = isNonEmptyString(referenceList)
    ? (parseReference(referenceList)?.rest ?? referenceList).replace(/\.pxResults$/, "")
    : undefined;
  if (dataView === undefined) return [];
  return [{
    type: "list",
    path: dataView,
    label: readLabel(config, scope) || dataView,
    help: "",
    noun: "",
    isVisible: scope.isVisible,
    isRequired: false,
    isReadOnly: true,
    errors: [],
    dataView,
    rows: [],
    columns: [],
    newRow: [],
    canAdd: false,
    canReorder: false,
  }];
}

/** Rows that are references to records can only be changed by a picker, and the service computes others. */
function isEditable(config: JsonObject, declared: JsonObject, scope: Scope): boolean {
  const isOther = isReferred(declared) || isReferred(config) || declared.isDeclarativeTarget === true;
  if (isReadOnly(config, scope) || isOther) return false;
  const { renderMode } = config;
  return renderMode === "Editable" || (renderMode === undefined && config.type !== "multirecordlist");
}

function readLabel(config: JsonObject, scope: Scope): string {
  return resolveText(scope.inherited.label, scope) || resolveText(config.label, scope);
}

/** Returns the columns of a table, without hidden ones. A reference to the view of a row is not a column. */
function readColumnNodes(view: JsonObject, config: JsonObject): JsonObject[] {
  const [preset] = filterObjects(config.presets);
  const own = [config.children, preset?.children].map(listColumnNodes).find((nodes) => nodes.some(isColumn));
  const columns = own ?? listColumnNodes(view.children).filter(({ type }) => type !== "reference");
  return columns.filter((node) => isColumn(node) && !isOn(getObject(node.config).hide));
}

function isColumn({ type, config }: JsonObject): boolean {
  return type !== "reference" || parseReference(getObject(config).context)?.prefix !== "CLASS";
}

/** The views in which a row is filled in. Without them, its columns are filled in. */
interface RowViews {
  readonly add?: JsonObject | undefined;
  readonly edit?: JsonObject | undefined;
  /** Name of the view of a dialog. */
  readonly name?: string | undefined;
  /** Action of the dialog. */
  readonly action?: string | undefined;
}

function readRowViews(view: JsonObject, config: JsonObject, columns: readonly JsonObject[]): RowViews {
  const inside = findRowView(view, config);
  if (config.editMode !== "modal" && config.addAndEditRowsWithin !== "modal") {
    return config.editMode === "tableRows" && columns.length > 0 ? {} : { add: inside, edit: inside };
  }
  const options = getObject(config.editModeConfig);
  const name = [options.defaultView, config.viewForAddAndEditModal, options.defaultAction].find(isNonEmptyString);
  const separate = [
    isOn(options.useSeparateViewForEdit) || isOn(config.useSeparateViewForEdit)
      ? options.editView ?? config.viewForEditModal
      : undefined,
    isOn(options.useSeparateActionForEdit) ? options.editAction : undefined,
  ].find(isNonEmptyString);
  const add = toRowView(name) ?? inside;
  return {
    add,
    edit: toRowView(separate) ?? add,
    name,
    action: options.editType === "action" && isNonEmptyString(options.defaultAction)
      ? options.defaultAction
      : undefined,
  };
}

function isOn(value: JsonValue | undefined): boolean {
  return String(value) === "true";
}

function toRowView(name: string | undefined): JsonObject | undefined {
  return name === undefined ? undefined : { type: "reference", config: { type: "view", name } };
}

/** Finds the reference to the view of a row, which is drawn at the row. */
function findRowView({ children }: JsonObject, config: JsonObject): JsonObject | undefined {
  const found = listColumnNodes(children).find(({ type }) => type === "reference") ??
    listColumnNodes(config.children).find((node) => !isColumn(node));
  if (found === undefined || !isColumn(found)) return found;
  return { ...found, config: { ...getObject(found.config), context: undefined } };
}

function readHeading(config: JsonObject, content: JsonObject, row: number, scope: Scope): string {
  const { heading } = config;
  if (config.fieldHeader === "propertyRef" && isString(heading)) {
    const path = (parseReference(heading)?.rest ?? heading).replace(/^\./, "").split(".");
    const value = getAt(content, path);
    if (value !== undefined && value !== null && value !== "" && !isJsonObject(value)) return String(value);
    return `Row ${row + 1}`;
  }
  const text = resolveText(heading, scope);
  return text === "" ? `Row ${row + 1}` : `${text} ${row + 1}`;
}

/** Lists the columns of a table from the parts of a row. Their paths are relative to the row. */
function listColumns(nodes: readonly FormNode[], row: Path): FormColumn[] {
  const prefix = formatPath(row);
  const columns = nodes.flatMap((node): FormColumn[] => {
    if (node.type === "note") return [];
    if (node.type === "group") return listColumns(node.children, row);
    const path = node.path.startsWith(`${prefix}.`) ? node.path.slice(prefix.length + 1) : node.path;
    const isNumeric = node.type === "field" && NUMBER_KINDS.includes(node.kind);
    return [{ path, label: node.label, ...(isNumeric && { isNumeric }) }];
  });
  const distinct = columns.filter(({ path }, i) => columns.findIndex((other) => other.path === path) === i);
  return distinct.map((column, i) => {
    const { path, label } = column;
    const isFirst = distinct.findIndex((other) => other.label === label) === i;
    return isFirst ? column : { ...column, label: `${label} (${path})` };
  });
}

/** Finds the part of a row that a column shows. */
function findCell(nodes: readonly FormNode[], row: Path, column: FormColumn): FormQuestion | undefined {
  const wanted = formatPath([...row, ...parsePath(column.path) ?? []]);
  for (const node of nodes) {
    if (node.type === "group") {
      const inner = findCell(node.children, row, column);
      if (inner !== undefined) return inner;
    } else if (node.type !== "note" && node.path === wanted) return node;
  }
  return undefined;
}

function formatCell(cell: FormQuestion | undefined): string {
  if (!cell?.isVisible) return "";
  switch (cell.type) {
    case "field":
      return cell.text;
    case "list":
      return cell.rows.map(({ cells }) => cells.filter((one) => one !== "").join(" ")).join("; ");
    case "reference":
      return cell.chosen.map(({ text }) => text).join(", ");
    case "attachment":
      return cell.files.join(", ");
  }
}
