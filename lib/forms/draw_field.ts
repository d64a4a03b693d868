/** Draws fields with a single value. */
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isScalar,
  isString,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";
import { toChoices } from "./choices.ts";
import type { Choice, ChoiceQuery, FieldKind, FormColumn, FormField, FormNode } from "./nodes.ts";
import { formatPath, getAt, getObject, isWithin, type Path } from "./path.ts";
import { readNames } from "./resources.ts";
import {
  evaluateCondition,
  findField,
  findSentChoices,
  parseReference,
  readProperty,
  resolvePath,
  resolveText,
  resolveValue,
  type Scope,
} from "./scope.ts";
import { formatFieldValue } from "./values.ts";

/** The kinds of fields by their declared type. Texts depend on the component. */
const KINDS_BY_TYPE: ReadonlyMap<string, FieldKind> = new Map([
  ["Integer", "integer"],
  ["Decimal", "decimal"],
  ["True-False", "boolean"],
  ["Date", "date"],
  ["Date Time", "dateTime"],
  ["TimeOfDay", "time"],
]);

/** The kinds of fields by their component, for undeclared fields, and as variants of texts and decimal numbers. */
const KINDS_BY_COMPONENT: ReadonlyMap<string, FieldKind> = new Map([
  ["TextInput", "text"],
  ["Location", "text"],
  ["TextArea", "lines"],
  ["RichText", "richText"],
  ["Integer", "integer"],
  ["Decimal", "decimal"],
  ["Percentage", "percentage"],
  ["Currency", "currency"],
  ["Checkbox", "boolean"],
  ["Date", "date"],
  ["DateTime", "dateTime"],
  ["Time", "time"],
  ["Phone", "phone"],
  ["Email", "email"],
  ["URL", "url"],
  ["UserReference", "user"],
]);

/** The kinds of texts and numbers by their display type, for unknown components. */
const KINDS_BY_DISPLAY: ReadonlyMap<string, FieldKind> = new Map([
  ["pxTextArea", "lines"],
  ["pxRichTextEditor", "richText"],
  ["pxCurrency", "currency"],
  ["pxPhone", "phone"],
  ["pxEmail", "email"],
  ["pxURL", "url"],
]);

const TEXT_KINDS: readonly FieldKind[] = ["text", "lines", "richText", "phone", "email", "url", "user"];
const DECIMAL_KINDS: readonly FieldKind[] = ["decimal", "percentage", "currency"];

/** Components that let a person choose from a list. */
const PICKERS: readonly string[] = ["Dropdown", "RadioButtons", "AutoComplete"];

/** Components that only show a value. */
const DISPLAY_ONLY: readonly string[] = [
  "SemanticLink",
  "ScalarList",
  "DisplayText",
  "CaseOperator",
  "Operator",
  "WorkStatus",
];

/** Types of properties that have properties of their own. */
const PAGE_TYPES: readonly string[] = ["Page", "Page List", "Page Group"];

/** Display modes in which a value is only shown. */
const DISPLAY_MODES: readonly string[] = ["DISPLAY_ONLY", "STACKED_LARGE_VAL", "LABELS_LEFT"];

/** Reports whether a component is known to show a property. */
export function isFieldComponent(type: string): boolean {
  return KINDS_BY_COMPONENT.has(type) || PICKERS.includes(type) || DISPLAY_ONLY.includes(type);
}

/** Draws a component that shows a property. Returns nothing if it does not refer to one. */
export function drawField(type: string, config: JsonObject, scope: Scope): FormNode[] {
  const path = resolvePath(config.text, scope) ?? resolvePath(config.value, scope);
  if (path === undefined) return drawAbsolute(type, config, scope);
  scope.log.used.add(JSON.stringify(path));
  const field = describeField(type, config, path, scope);
  const isPage = PAGE_TYPES.includes(String(findField(path, scope)?.type)) ||
    Array.isArray(field.value) || isJsonObject(field.value);
  if (isPage && !DISPLAY_ONLY.includes(type) && type !== "UserReference") {
    return [{ ...field, cannotFill: "The form does not describe its fields." }];
  }
  if (type !== "Location") return [field];
  const coordinates = resolvePath(config.coordinates, scope);
  if (coordinates === undefined) return [field];
  const inner = describeField(
    "TextInput",
    { ...config, value: config.coordinates, label: `${field.label} (coordinates)` },
    coordinates,
    scope,
  );
  return config.onlyCoordinates === true ? [inner] : [field, inner];
}

/** Shows a value outside the content, e.g. `@P caseInfo.lastUpdateTime`. */
function drawAbsolute(type: string, config: JsonObject, scope: Scope): FormNode[] {
  const reference = parseReference(config.value);
  const value = resolveValue(config.value, scope);
  if (!["P", "USER"].includes(reference?.prefix ?? "") || !isScalar(value)) return [];
  const kind = KINDS_BY_COMPONENT.get(type) ?? "text";
  return [{
    type: "field",
    kind,
    component: type,
    path: reference?.rest ?? "",
    label: resolveText(config.label, scope) || (reference?.rest ?? ""),
    help: "",
    placeholder: "",
    value,
    text: formatFieldValue({ kind }, value, scope.form.timeZone),
    isVisible: scope.isVisible,
    isRequired: false,
    isReadOnly: true,
    isComputed: true,
    errors: [],
  }];
}

function describeField(type: string, config: JsonObject, path: Path, scope: Scope): FormField {
  const { form } = scope;
  const declared = findField(path, scope) ?? {};
  const stored = getAt(form.content, path);
  const value = type === "UserReference" && isJsonObject(stored)
    ? stored.userId ?? stored.pyUserIdentifier ?? ""
    : stored;
  const source = readChoices(type, config, declared, path, scope);
  const kind = decideKind(type, declared, source !== undefined);
  const keyKind = kind === "choice" ? findKeyKind(declared) : undefined;
  const isComputed = declared.isDeclarativeTarget === true;
  const currency = kind === "currency" ? resolveText(config.currencyISOCode, scope) : "";
  const booleanLabels = kind !== "boolean" ? undefined : {
    true: resolveText(config.trueLabel ?? config.trueText, scope),
    false: resolveText(config.falseLabel ?? config.falseText, scope),
  };
  const maxLength = typeof declared.maxLength === "number" && TEXT_KINDS.includes(kind)
    ? declared.maxLength
    : undefined;
  const choices = source?.choices;
  const isUser = kind === "user" || parseReference(config.value)?.prefix === "USER";
  const name = isUser ? nameUser(stored, scope) : undefined;
  return {
    type: "field",
    kind,
    component: type,
    ...describeQuestion(type, config, path, scope),
    isReadOnly: isReadOnly(config, scope) || isComputed || DISPLAY_ONLY.includes(type) ||
      (!PICKERS.includes(type) && belongsToRecord(path, scope)),
    isComputed,
    placeholder: resolveText(config.placeholder, scope),
    value,
    text: name ?? formatFieldValue({ kind, choices, booleanLabels, currency }, stored, form.timeZone),
    ...(maxLength !== undefined && { maxLength }),
    ...(currency !== "" && { currency }),
    ...(booleanLabels && { booleanLabels }),
    ...(keyKind !== undefined && { keyKind }),
    ...(choices && { choices }),
    ...(source?.query && { query: source.query }),
  };
}

/** Returns the members that all questions have. */
export function describeQuestion(type: string, config: JsonObject, path: Path, scope: Scope): Pick<
  FormField,
  "path" | "label" | "help" | "isVisible" | "isRequired" | "isReadOnly" | "errors"
> {
  const declared = findField(path, scope) ?? {};
  const text = formatPath(path);
  const inherited = readInherited(config, scope);
  const message = readMessage(config, scope);
  return {
    path: text,
    label: resolveText(inherited.label, scope) || readLabel(type, config, declared, path, scope),
    help: resolveText(config.helperText, scope) || resolveText(declared.additionalInformation, scope),
    isVisible: scope.isVisible,
    isRequired: [inherited.required, config.required, config.requiredCondition].some((condition) =>
      evaluateCondition(condition, scope, false)
    ),
    isReadOnly: isReadOnly(config, scope),
    errors: [...scope.form.errors.get(text) ?? [], ...(message === "" ? [] : [message])],
  };
}

/** Returns the message that the service shows at a field. It does not keep the form from being submitted. */
function readMessage(config: JsonObject, scope: Scope): string {
  const own = resolveText(config.validatemessage, scope);
  const { content, visibility } = getObject(config.messageConfig);
  const isShown = String(config.showFieldMessage) !== "false" && evaluateCondition(visibility, scope, true);
  return own || (isShown ? resolveText(content, scope) : "");
}

/** Reads the properties that a component gives to what it draws. An empty label gives none. */
export function readInherited({ inheritedProps }: JsonObject, scope: Scope): JsonObject {
  const props = filterObjects(inheritedProps).map((
    { prop, value },
  ): [string, JsonValue] => [String(prop), value ?? ""]);
  return Object.fromEntries(props.filter(([prop, value]) => prop !== "label" || resolveText(value, scope) !== ""));
}

/** Reports whether a part is only shown. */
export function isReadOnly(config: JsonObject, scope: Scope): boolean {
  return scope.isReadOnly || evaluateCondition(config.readOnly, scope, false) ||
    evaluateCondition(config.disabled, scope, false) || DISPLAY_MODES.includes(String(config.displayMode));
}

/** Reports whether a property belongs to a record that a reference loads. Only the reference itself can be changed. */
function belongsToRecord(path: Path, scope: Scope): boolean {
  return path.slice(0, -1).some((_, i) => isReferred(findField(path.slice(0, i + 1), scope)));
}

/** Reports whether a declaration or a view is about records that are stored elsewhere. */
export function isReferred(declared: JsonObject | undefined): boolean {
  return String(declared?.dataRetrievalType).toLowerCase() === "refer";
}

function readLabel(type: string, config: JsonObject, declared: JsonObject, path: Path, scope: Scope): string {
  const texts = [
    type === "Checkbox" ? resolveText(config.caption, scope) : "",
    resolveText(config.label, scope),
    resolveText(declared.label, scope),
    resolveText(config.caption, scope),
  ];
  return texts.find(isNonEmptyString) ?? String(path.findLast(isString) ?? "");
}

/** The declared type decides. Components distinguish kinds of texts and of decimal numbers. */
function decideKind(type: string, declared: JsonObject, hasChoices: boolean): FieldKind {
  if (hasChoices) return type === "UserReference" ? "user" : "choice";
  const byComponent = KINDS_BY_COMPONENT.get(type) ?? KINDS_BY_DISPLAY.get(String(declared.displayAs));
  const declaredKind = KINDS_BY_TYPE.get(String(declared.type));
  if (PICKERS.includes(type) && declaredKind !== "boolean") return "choice";
  if (declaredKind === "decimal") return byComponent && DECIMAL_KINDS.includes(byComponent) ? byComponent : "decimal";
  if (declaredKind !== undefined) return declaredKind;
  if (declared.type === "Text" || declared.type === "Identifier") {
    return byComponent && TEXT_KINDS.includes(byComponent) ? byComponent : "text";
  }
  return byComponent ?? "text";
}

/** Returns the kind of a key that is not a text. */
export function findKeyKind(declared: JsonObject | undefined): FieldKind | undefined {
  return KINDS_BY_TYPE.get(String(declared?.type));
}

/** Returns the name of the operator in a field. */
function nameUser(value: JsonValue | undefined, { form }: Scope): string | undefined {
  if (!isNonEmptyString(value)) return undefined;
  const { referencedUsers } = form.data;
  const users = Array.isArray(referencedUsers)
    ? referencedUsers.filter(isJsonObject)
    : [{ UserID: value, UserName: getObject(referencedUsers)[value] }];
  const name = users.find(({ UserID }) => UserID === value)?.UserName;
  return [name, getObject(name).UserName].find(isNonEmptyString);
}

/** The source of the choices of a field or a reference. */
export interface ChoiceOptions {
  readonly choices?: readonly Choice[] | undefined;
  readonly query?: ChoiceQuery;
}

/** Reads the choices of a field. Returns undefined if it has none. */
export function readChoices(
  type: string,
  config: JsonObject,
  declared: JsonObject,
  path: Path,
  scope: Scope,
): ChoiceOptions | undefined {
  if (type === "UserReference") return readUsers(config, scope);
  if (!PICKERS.includes(type) && isFieldComponent(type)) return undefined;
  const { datasource } = config;
  const sent = findSentChoices({ ...scope, path: path.slice(0, -1) }, String(path.at(-1)));
  if (sent.length > 0) return { choices: toRecords(sent) };
  if (Array.isArray(datasource)) return { choices: toRecords(datasource.filter(isJsonObject)) };
  if (isJsonObject(datasource)) return readDatasource(datasource, config, scope);
  const reference = parseReference(datasource);
  if (isNonEmptyString(datasource) && reference === undefined) {
    return { query: readQuery(datasource, config, scope) };
  }
  if (reference?.prefix === "DATASOURCE") {
    return readRows(reference.rest, readQuery("", config, scope), config, scope);
  }
  if (!PICKERS.includes(type) && reference?.prefix !== "ASSOCIATED") return undefined;
  const own = reference?.prefix === "ASSOCIATED" ? resolvePath(datasource, scope) : undefined;
  const source = getObject((own === undefined ? declared : findField(own, scope) ?? {}).datasource);
  return readDatasource(source, config, scope);
}

/** Reads the description of choices: records, or the rows of a data page. */
function readDatasource(source: JsonObject, config: JsonObject, scope: Scope): ChoiceOptions | undefined {
  if (Array.isArray(source.records)) return { choices: toRecords(source.records.filter(isJsonObject)) };
  const rows = parseReference(source.source);
  if (rows?.prefix === "ASSOCIATED") {
    const path = resolvePath(source.source, scope);
    const declared = path === undefined ? {} : getObject(findField(path, scope)?.datasource);
    return readDatasource({ ...declared, source: undefined }, config, scope);
  }
  if (rows !== undefined) {
    const fields = getObject(source.fields);
    const key = toColumn(fields.key) || toColumn(fields.value);
    const text = toColumn(fields.text) || toColumn(fields.value);
    return readRows(rows.rest, { key, text, columns: [] }, { ...source, parameters: config.parameters }, scope);
  }
  if (!isNonEmptyString(source.name)) return undefined;
  const named = toColumn(source.propertyForDisplayText);
  const key = toColumn(source.propertyForValue) || named;
  const text = named || key;
  return {
    query: {
      dataView: source.name,
      ...readParameters(source.parameters ?? config.parameters, source.name, scope),
      key,
      text,
      columns: text === key ? [] : [{ path: text, label: text }],
      isQueryable: isQueryable(source.name, scope),
      setters: [],
    },
  };
}

/** Reads the rows of a data page in the response. Those of a page that it lacks are queried. */
function readRows(
  name: string,
  columns: Pick<ChoiceQuery, "key" | "text" | "columns">,
  config: JsonObject,
  scope: Scope,
): ChoiceOptions {
  const rows = findRows(name, scope);
  const [dataView = ""] = name.split(".");
  if (rows.length > 0 || dataView === "") return { choices: toChoices(rows, columns) };
  return {
    query: {
      dataView,
      ...readParameters(config.parameters, dataView, scope),
      ...columns,
      isQueryable: isQueryable(dataView, scope),
      setters: [],
    },
  };
}

function toRecords(records: readonly JsonObject[]): Choice[] {
  return records.flatMap(({ key, value, text }): Choice[] => {
    const actual = key ?? value;
    if (actual === undefined || actual === null) return [];
    return [{ key: actual, text: String(text ?? value ?? actual) }];
  });
}

/** Finds rows in the response: of a data page, or of a list of the case. */
export function findRows(name: string, scope: Scope): JsonObject[] {
  const own = resolvePath(`@P ${name}`, scope);
  if (own !== undefined) return filterObjects(getAt(scope.form.content, own));
  const [page = "", list = "pxResults"] = name.split(".");
  const { data } = scope.form;
  const shared = getObject(data.shared, [page]);
  const places = [getObject(data, [page]), shared, ...Object.values(shared).filter(isJsonObject)];
  return places.map((place) => filterObjects(place[list])).find((rows) => rows.length > 0) ?? [];
}

/** Reads the columns of a picker: `columns`, or the fields in `presets`. */
export function readColumns(config: JsonObject): JsonObject[] {
  if (Array.isArray(config.columns)) return config.columns.filter(isJsonObject);
  const [preset] = Array.isArray(config.presets) ? config.presets.filter(isJsonObject) : [];
  return listColumnNodes(preset?.children).map(({ config }) => getObject(config));
}

/** Returns the components in the regions of a table. */
export function listColumnNodes(nodes: JsonValue | undefined): JsonObject[] {
  return filterObjects(nodes).flatMap((node) =>
    node.type === "Region" || node.type === "View" ? listColumnNodes(node.children) : [node]
  );
}

/** Reads the query of a picker that names a data page. */
export function readQuery(
  dataView: string,
  config: JsonObject,
  scope: Scope,
  keys: readonly string[] = [],
): ChoiceQuery {
  const columns = readColumns(config).flatMap((column) => expandColumn(column, config, scope));
  const keyColumn = columns.find(({ key }) => String(key) === "true");
  const key = keys[0] ?? (toColumn(config.selectionKey) || toColumn(keyColumn?.value));
  const primary = columns.find((column) => String(column.primary) === "true") ??
    columns.find((column) => String(column.display) === "true");
  const shown = columns.filter((column) => column !== keyColumn).map((column): FormColumn => {
    const path = toColumn(column.value);
    return { path, label: readColumnLabel(column, path, config, scope) };
  }).filter(({ path }) => path !== "");
  return {
    dataView,
    ...readParameters(config.parameters, dataView, scope),
    key: key || shown[0]?.path || "",
    ...(keys.length > 1 && { otherKeys: keys.slice(1) }),
    text: toColumn(primary?.value) ||
      toRecordColumn(config.primaryField ?? config.displayField, config.contextPage, scope),
    columns: shown,
    isQueryable: isQueryable(dataView, scope),
    setters: columns.flatMap(({ value, setProperty }) =>
      isNonEmptyString(setProperty) && setProperty.startsWith(".")
        ? [{ column: toColumn(value), property: formatPath([...scope.path, ...setProperty.slice(1).split(".")]) }]
        : []
    ),
  };
}

/** A column may stand for all fields of a view of the record. */
function expandColumn(column: JsonObject, config: JsonObject, scope: Scope): JsonObject[] {
  const name = toColumn(column.value);
  if (name !== "pyPrimaryFields") return [column];
  const view = scope.form.resources.findView(name, [findRecordClass(config)], scope.drawn);
  return listColumnNodes(view?.children).map(({ config }) => getObject(config));
}

function findRecordClass({ contextClass, targetObjectClass }: JsonObject): string | undefined {
  return [contextClass, targetObjectClass].find(isNonEmptyString);
}

function readColumnLabel(column: JsonObject, path: string, config: JsonObject, scope: Scope): string {
  const classId = findRecordClass(config);
  const declared = scope.form.resources.findField(path.split(".").at(-1) ?? "", classId);
  const own = parseReference(column.label)?.prefix === "FL" ? "" : resolveText(column.label, scope);
  return own || resolveText(declared?.label, scope) || path;
}

/** Returns the name of a column in `.City` or `@P .City`. */
export function toColumn(value: JsonValue | undefined): string {
  if (!isString(value)) return "";
  return (parseReference(value)?.rest ?? value).replace(/^\./, "");
}

/** Returns the name of a column in `.City`, or in `@P .Depot.City` where the page of the record is `.Depot`. */
export function toRecordColumn(value: JsonValue | undefined, page: JsonValue | undefined, scope: Scope): string {
  const [path, place] = [resolvePath(value, scope), resolvePath(page, scope)];
  if (path === undefined || place === undefined || !isWithin(path, place)) return toColumn(value);
  return path.slice(place.length).join(".");
}

function isQueryable(dataView: string, scope: Scope): boolean {
  return scope.form.resources.findDataPage(dataView).isQueryable === true;
}

/** Resolves the parameters of a data page. A missing one has its default. */
function readParameters(
  declared: JsonValue | undefined,
  dataView: string,
  scope: Scope,
): Pick<ChoiceQuery, "parameters" | "dependsOn"> {
  const given = Array.isArray(declared)
    ? declared.filter(isJsonObject).map(({ name, value }): [string, JsonValue | undefined] => [String(name), value])
    : Object.entries(getObject(declared));
  const parameters: JsonObject = {};
  const dependsOn: string[] = [];
  for (const { name, defaultValue } of filterObjects(scope.form.resources.findDataPage(dataView).parameters)) {
    if (isNonEmptyString(name) && isNonEmptyString(defaultValue)) parameters[name] = defaultValue;
  }
  for (const [name, value] of given) {
    const path = resolvePath(value, scope);
    if (path !== undefined) dependsOn.push(formatPath(path));
    const resolved = path === undefined ? resolveValue(value, scope) : readProperty(value, scope);
    if (resolved !== undefined && resolved !== null) parameters[name] = resolved;
    else parameters[name] ??= "";
  }
  return { parameters, dependsOn };
}

function readUsers(config: JsonObject, scope: Scope): ChoiceOptions {
  const dataView = isNonEmptyString(config.referenceList) ? config.referenceList : "D_pyC11nOperatorsList";
  const columns = [{ path: "pyUserName", label: "Name" }];
  return {
    query: {
      dataView,
      ...readParameters(config.parameters, dataView, scope),
      key: "pyUserIdentifier",
      text: "pyUserName",
      columns,
      isQueryable: isQueryable(dataView, scope),
      setters: [],
    },
  };
}

/** Returns the names of the properties that identify a record of a reference. */
export function readKeys(config: JsonObject, scope: Scope): string[] {
  const declared = readNames(config.classKeys);
  if (declared.length > 0) return declared;
  const known = scope.form.resources.findKeys(findRecordClass(config));
  const selection = toColumn(config.selectionKey);
  return known.length > 0 ? known : selection === "" ? [] : [selection.split(".").at(-1) ?? selection];
}
