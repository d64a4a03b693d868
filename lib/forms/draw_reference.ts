/** Draws references to records and cases. */
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isScalar,
  isString,
  type JsonObject,
} from "../../utils/json.ts";
import type { ChoiceQuery } from "./choices.ts";
import { readColumn, toChoices } from "./choices.ts";
import type { Draw } from "./draw.ts";
import {
  describeQuestion,
  drawField,
  findRows,
  isReadOnly,
  readColumns,
  readKeys,
  readQuery,
  toColumn,
} from "./draw_field.ts";
import type { Choice, FormNode, FormReference } from "./nodes.ts";
import { getAt, getObject, type Path } from "./path.ts";
import { findClass, findField, parseReference, resolvePath, resolveText, type Scope } from "./scope.ts";

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
export function drawReference(view: JsonObject, config: JsonObject, scope: Scope, draw: Draw): FormNode[] {
  const [first, ...others] = filterObjects(view.children);
  const picker = first === undefined || first.type === "Region" ? { type: config.componentType, config } : first;
  const own = getObject(picker.config);
  const type = isString(picker.type) ? picker.type : "";
  const merged: JsonObject = { ...own, ...withoutEmpty(config) };
  const isMultiple = isMulti(type, own, config);
  const path = isMultiple ? findListPath(own, config, scope) : findPagePath(own, config, scope);
  if (path === undefined) return drawScalar(type, own, config, scope);
  const inner = { ...scope, inherited: {} };
  const keys = findKeys(merged, own, path, scope);
  const readOnly = isReadOnly(config, scope) || isReadOnly(own, scope) || READ_ONLY.includes(type) ||
    /readonly/i.test(String(config.mode ?? "")) || /^readonly/i.test(String(config.displayAs ?? "")) ||
    [config.renderMode, own.renderMode].some((mode) => isNonEmptyString(mode) && mode !== "Editable");
  const query = readOnly ? undefined : findQuery(merged, own, keys, inner);
  const declared = findField(path, scope) ?? {};
  const label = [scope.inherited.label, config.label, own.label].map((value) => resolveText(value, scope)).find(
    isNonEmptyString,
  );
  const regions = first === undefined || first.type === "Region" ? filterObjects(view.children) : others;
  scope.log.used.add(JSON.stringify(path));
  const reference: FormReference = {
    type: "reference",
    mode: isMultiple ? "multiple" : "single",
    ...describeQuestion(
      "",
      {
        ...own,
        ...config,
        label: label ?? resolveText(declared.label, scope),
        required: scope.inherited.required ?? config.required ?? own.required,
      },
      path,
      scope,
    ),
    isReadOnly: readOnly,
    ...(!readOnly && query === undefined && { cannotFill: "The form does not say where its records come from." }),
    keys,
    ...(query && { query }),
    columns: query?.columns ?? [],
    chosen: isMultiple ? listChosen(own, config, keys, path, scope) : findChosen(own, keys, path, scope),
    details: draw(regions, { ...inner, isReadOnly: true }),
  };
  return [reference];
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

function isMulti(type: string, own: JsonObject, config: JsonObject): boolean {
  const modes = [own.selectionMode, config.selectionMode, config.mode].map(String);
  return MULTIPLE.includes(type) || /multi/i.test(String(config.displayAs ?? "")) ||
    modes.some((mode) => /^(?:readonly-?)?multi/i.test(mode));
}

/** Returns the path of the page that a single reference fills. */
function findPagePath(own: JsonObject, config: JsonObject, scope: Scope): Path | undefined {
  for (const page of [own.contextPage, config.contextPage, config.authorContext]) {
    const path = resolvePath(page, scope);
    if (path !== undefined) return path;
  }
  const value = resolvePath(own.value ?? own.selectionKey ?? own.text ?? config.value, scope);
  if (value !== undefined && value.length > scope.path.length + 1) return value.slice(0, -1);
  const named = isNonEmptyString(config.name)
    ? [...scope.path, ...config.name.replace(/^\./, "").split(".")]
    : undefined;
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
  return isNonEmptyString(config.name) ? [...scope.path, config.name.replace(/^\./, "")] : undefined;
}

function findKeys(merged: JsonObject, own: JsonObject, path: Path, scope: Scope): string[] {
  const keys = readKeys(merged, scope);
  if (keys.length > 0) return keys;
  const classId = findClass(path, scope);
  const known = classId === undefined ? [] : scope.form.resources.findKeys(classId);
  if (known.length > 0) return known;
  const value = resolvePath(own.value, scope)?.at(-1);
  return isString(value) ? [value] : [];
}

/** The parameters and the data page of the view replace those of the picker. */
function findQuery(
  merged: JsonObject,
  own: JsonObject,
  keys: readonly string[],
  scope: Scope,
): ChoiceQuery | undefined {
  const names = [own.datasource, merged.referenceList, own.referenceList, merged.datasource];
  const dataView = names.find((name): name is string =>
    isNonEmptyString(name) && !name.startsWith("@") && !name.startsWith(".")
  );
  if (dataView === undefined) return undefined;
  const picker = readColumns(own).length > 0 ? own : merged;
  return readQuery(dataView, { ...merged, columns: picker.columns, presets: picker.presets }, scope, keys);
}

function findChosen(own: JsonObject, keys: readonly string[], path: Path, scope: Scope): Choice[] {
  const page = getObject(scope.form.content, path);
  const values = keys.map((name) => page[name]);
  const text = [own.primaryField, own.displayField, own.text].map((value) => resolveText(value, scope)).find(
    isNonEmptyString,
  );
  const [key] = values;
  if (key === undefined || key === null || key === "") {
    const isShown = text !== undefined && keys.every((name) => page[name] === undefined);
    return isShown ? [{ key: text, text, row: page }] : [];
  }
  return [{ key, text: text ?? values.map(String).join(", "), row: page }];
}

function listChosen(own: JsonObject, config: JsonObject, keys: readonly string[], path: Path, scope: Scope): Choice[] {
  const texts = [own.primaryField, own.displayField, config.primaryField].map(toColumn).filter(isNonEmptyString);
  const columns = [
    ...texts.map((text) => text.split(".").at(-1) ?? text),
    ...readColumns(own).map(({ value }) => toColumn(value)),
  ];
  return filterObjects(getAt(scope.form.content, path)).map((row) => {
    const key = row[keys[0] ?? ""] ?? "";
    const shown = columns.map((column) => readColumn(row, column)).filter(isScalar).map(String).find(isNonEmptyString);
    return { key, text: shown ?? nameRow(row, keys), row };
  });
}

function nameRow(row: JsonObject, keys: readonly string[]): string {
  const label = [row.pyLabel, row.pyID].find(isNonEmptyString);
  return label ??
    keys.map((name) => row[name]).filter((value) => value !== undefined && value !== null).map(String).join(", ");
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
