/** Designs of forms, and their description in the shapes of a server. */
import type { JsonObject, JsonValue } from "../../../utils/json.ts";

/** The kinds of fields, with the component and the type of each. */
export const KINDS = {
  text: ["TextInput", "Text"],
  lines: ["TextArea", "Text"],
  richText: ["RichText", "Text"],
  integer: ["Integer", "Integer"],
  decimal: ["Decimal", "Decimal"],
  percentage: ["Percentage", "Decimal"],
  currency: ["Currency", "Decimal"],
  boolean: ["Checkbox", "True-False"],
  date: ["Date", "Date"],
  dateTime: ["DateTime", "Date Time"],
  time: ["Time", "TimeOfDay"],
  phone: ["Phone", "Text"],
  email: ["Email", "Text"],
  url: ["URL", "Text"],
  choice: ["Dropdown", "Text"],
  numberChoice: ["RadioButtons", "Integer"],
  user: ["UserReference", "Text"],
} as const satisfies Record<string, readonly [component: string, type: string]>;

/** The kind of a field in a design. */
export type Kind = keyof typeof KINDS;

/** A condition on a property of the same page. The service evaluates a `when`, and the client the others. */
export interface Condition {
  readonly property: string;
  readonly equals: string | boolean;
  readonly isNegated: boolean;
  readonly when?: string;
}

/** The members of all parts. */
interface Base {
  readonly name: string;
  readonly visible?: Condition;
  readonly readOnly?: Condition | boolean;
}

/** A part of a design. */
export type Part =
  | Base & {
    readonly type: "field";
    readonly kind: Kind;
    readonly isComputed?: boolean;
    readonly cascade?: string;
    /** Property of the same page that a choice also sets. */
    readonly setter?: string;
  }
  | Base & { readonly type: "group"; readonly parts: readonly Part[] }
  | Base & { readonly type: "page"; readonly isReferred: boolean; readonly parts: readonly Part[] }
  | Base & ListPart
  | Base & {
    readonly type: "record";
    readonly isMultiple: boolean;
    readonly keys: readonly string[];
    readonly hasDetails: boolean;
    readonly picker: string;
    readonly cascade?: string;
  }
  | Base & { readonly type: "file"; readonly isMultiple: boolean }
  | Base & CopyPart;

/** A page into which a row of a list of the same page is copied. */
interface CopyPart {
  readonly type: "copy";
  readonly list: string;
  /** Property of the rows that names the copy. */
  readonly key: string;
}

/** A list of embedded data. */
interface ListPart {
  readonly type: "list";
  readonly style: "inline" | "modal" | "repeating";
  readonly parts: readonly Part[];
  readonly canAdd: boolean;
  readonly canDelete: boolean;
  readonly canMove: boolean;
  readonly rowRule?: Condition;
}

/** A list in a design. */
export type DesignedList = Extract<Part, { type: "list" }>;

/** A form. */
export interface Design {
  readonly parts: readonly Part[];
  /** Shows all parts a second time, read-only. */
  readonly isShownTwice: boolean;
  readonly refreshField?: string;
  /** Place of files in a submission. */
  readonly files: "instructions" | "attachments";
}

/** The records that a person can choose. */
export const RECORDS: readonly JsonObject[] = [1, 2, 3, 4].map((number) => ({
  ID: number,
  Area: `a${number % 2}`,
  Name: `Record ${number}`,
}));

/** The members of a response that do not depend on the content. */
export interface Description {
  readonly views: JsonObject;
  readonly fields: JsonObject;
  readonly dataTypes: JsonObject;
  readonly datapages: JsonObject;
}

/** Describes a design in the shapes of a server. */
export function describeDesign({ parts, isShownTwice }: Design): Description {
  const description: Description = {
    views: {},
    fields: {},
    dataTypes: { "Demo-Data-Record": { classKeys: [{ name: "ID" }] } },
    datapages: { D_Records: { classID: "Demo-Data-Record", isQueryable: true, parameters: [{ name: "area" }] } },
  };
  const children = parts.flatMap((part) => describePart(part, "", "Demo-Work", description));
  addView(description, "Edit", "Demo-Work", [{ type: "Region", name: "Fields", children }, ...copy(isShownTwice)]);
  addView(description, "EditCopy", "Demo-Work", [{ type: "Region", name: "A", children }], "Details");
  return description;
}

function copy(isShownTwice: boolean): JsonObject[] {
  return isShownTwice ? [{ type: "reference", config: { type: "view", name: "EditCopy" } }] : [];
}

function addView(
  { views }: Description,
  name: string,
  classID: string,
  children: JsonObject[],
  template = "DefaultForm",
  config: JsonObject = {},
): void {
  views[name] = [{ name, type: "View", classID, config: { template, ruleClass: classID, ...config }, children }];
}

function addField({ fields }: Description, name: string, classID: string, declared: JsonObject): void {
  fields[name] = [{ classID, label: `${name} label`, ...declared }];
}

function toExpression({ property, equals, isNegated, when }: Condition, prefix: string): string {
  if (when !== undefined) return `@W ${when}`;
  const operator = isNegated ? "!=" : "==";
  return `@E ${prefix}.${property} ${operator} ${typeof equals === "string" ? `'${equals}'` : equals}`;
}

/** Describes a part. `prefix` is the way from the current page, for fields of a page without a view of its own. */
function describePart(part: Part, prefix: string, classID: string, description: Description): JsonObject[] {
  const { name, visible, readOnly } = part;
  const rules: JsonObject = {
    ...(visible && { visibility: toExpression(visible, prefix) }),
    ...(readOnly !== undefined && {
      readOnly: typeof readOnly === "boolean" ? readOnly : toExpression(readOnly, prefix),
    }),
  };
  const value = `@P ${prefix}.${name}`;
  switch (part.type) {
    case "field": {
      const [component, type] = KINDS[part.kind];
      addField(description, name, classID, {
        type,
        ...(part.isComputed === true && { isDeclarativeTarget: true }),
        ...((part.kind === "choice" || part.kind === "numberChoice") && { datasource: describeChoices(part, prefix) }),
      });
      const associated = { listType: "associated", datasource: `@ASSOCIATED ${prefix}.${name}`, deferDatasource: true };
      const isChoice = (part.kind === "choice" || part.kind === "numberChoice") && part.setter === undefined;
      const source = part.kind === "user" ? `@USER ${prefix}.${name}` : value;
      return [{
        type: component,
        config: {
          value: source,
          label: `@FL ${prefix}.${name}`,
          ...(isChoice && associated),
          ...describeSetter(part, prefix),
          ...rules,
        },
      }];
    }
    case "copy":
      addField(description, name, classID, {
        type: "Page",
        dataRetrievalType: "manual",
        pageClass: `Demo-Data-${part.list}`,
      });
      return [{
        type: "EmbeddedData",
        config: {
          displayAs: "Combobox",
          datasource: {
            source: `@DATASOURCE ${prefix}.${part.list}`,
            fields: { key: `@P .${part.key}`, value: "" },
            copyAll: true,
          },
          targetPage: value,
          value: `${value}.pyLabel`,
          editable: true,
          label: `@L ${name}`,
          ...rules,
        },
      }];
    case "group":
      return [{
        type: "Group",
        config: { heading: `@L ${name}`, ...rules },
        children: part.parts.flatMap((inner) => describePart(inner, prefix, classID, description)),
      }];
    case "page": {
      const pageClass = `Demo-Data-${name}`;
      addField(description, name, classID, { type: "Page", dataRetrievalType: "manual", pageClass });
      const inner = part.parts.flatMap((one) =>
        describePart(one, part.isReferred ? "" : `${prefix}.${name}`, pageClass, description)
      );
      if (!part.isReferred) return [{ type: "Group", config: { heading: `@L ${name}`, ...rules }, children: inner }];
      addView(description, `Edit_${name}`, pageClass, [{ type: "Region", name: "Fields", children: inner }]);
      return [{
        type: "reference",
        config: { type: "view", name: `Edit_${name}`, context: `${prefix}.${name}`, ruleClass: pageClass, ...rules },
      }];
    }
    case "list":
      return describeList(part, rules, prefix, classID, description);
    case "record":
      return describeRecord(part, rules, prefix, classID, description);
    case "file":
      addField(description, name, classID, {
        type: part.isMultiple ? "Page List" : "Page",
        dataRetrievalType: "refer",
        pageClass: "Embed-Attach-File",
      });
      return [{
        type: "Attachment",
        config: { value, label: `@FL ${prefix}.${name}`, allowMultiple: String(part.isMultiple), ...rules },
      }];
  }
}

function describeChoices(part: Extract<Part, { type: "field" }>, prefix: string): JsonObject {
  if (part.cascade === undefined) {
    const keys: JsonValue[] = part.kind === "choice" ? ["A", "B", "C"] : [1, 2, 3];
    return { tableType: "PromptList", records: keys.map((key) => ({ key, value: `Choice ${key}` })) };
  }
  return {
    tableType: "DataPage",
    name: "D_Records",
    propertyForValue: "@P .ID",
    propertyForDisplayText: "@P .Name",
    parameters: [{ name: "area", value: `@P ${prefix}.${part.cascade}` }],
  };
}

/** Describes a picker with columns. One column sets another property. */
function describeSetter({ setter }: Extract<Part, { type: "field" }>, prefix: string): JsonObject {
  if (setter === undefined) return {};
  return {
    listType: "datapage",
    datasource: "D_Records",
    columns: [
      { value: ".ID", key: "true" },
      { value: ".Name", display: "true", primary: "true" },
      { value: ".Area", setProperty: `${prefix}.${setter}` },
    ],
  };
}

function describeList(
  part: DesignedList,
  rules: JsonObject,
  prefix: string,
  classID: string,
  description: Description,
): JsonObject[] {
  const { name, style, rowRule } = part;
  const rowClass = `Demo-Data-${name}`;
  addField(description, name, classID, { type: "Page List", dataRetrievalType: "manual", pageClass: rowClass });
  const inner = part.parts.flatMap((one) => describePart(one, "", rowClass, description));
  const rowView = `Row_${name}`;
  addView(description, rowView, rowClass, [{ type: "Region", name: "Fields", children: inner }]);
  const reference = { type: "reference", config: { type: "view", name: rowView, context: `@CLASS ${rowClass}` } };
  const config: JsonObject = {
    type: "multirecordlist",
    referenceList: `@P ${prefix}.${name}`,
    contextClass: rowClass,
    renderMode: "Editable",
    multiRecordDisplayAs: style === "repeating" ? "fieldGroup" : "table",
    allowActions: { allowAdd: part.canAdd, allowDelete: part.canDelete, allowDragDrop: part.canMove },
    ...(rowRule && { allowRowEdit: toExpression(rowRule, "") }),
    ...(style === "inline" &&
      { editMode: "tableRows", children: [{ type: "Region", name: "Columns", children: inner }] }),
    ...(style === "modal" && {
      editMode: "modal",
      editModeConfig: { defaultView: rowView },
      presets: [{ children: [{ type: "Region", children: inner.filter(({ type }) => type === "TextInput") }] }],
    }),
  };
  const children = style === "repeating" ? [{ type: "Region", name: "view", children: [reference] }] : [];
  const template = style === "repeating" ? "FieldGroupTemplate" : "SimpleTable";
  addView(description, `List_${name}`, classID, children, template, config);
  return [{
    type: "reference",
    config: {
      type: "view",
      name: `List_${name}`,
      ruleClass: classID,
      inheritedProps: [{ prop: "label", value: `@L ${name}` }],
      ...rules,
    },
  }];
}

function describeRecord(
  part: Extract<Part, { type: "record" }>,
  rules: JsonObject,
  prefix: string,
  classID: string,
  description: Description,
): JsonObject[] {
  const { name, isMultiple, keys, hasDetails, picker, cascade } = part;
  const pageClass = "Demo-Data-Record";
  addField(description, name, classID, {
    type: isMultiple ? "Page List" : "Page",
    dataRetrievalType: "refer",
    pageClass,
  });
  addField(description, "Name", pageClass, { type: "Text" });
  const columns = [
    { value: ".ID", key: "true" },
    { value: ".Area" },
    { value: ".Name", display: "true", primary: "true" },
  ];
  const parameters: JsonObject = cascade === undefined ? {} : { area: `@P ${prefix}.${cascade}` };
  const config: JsonObject = { label: "@L ", listType: "datapage", datasource: "D_Records", columns, parameters };
  const pickerConfig: JsonObject = isMultiple
    ? {
      ...config,
      selectionMode: "multi",
      selectionList: `${prefix}.${name}`,
      selectionKey: ".ID",
      primaryField: ".Name",
      referenceList: "D_Records",
    }
    : {
      ...config,
      value: `@P ${prefix}.${name}.ID`,
      contextPage: `@P ${prefix}.${name}`,
      primaryField: `@P ${prefix}.${name}.Name`,
    };
  addView(description, "RecordDetails", pageClass, [
    { type: "Region", name: "A", children: [{ type: "TextInput", config: { value: "@P .Name" } }] },
  ], "Details");
  const details = {
    type: "reference",
    config: { type: "view", name: "RecordDetails", context: `${prefix}.${name}`, readOnly: true },
  };
  const children = hasDetails && !isMultiple ? [details] : [];
  addView(
    description,
    `Record_${name}`,
    classID,
    [{ type: picker, config: pickerConfig }, { type: "Region", name: "Views", children }],
    "DataReference",
    {
      referenceList: "D_Records",
      contextClass: pageClass,
      classKeys: keys.map((key) => ({ name: key })),
      mode: isMultiple ? "multiselect" : "singleselect",
      selectionMode: isMultiple ? "multi" : "single",
      parameters,
    },
  );
  return [{
    type: "reference",
    config: {
      type: "view",
      name: `Record_${name}`,
      inheritedProps: [{ prop: "label", value: `@L ${name}` }],
      ...rules,
    },
  }];
}
