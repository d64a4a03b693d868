/** Draws references to records and cases. */
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isScalar,
  isString,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";
import { readColumn, toChoices } from "./choices.ts";
import {
  type ChoiceOptions,
  describeQuestion,
  drawField,
  findKeyKind,
  findRows,
  isReadOnly,
  readChoices,
  readColumns,
  readKeys,
  readQuery,
  toColumn,
  toRecordColumn,
} from "./draw_field.ts";
import type { Choice, FormNode, FormReference } from "./nodes.ts";
import { formatPath, getAt, getObject, type Path } from "./path.ts";
import {
  type Draw,
  evaluateCondition,
  findClass,
  findField,
  parseReference,
  resolvePath,
  resolveText,
  type Scope,
} from "./scope.ts";

/** Components that choose several records. */
const MULTIPLE: readonly string[] = ["Multiselect", "MultiReferenceReadonly", "CheckboxGroup"];

/** Components that only show what was chosen. */
const READ_ONLY: readonly string[] = ["SemanticLink", "MultiReferenceReadonly"];

/** Reports whether a component chooses records on its own, outside a view of a reference. */
export function isMultiplePicker(type: string, config: JsonObject): boolean {
  return MULTIPLE.includes(type) || type === "SimpleTableSelect" ||
    (type === "Checkbox" && config.selectionMode === "multi");
}

/** Draws the view of a reference, whose first child is the picker, or a component that is both. */
export function drawReference(view: JsonObject, config: JsonObject, outer: Scope, draw: Draw): FormNode[] {
  const { picker, regions } = splitReference(view, config);
  const own = getObject(picker.config);
  const scope: Scope = { ...outer, isVisible: evaluateCondition(own.visibility, outer, true) && outer.isVisible };
  const type = isString(picker.type) ? picker.type : "";
  const isMultiple = isMulti(type, own, config, scope);
  const path = isMultiple ? findListPath(own, config, scope) : findPagePath(own, config, scope);
  if (path === undefined) return drawScalar(type, own, config, scope);
  const inner = { ...scope, inherited: {} };
  const merged: JsonObject = {
    ...own,
    ...withoutEmpty(config),
    parameters: mergeParameters(own.parameters, config.parameters),
    ...(!isMultiple && { contextPage: `@P caseInfo.content.${formatPath(path)}` }),
  };
  const keys = findKeys(merged, own, path, scope);
  const readOnly = [config, own].some((part) => isReadOnly(part, scope)) || READ_ONLY.includes(type) ||
    findField(path, scope)?.isDeclarativeTarget === true ||
    [config.mode, config.displayAs].some((look) => /^readonly/i.test(String(look))) ||
    [config.renderMode, own.renderMode].some((mode) => isNonEmptyString(mode) && mode !== "Editable");
  const { choices, query } = readOnly ? {} : findChoices(merged, own, path, keys, inner);
  const labels = [scope.inherited.label, config.label, view.label, own.label];
  scope.log.used.add(JSON.stringify(path));
  const keyClass = [merged.contextClass, merged.targetObjectClass].find(isNonEmptyString) ?? findClass(path, scope);
  const keyKind = findKeyKind(scope.form.resources.findField(keys[0] ?? "", keyClass));
  const reference: FormReference = {
    type: "reference",
    mode: isMultiple ? "multiple" : "single",
    ...describeQuestion(
      "",
      {
        ...own,
        ...config,
        label: labels.map((label) => resolveText(label, scope)).find(isNonEmptyString),
        required: scope.inherited.required ?? config.required ?? own.required,
      },
      path,
      scope,
    ),
    isReadOnly: readOnly,
    ...(!readOnly && query === undefined && choices === undefined && {
      cannotFill: "The form does not say where its records come from.",
    }),
    keys,
    ...(keyKind !== undefined && { keyKind }),
    ...(choices && { choices }),
    ...(query && { query }),
    columns: query?.columns ?? [],
    chosen: (isMultiple ? listChosen(merged, own, keys, path, scope) : findChosen(merged, own, keys, path, scope))
      .map((record) => record.text === String(record.key) ? findKnown(record, choices) : record),
    details: draw(regions, { ...inner, isReadOnly: true }),
  };
  return [reference];
}

/** Returns the choice with the key of a record, which may have a better text. */
function findKnown(record: Choice, choices: readonly Choice[] = []): Choice {
  return choices.find(({ key }) => String(key) === String(record.key)) ?? record;
}

/** Splits the view of a reference into its picker and the regions with details of the record. */
function splitReference(view: JsonObject, config: JsonObject): { picker: JsonObject; regions: JsonObject[] } {
  const children = filterObjects(view.children);
  const isPicker = ({ type }: JsonObject) => type !== "Region" && type !== "reference";
  const picker = children.find(isPicker);
  if (picker !== undefined) return { picker, regions: children.filter((child) => child !== picker) };
  const holder = children.find((child) => child.type === "Region" && filterObjects(child.children).some(isPicker));
  return {
    picker: filterObjects(holder?.children).find(isPicker) ?? { type: config.componentType, config },
    regions: children.filter((child) => child !== holder),
  };
}

/** The parameters of the view replace those of the picker. */
function mergeParameters(own: JsonValue | undefined, others: JsonValue | undefined): JsonValue {
  const lists = [own, others].map((declared) =>
    Array.isArray(declared)
      ? declared.filter(isJsonObject).map(({ name, value }): [string, JsonValue | undefined] => [String(name), value])
      : Object.entries(getObject(declared))
  );
  return Object.fromEntries(lists.flat());
}

/** Draws a combo box that copies a row of a list into a page. */
export function drawCopy(config: JsonObject, scope: Scope): FormNode[] {
  const path = resolvePath(config.targetPage, scope);
  const source = getObject(config.datasource);
  const rows = parseReference(source.source);
  if (path === undefined || rows === undefined) return [];
  const fields = getObject(source.fields);
  const key = toColumn(fields.key);
  const choices = toChoices(findRows(rows.rest, scope), { key, text: toColumn(fields.value) || key, columns: [] });
  const current = resolvePath(config.value, scope);
  const value = current && getAt(scope.form.content, current);
  const known = choices.find((choice) => String(choice.key) === String(value));
  const copy: FormReference = {
    type: "reference",
    mode: "copy",
    ...describeQuestion("", config, path, scope),
    isReadOnly: isReadOnly(config, scope) || String(config.editable ?? true) !== "true",
    keys: [key],
    choices,
    columns: [],
    chosen: isScalar(value) && value !== "" ? [known ?? { key: value, text: String(value) }] : [],
    details: [],
  };
  return [copy];
}

function isMulti(type: string, own: JsonObject, config: JsonObject, scope: Scope): boolean {
  const modes = [own.selectionMode, config.selectionMode, config.mode].filter(isNonEmptyString);
  if (MULTIPLE.includes(type) || /multi/i.test([config.displayAs, ...modes].join())) return true;
  if (modes.length > 0 || !isNonEmptyString(config.name)) return false;
  return findField([...scope.path, config.name], scope)?.type === "Page List";
}

/** Returns the path of the page that a single reference fills. */
function findPagePath(own: JsonObject, config: JsonObject, scope: Scope): Path | undefined {
  const page = [own.contextPage, config.contextPage].map((value) => resolvePath(value, scope)).find(isDefined);
  if (page !== undefined) return page;
  const value = resolvePath(own.value ?? own.selectionKey ?? own.text ?? config.value, scope);
  if (value !== undefined && value.length > scope.path.length + 1) return value.slice(0, -1);
  const named = [config.authorContext, `.${String(config.name ?? "").replace(/^\./, "")}`]
    .map((name) => resolvePath(name, scope)).find(isDefined);
  return named !== undefined && (value === undefined || isJsonObject(getAt(scope.form.content, named)))
    ? named
    : undefined;
}

/** Returns the path of the list that a multiple reference fills. */
function findListPath(own: JsonObject, config: JsonObject, scope: Scope): Path | undefined {
  const places = [
    own.selectionList,
    own.readonlyContextList,
    own.pagelistValue,
    config.pagelistValue,
    config.selectionList,
  ];
  for (const place of [...places, own.referenceList, config.referenceList, config.authorContext, own.value]) {
    const path = resolvePath(place, scope);
    if (path !== undefined) return path;
  }
  return isNonEmptyString(config.name) ? resolvePath(`.${config.name.replace(/^\./, "")}`, scope) : undefined;
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** Returns the keys of a record: the declared ones, or the key of the picker if it is not one of them. */
function findKeys(merged: JsonObject, own: JsonObject, path: Path, scope: Scope): string[] {
  const declared = readKeys(merged, scope);
  const keys = declared.length > 0 ? declared : scope.form.resources.findKeys(findClass(path, scope));
  const offered = resolvePath(own.value, scope)?.findLast(isString);
  const isPage = offered !== undefined && !path.includes(offered);
  return isPage && !keys.includes(offered) ? [offered] : keys;
}

/** Finds the records that can be chosen: those in the response, or the query that finds them. */
function findChoices(
  merged: JsonObject,
  own: JsonObject,
  path: Path,
  keys: readonly string[],
  scope: Scope,
): ChoiceOptions {
  const names = [own.datasource, merged.referenceList, own.referenceList, merged.datasource];
  const dataView = names.find((name): name is string =>
    isNonEmptyString(name) && !name.startsWith("@") && !name.startsWith(".")
  );
  const key = [...path, keys[0] ?? ""];
  if (isJsonObject(own.datasource) || dataView === undefined) {
    return readChoices("Dropdown", own, findField(key, scope) ?? {}, key, scope) ?? {};
  }
  const picker = readColumns(own).length > 0 ? own : merged;
  return { query: readQuery(dataView, { ...merged, columns: picker.columns, presets: picker.presets }, scope, keys) };
}

/** Lists the columns that name a record, the best first. */
function listNameColumns(merged: JsonObject, own: JsonObject, scope: Scope): string[] {
  const names = [own.primaryField, own.displayField, own.text, merged.primaryField, merged.displayField]
    .map((name) => toRecordColumn(name, merged.contextPage, scope));
  const details = filterObjects(own.detailsDisplay).map(({ config }) => toColumn(getObject(config).value));
  return [...names, ...details, ...readColumns(own).map(({ value }) => toColumn(value))];
}

function nameRecord(record: JsonObject, columns: readonly string[], keys: readonly string[]): string {
  const texts = columns.filter((column) => !keys.includes(column)).map((column) => readColumn(record, column));
  return texts.filter(isScalar).map(String).find(isNonEmptyString) ?? nameRow(record, keys);
}

function findChosen(
  merged: JsonObject,
  own: JsonObject,
  keys: readonly string[],
  path: Path,
  scope: Scope,
): Choice[] {
  const page = getObject(scope.form.content, path);
  const text = nameRecord(page, listNameColumns(merged, own, scope), keys);
  const key = keys.map((name) => page[name]).find((value) => value !== undefined && value !== null && value !== "");
  if (key !== undefined) return [{ key, text, row: page }];
  const isLoaded = keys.some((name) => page[name] !== undefined);
  return isLoaded || text === "" ? [] : [{ key: text, text, row: page }];
}

function listChosen(
  merged: JsonObject,
  own: JsonObject,
  keys: readonly string[],
  path: Path,
  scope: Scope,
): Choice[] {
  const columns = listNameColumns(merged, own, scope);
  return filterObjects(getAt(scope.form.content, path)).map((row) => ({
    key: row[keys[0] ?? ""] ?? "",
    text: nameRecord(row, columns, keys),
    row,
  }));
}

function nameRow(row: JsonObject, keys: readonly string[]): string {
  const label = [row.pyLabel, row.pyID].find(isNonEmptyString);
  return label ?? keys.map((name) => row[name]).filter(isScalar).map(String).filter(isNonEmptyString).join(", ");
}

/** A reference may also fill a plain property: then its picker is a field. */
function drawScalar(type: string, own: JsonObject, config: JsonObject, scope: Scope): FormNode[] {
  const value = own.value ?? config.value;
  if (resolvePath(value, scope) === undefined) return [];
  const dataView = [own.datasource, config.referenceList].find((name) =>
    isNonEmptyString(name) && !name.startsWith("@")
  );
  const label = [scope.inherited.label, own.label, config.label].map((one) => resolveText(one, scope)).find(
    isNonEmptyString,
  );
  return drawField(type, {
    ...own,
    value,
    ...(label !== undefined && { label }),
    required: scope.inherited.required ?? own.required ?? config.required,
    ...(dataView !== undefined && { datasource: dataView, parameters: config.parameters ?? own.parameters }),
  }, { ...scope, isReadOnly: isReadOnly(config, scope) });
}

/** Removes members without a value, which do not replace those of the picker. */
function withoutEmpty(config: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(config).filter(([, value]) =>
      value !== "" && value !== undefined && !(isJsonObject(value) && Object.keys(value).length === 0)
    ),
  );
}
