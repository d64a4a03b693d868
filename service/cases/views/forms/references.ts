/** Views of references to records. */
import type { JsonObject } from "../../../../utils/json.ts";
import type { DataType, DataView } from "../../../application/model/data_view.ts";
import type { Reference, ReferenceControl, ViewField } from "../../../application/model/field.ts";
import { type Component, describeColumns, describeParameters } from "./components.ts";

/** The already described parts of a reference's view. */
export interface ReferenceParts {
  /** ID of the view. */
  readonly id: string;
  /** Class of the page with the reference. */
  readonly classId: string;
  /** Class of the records. */
  readonly recordClass: string;
  readonly reference: Reference;
  /** Components of the columns of a table. */
  readonly columns: readonly Component[];
  /** Component that shows the chosen record. */
  readonly details?: Component;
  /** Reference to the translations of its labels. */
  readonly localeReference: string;
}

/** The name of each control in the configuration, and its components for one record and for several. */
const CONTROLS: { readonly [C in ReferenceControl]: readonly [displayAs: string, single: string, multiple: string] } = {
  dropdown: ["dropdown", "Dropdown", ""],
  autocomplete: ["autocomplete", "AutoComplete", ""],
  table: ["table", "SimpleTableSelect", "SimpleTableSelect"],
  simpleTable: ["simpleTable", "SimpleTableSelect", "SimpleTableSelect"],
  cards: ["card", "RadioButtons", ""],
  search: ["search", "AdvancedSearch", ""],
  combobox: ["combobox", "", "Multiselect"],
  checkboxes: ["checkboxgroup", "", "Checkbox"],
};

/** Describes the view of a reference: a picker, and the details of the chosen record. */
export function describeReference(shown: ViewField, parts: ReferenceParts): JsonObject & { children: Component[] } {
  const { id, classId, recordClass, reference, details, localeReference } = parts;
  const { field, readOnly } = shown;
  const isMultiple = field.type === "List";
  const [displayAs] = CONTROLS[reference.show];
  return {
    name: id,
    type: "View",
    classID: classId,
    config: {
      template: "DataReference",
      name: field.name,
      ruleClass: classId,
      referenceList: readOnly && isMultiple ? `@P .${field.name}` : reference.dataView,
      contextClass: recordClass,
      classKeys: reference.key.map((name) => ({ name })),
      mode: readOnly ? "readonly" : isMultiple ? "multiselect" : "singleselect",
      selectionMode: isMultiple ? "multi" : "single",
      displayAs: readOnly && !isMultiple ? "readonly" : readOnly && !isTable(reference) ? "readonlyMulti" : displayAs,
      ...(readOnly && { renderMode: "ReadOnly" }),
      referenceType: reference.toCase ? "Case" : "Data",
      parameters: describeParameters(reference.parameters),
      actions: [],
      allowAddingNewRecords: false,
      localeReference,
    },
    children: [
      readOnly
        ? describeReadOnly(shown, parts)
        : isMultiple
        ? describeMultiple(shown, parts)
        : describeSingle(shown, parts),
      { name: "Views", type: "Region", children: details === undefined ? [] : [details] },
    ],
  };
}

function describeSingle({ field: { name } }: ViewField, { reference, columns }: ReferenceParts): Component {
  const [key = ""] = reference.key;
  const [, type] = CONTROLS[reference.show];
  const value = `@P .${name}.${key}`;
  const config = { value, contextPage: `@P .${name}`, primaryField: `@P .${name}.${reference.text}`, label: "@L " };
  if (reference.show === "dropdown" || reference.show === "autocomplete" || reference.show === "cards") {
    return {
      type,
      config: {
        ...config,
        listType: "datapage",
        deferDatasource: true,
        datasource: reference.dataView,
        parameters: describeParameters(reference.parameters),
        columns: describeColumns(reference.key, reference.text, reference.columns),
        ...(reference.show === "cards" ? { variant: "card" } : { placeholder: "@L Select..." }),
      },
    };
  }
  return {
    type,
    config: {
      ...config,
      selectionMode: "single",
      selectionKey: value,
      referenceList: reference.dataView,
      parameters: describeParameters(reference.parameters),
      ...describeTable(reference, columns),
    },
  };
}

function describeMultiple({ field: { name } }: ViewField, { reference, columns }: ReferenceParts): Component {
  const [, , type] = CONTROLS[reference.show];
  return {
    type,
    config: {
      label: "@L ",
      selectionMode: "multi",
      selectionList: `.${name}`,
      selectionKey: `.${reference.key[0]}`,
      primaryField: `.${reference.text}`,
      readonlyContextList: `@P .${name}`,
      referenceList: reference.dataView,
      parameters: describeParameters(reference.parameters),
      ...(isTable(reference) && { ...describeTable(reference, columns), detailsDisplay: [] }),
    },
  };
}

function describeReadOnly(
  { field: { name, type } }: ViewField,
  { reference, recordClass, columns }: ReferenceParts,
): Component {
  if (type === "List") {
    return {
      type: "SimpleTableSelect",
      config: {
        label: "@L ",
        selectionMode: "multi",
        renderMode: "ReadOnly",
        referenceList: `@P .${name}`,
        primaryField: `.${reference.text}`,
        ...(isTable(reference) ? describeTable(reference, columns) : { presets: [] }),
      },
    };
  }
  return {
    type: "SemanticLink",
    config: {
      text: `@P .${name}.${reference.text}`,
      label: "@L ",
      previewKey: `@P .${name}.${reference.toCase ? "pzInsKey" : reference.key[0]}`,
      caseClass: recordClass,
      contextPage: `@P .${name}`,
      referenceType: reference.toCase ? "Case" : "Data",
    },
  };
}

function isTable({ show }: Reference): boolean {
  return show === "table" || show === "simpleTable";
}

function describeTable({ text, show }: Reference, columns: readonly Component[]): JsonObject {
  const filters = columns.filter(({ config }) => show === "search" || readValue(config) === `@P .${text}`);
  return {
    sortDirection: "ASC",
    promotedFilters: filters,
    presets: [{
      id: "P_1",
      label: "@L All",
      template: "Table",
      config: {},
      children: [{ name: "Columns", type: "Region", children: [...columns] }],
    }],
  };
}

function readValue(config: JsonObject[string]): JsonObject[string] {
  return config instanceof Object && "value" in config ? config.value : undefined;
}

/** Describes a data view to which a form refers. */
export function describeDataPage({ classId, structure, queryable, parameters }: DataView): JsonObject {
  return {
    classID: classId,
    mode: "readonly",
    structure,
    isQueryable: queryable,
    isSearchable: false,
    isDataObject: true,
    parameters: Array.from(parameters.values(), ({ name, default: value }) => ({ name, defaultValue: value ?? "" })),
  };
}

/** Describes a data type, with the data view that looks up one of its records. */
export function describeDataType({ key, savable }: DataType, lookup: string): JsonObject {
  return {
    classKeys: [...key],
    lookupDataPage: lookup,
    ...(savable !== undefined && { savableDataPage: savable }),
    lookupDataPageInfo: {
      parameters: Object.fromEntries(key.map((name) => [name, `.${name}`])),
      isAlternateKeyStorage: false,
    },
  };
}
