/** Views of embedded lists. */
import type { JsonObject } from "../../../../utils/json.ts";
import type { EmbeddedClass, FormCondition, RowDisplay, ViewField } from "../../../application/model/field.ts";
import { type Component, describeCondition } from "./components.ts";

/** The already described parts of a list's view. */
export interface ListParts {
  /** ID of the view. */
  readonly id: string;
  /** Class of the page with the list. */
  readonly classId: string;
  readonly embedded: EmbeddedClass;
  readonly rows: RowDisplay;
  /** ID of the view of a row. Undefined if rows are edited in the table. */
  readonly rowView?: string;
  /** Components of the columns. */
  readonly columns: readonly Component[];
  /** Reference to the translations of its labels. */
  readonly localeReference: string;
}

/** Describes the view of an embedded list. */
export function describeList({ field, readOnly, label }: ViewField, parts: ListParts): JsonObject {
  const { id, classId, embedded, rows, rowView, columns, localeReference } = parts;
  const noun = field.rowLabel ?? toSingular(label.toLowerCase());
  const isRepeating = rows.layout === "repeating";
  return {
    name: id,
    type: "View",
    classID: classId,
    config: {
      type: "multirecordlist",
      template: "SimpleTable",
      name: field.name,
      ruleClass: classId,
      referenceList: `@P .${field.name}`,
      contextClass: embedded.classId,
      parentClass: classId,
      renderMode: readOnly ? "ReadOnly" : "Editable",
      multiRecordDisplayAs: isRepeating ? "fieldGroup" : rows.layout,
      dataRetrievalType: "MANUAL",
      targetClassLabel: `@L ${noun}`,
      ...describeHeading(rows, noun),
      ...(!isRepeating && { editMode: rows.editing === "inline" ? "tableRows" : "modal" }),
      ...(rowView !== undefined && describeDialog(rows, rowView)),
      ...describeAllowed(rows),
      localeReference,
      ...(!isRepeating && { children: [{ name: "Columns", type: "Region", children: [...columns] }] }),
    },
    children: isRepeating && rowView !== undefined
      ? [{ name: "view", type: "Region", children: [describeRowReference(rowView, embedded.classId)] }]
      : [],
  };
}

/** Describes the dialog in which a row is edited: a view, or an action, which is a view that is submitted. */
function describeDialog({ editing, editView }: RowDisplay, rowView: string): JsonObject {
  if (editing === "modal") {
    const edit = editView && { useSeparateViewForEdit: true, editView: editView.id };
    return { editModeConfig: { defaultView: rowView, ...edit } };
  }
  if (editing === "action") {
    const edit = editView && { useSeparateActionForEdit: true, editAction: editView.id };
    return { editModeConfig: { editType: "action", defaultAction: rowView, ...edit } };
  }
  return {};
}

/** Returns the singular of a regular plural, e.g. `stand`, `category` or `address`. */
function toSingular(plural: string): string {
  if (/[^aeiou]ies$/.test(plural)) return plural.replace(/ies$/, "y");
  return plural.replace(/(?<=ss|x|z|ch|sh)es$|(?<![sui])s$/, "");
}

function describeRowReference(rowView: string, classId: string): JsonObject {
  return {
    type: "reference",
    config: { type: "view", name: rowView, context: `@CLASS ${classId}`, ruleClass: classId },
  };
}

function describeHeading({ heading }: RowDisplay, noun: string): JsonObject {
  if (heading === undefined) return { heading: `@L ${noun}` };
  return "field" in heading
    ? { fieldHeader: "propertyRef", heading: `.${heading.field}` }
    : { heading: `@L ${heading.text}` };
}

function describeAllowed({ isFixed, allow, allowRow }: RowDisplay): JsonObject {
  const actions = describeConditions({
    allowEdit: allow.edit,
    ...(!isFixed && { allowAdd: allow.add, allowDelete: allow.delete, allowDragDrop: allow.move }),
  });
  return {
    ...(isFixed && { allowTableEdit: false }),
    ...(Object.keys(actions).length > 0 && { allowActions: actions }),
    ...describeConditions({ allowRowEdit: allowRow.edit, allowRowDelete: allowRow.delete }),
  };
}

function describeConditions(conditions: Readonly<Record<string, FormCondition | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(conditions).flatMap(([name, condition]) =>
      condition === undefined ? [] : [[name, describeCondition(condition)]]
    ),
  );
}
