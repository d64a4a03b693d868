/** Components and declarations of fields that are not embedded. */
import type { JsonObject, JsonValue } from "../../../../utils/json.ts";
import type {
  Argument,
  CHOICE_CONTROLS,
  Choices,
  Field,
  FieldType,
  FormCondition,
  ViewField,
} from "../../../application/model/field.ts";

/** The declaration and the component of each type of field. */
const SHOWN: Record<FieldType, readonly [type: string, displayAs: string, component: string]> = {
  Text: ["Text", "pxTextInput", "TextInput"],
  TextArea: ["Text", "pxTextArea", "TextArea"],
  RichText: ["Text", "pxRichTextEditor", "RichText"],
  Integer: ["Integer", "pxInteger", "Integer"],
  Decimal: ["Decimal", "pxNumber", "Decimal"],
  Currency: ["Decimal", "pxCurrency", "Currency"],
  Percentage: ["Decimal", "pxNumber", "Percentage"],
  Boolean: ["True-False", "pxCheckbox", "Checkbox"],
  Date: ["Date", "pxDateTime", "Date"],
  DateTime: ["Date Time", "pxDateTime", "DateTime"],
  Time: ["TimeOfDay", "pxDateTime", "Time"],
  Dropdown: ["Text", "pxDropdown", "Dropdown"],
  Email: ["Text", "pxEmail", "Email"],
  Phone: ["Text", "pxPhone", "Phone"],
  Url: ["Text", "pxURL", "URL"],
  UserReference: ["Identifier", "HarnessOperator", "UserReference"],
  Page: ["Page", "Scalar", "reference"],
  List: ["Page List", "Scalar", "reference"],
  PageGroup: ["Page Group", "Scalar", "reference"],
  Attachment: ["Page", "pxAttachContent", "Attachment"],
};

/** The component, the declaration and further configuration of each control of a field with choices. */
const CONTROLS: Record<typeof CHOICE_CONTROLS[number], readonly [component: string, displayAs: string, JsonObject]> = {
  dropdown: ["Dropdown", "pxDropdown", { placeholder: "@L Select..." }],
  radio: ["RadioButtons", "pxRadioButtons", {}],
  autocomplete: ["AutoComplete", "pxAutoComplete", { placeholder: "@L Select..." }],
  cards: ["RadioButtons", "pxRadioButtons", { variant: "card" }],
};

/** Formats that clients may check before they submit a value. */
const VALIDATORS: { readonly [T in FieldType]?: string } = {
  Email: "ValidEmailAddress",
  Phone: "ValidPhoneNumber",
  Url: "pxIsValidURL",
};

/** The data views of operators and of calling codes, which every application has. */
export const OPERATORS = "D_pyC11nOperatorsList";
export const CALLING_CODES = "D_pyCountryCallingCodeList";

/** A component of a view. */
export type Component = JsonObject & { type: string };

/** Describes the label of a field in a view: that of the field, or one of the view. */
export function describeLabel({ field, label }: ViewField, name = field.name): string {
  return label === field.label ? `@FL .${name}` : `@L ${label}`;
}

/** Describes a condition for the client: an expression, the name of a result, or a constant. */
export function describeCondition({ name, text }: FormCondition): string | boolean {
  if (text === undefined) return `@W ${name}`;
  return text === "false" ? false : `@E ${text}`;
}

/** Describes the help that a view adds to that of its field. */
export function describeHelp({ help }: ViewField): JsonObject {
  return help === undefined ? {} : { helperText: `@L ${help}` };
}

/** Describes when a field is shown, required and read-only. */
export function describeState({ required, readOnly, visible, requiredWhen, readOnlyWhen }: ViewField): JsonObject {
  return {
    ...(required && { required }),
    ...(requiredWhen && { required: describeCondition(requiredWhen) }),
    ...(readOnly && { readOnly }),
    ...(readOnlyWhen && { readOnly: describeCondition(readOnlyWhen) }),
    ...(visible && { visibility: describeCondition(visible) }),
  };
}

/** Describes the component of a field that is not a page, a list or a reference. `page` is the path of its page. */
export function describeComponent(shown: ViewField, page = ""): Component {
  const { field, label } = shown;
  const name = page + field.name;
  const config = { value: `@P .${name}`, label: describeLabel(shown, name), ...describeLabelOption(shown) };
  const state = { ...describeHelp(shown), ...describeState(shown) };
  const [, , type] = SHOWN[field.type];
  if (field.type === "Dropdown" || field.choices !== undefined) {
    return { type: getControl(field)[0], config: { ...config, ...describePicker(field, page), ...state } };
  }
  switch (field.type) {
    case "Boolean":
      return {
        type,
        config: {
          ...config,
          label: "@L ",
          caption: config.label,
          ...(label === field.label ? {} : { captionOption: "custom", hideLabel: true }),
          trueLabel: "@L Yes",
          falseLabel: "@L No",
          ...state,
        },
      };
    case "Currency": {
      const { currency = "EUR" } = field;
      return {
        type,
        config: {
          ...config,
          isoCodeSelection: currency.startsWith(".") ? "propertyRef" : "constant",
          currencyISOCode: currency.startsWith(".") ? `@P ${currency}` : currency,
          allowDecimals: true,
          alwaysShowISOCode: false,
          ...state,
        },
      };
    }
    case "Phone":
      return {
        type,
        config: {
          ...config,
          showCountryCode: true,
          datasource: {
            source: `@DATASOURCE ${CALLING_CODES}.pxResults`,
            fields: { value: "@P .pyCallingCode" },
          },
          ...state,
        },
      };
    case "UserReference":
      return {
        type,
        config: {
          ...config,
          value: `@USER .${name}`,
          displayAs: "Search box",
          referenceList: OPERATORS,
          showAsFormattedText: true,
          ...state,
        },
      };
    case "Attachment":
      return {
        type,
        config: { ...config, allowMultiple: "false", extensions: (field.extensions ?? []).join(","), ...state },
      };
    default:
      return { type, config: { ...config, ...state } };
  }
}

function describeLabelOption({ field, label }: ViewField): JsonObject {
  return { labelOption: label === field.label ? "default" : "custom" };
}

function getControl({ show = "dropdown" }: Field): typeof CONTROLS[keyof typeof CONTROLS] {
  return CONTROLS[show];
}

function describePicker(field: Field, page: string): JsonObject {
  const name = page + field.name;
  const { choices } = field;
  const [, , more] = getControl(field);
  if (choices === undefined || !choices.inForm) {
    const deferDatasource = choices?.loaded !== true;
    return { listType: "associated", datasource: `@ASSOCIATED .${name}`, deferDatasource, ...more };
  }
  const { dataView, value, text, parameters, loaded, set } = choices;
  if (loaded) {
    const fields = { key: `@P .${value}`, text: `@P .${text}`, value: `@P .${value}` };
    return { listType: "datapage", datasource: { source: `@DATASOURCE ${dataView}.pxResults`, fields }, ...more };
  }
  return {
    listType: "datapage",
    datasource: dataView,
    deferDatasource: true,
    parameters: describeParameters(parameters),
    columns: describeColumns([value], text, [], set),
    ...more,
  };
}

/** Describes the columns of a picker: the keys, the text that people read, further columns, and those for other fields. */
export function describeColumns(
  [key = "", ...keys]: readonly string[],
  text: string,
  others: readonly string[],
  set: ReadonlyMap<string, string> = new Map(),
): JsonObject[] {
  const shown = { value: `.${text}`, display: "true", primary: "true", useForSearch: true };
  const own = { key: "true", setProperty: "Associated property" };
  const further = [...new Set([...keys, ...others])].filter((name) => name !== key && name !== text);
  return [
    ...(key === text ? [{ ...shown, ...own }] : [{ value: `.${key}`, ...own }, shown]),
    ...further.map((name) => ({ value: `.${name}`, secondary: "true" })),
    ...Array.from(set, ([name, column]) => ({ value: `.${column}`, secondary: "true", setProperty: `.${name}` })),
  ];
}

/** Describes the parameters of a data view: constants, and fields of the same page. */
export function describeParameters(parameters: ReadonlyMap<string, Argument>): JsonObject {
  return Object.fromEntries(Array.from(parameters, ([name, argument]) => [name, describeArgument(argument)]));
}

function describeArgument(argument: Argument): JsonValue {
  return "value" in argument ? argument.value : `@P .${argument.field.join(".")}`;
}

/** Describes the declaration of a field. */
export function describeField(field: Field, classId: string, isKey: boolean): JsonObject {
  const { label, help, maxLength, calculated, embedded, reference, show, type: fieldType } = field;
  const [type, displayAs] = SHOWN[fieldType];
  const validateAs = VALIDATORS[fieldType];
  const datasource = describeDatasource(field);
  return {
    classID: classId,
    type,
    displayAs: show === undefined && field.choices === undefined ? displayAs : getControl(field)[1],
    label,
    ...(maxLength !== undefined && { maxLength }),
    ...(isKey && { isClassKey: true }),
    ...(calculated && { isDeclarativeTarget: true }),
    ...(validateAs !== undefined && { validateAs }),
    ...(datasource && { datasource }),
    ...(help !== undefined && { additionalInformation: `@PARAGRAPH ${nameHelp(field)}` }),
    ...(embedded && {
      pageClass: embedded.classId,
      dataRetrievalType: reference === undefined && fieldType !== "Attachment" ? "manual" : "refer",
    }),
  };
}

/** Returns the name of the paragraph with the help of a field. */
export function nameHelp({ name }: Field): string {
  return `${name}_additionalInfo`;
}

function describeDatasource({ name, type, values, choices, category }: Field): JsonObject | undefined {
  if (values !== undefined) {
    return { tableType: "PromptList", records: values.map((value) => ({ key: value, value })) };
  }
  if (type === "Attachment") {
    return { name: "D_AttachmentFieldInfo", parameters: { AttachmentFieldName: name, Category: category } };
  }
  return choices && describeDataPage(choices);
}

function describeDataPage({ classId, dataView, value, text, parameters }: Choices): JsonObject {
  return {
    tableType: "DataPage",
    tableClass: classId,
    name: dataView,
    propertyForDisplayText: `@P .${text}`,
    propertyForValue: `@P .${value}`,
    parameters: Array.from(parameters, ([name, argument]) => ({ name, value: describeArgument(argument) })),
  };
}
