/** Compiles fields and views. */
import { mapValues } from "../../../utils/map_values.ts";
import { checkFieldValue } from "../expressions/field_values.ts";
import { type FieldShape, type FieldShapes, toShapes } from "../expressions/field_shape.ts";
import { isFreeName, isSound, Vocabulary } from "../expressions/vocabulary.ts";
import { type EmbeddedClass, type Field, toViewField, type View, type ViewField } from "../model/field.ts";
import type { FieldDefinition, FormDefinition, ViewDefinitions } from "../schema/field_format.ts";
import type { DefinitionPlace } from "./definition_place.ts";

/** The fields of a class, with the vocabulary of expressions over them. */
export interface FieldSet {
  /** Fields by name, in order. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly words: Vocabulary;
}

type FieldDefinitions = Readonly<Record<string, FieldDefinition>>;

/** Compiles the fields of a class. */
export function compileFields(definitions: FieldDefinitions, classId: string, place: DefinitionPlace): FieldSet {
  const shapes = mapValues(definitions, toShape);
  const words = new Vocabulary(shapes);
  const fields = place.compileAll(definitions, (name, definition, at) => {
    return compileField(name, definition, words, classId, at);
  });
  checkOrder(definitions, shapes, words, place);
  return { fields, words };
}

/** The page of an attachment field. */
const ATTACHMENT: EmbeddedClass = {
  classId: "Link-Attachment",
  fields: new Map([["ID", { name: "ID", type: "Text", label: "ID of the attachment", required: false }]]),
};

function toShape(definition: FieldDefinition): FieldShape {
  if (definition.type === "Attachment") return { ...definition, fields: toShapes(ATTACHMENT.fields.values()) };
  return "fields" in definition ? { ...definition, fields: mapValues(definition.fields, toShape) } : definition;
}

function compileField(
  name: string,
  definition: FieldDefinition,
  words: Vocabulary,
  classId: string,
  place: DefinitionPlace,
): Field {
  const { type, label = toLabel(name), required = false } = definition;
  if (!isFreeName(name)) place.report(`'${name}' has a meaning in expressions: choose another name`);
  if (definition.type === "Attachment") {
    const { category } = definition;
    return { name, type, label, required, category, embedded: ATTACHMENT };
  }
  const { calculated } = definition;
  const common = {
    name,
    type,
    label,
    required,
    calculated: calculated === undefined ? undefined : words.compile(calculated, place.at("calculated").report, type),
  };
  if ("fields" in definition) {
    const embeddedId = definition.class ?? `${classId}-${name}`;
    const { fields } = compileFields(definition.fields, embeddedId, place.at("fields"));
    return { ...common, embedded: { classId: embeddedId, fields } };
  }
  const field = { ...definition, ...common };
  const issue = field.default === undefined ? undefined : checkFieldValue(field, field.default);
  if (issue !== undefined) place.at("default").report(`'default': ${issue}`);
  return field;
}

/**
 * Checks that calculated fields use only calculated fields above them. A field that uses itself, or a field below it,
 * would see the value of the computation before.
 */
function checkOrder(
  definitions: FieldDefinitions,
  shapes: FieldShapes,
  words: Vocabulary,
  place: DefinitionPlace,
): void {
  const calculated = Object.entries(definitions).flatMap(([name, definition]) => {
    const source = "calculated" in definition ? definition.calculated : undefined;
    return source === undefined ? [] : [{ name, source }];
  });
  const order = new Map(calculated.map(({ name }, index) => [name, index]));
  for (const [index, { name, source }] of calculated.entries()) {
    const late = (source.match(/\w+/g) ?? []).find((word) => {
      if ((order.get(word) ?? -1) < index) return false;
      const { [word]: _, ...others } = shapes;
      // The word may be part of a text, or the name of something else.
      return isSound(words, source) && !isSound(new Vocabulary(others), source);
    });
    if (late === undefined) continue;
    const reason = late === name
      ? "from itself"
      : `from '${late}', which is computed after it: move '${late}' above it`;
    place.at(name, "calculated").report(`'${name}' is calculated ${reason}`);
  }
}

/** Compiles the views of a class. `pyDetails` shows all fields unless it is defined. */
export function compileViews(
  definitions: ViewDefinitions | undefined,
  fields: ReadonlyMap<string, Field>,
  place: DefinitionPlace,
): Map<string, View> {
  const views = place.compileAll(definitions, (id, { name = toLabel(id), fields: shown }, at) => {
    return compileView(id, name, shown, fields, at.at("fields"));
  });
  return new Map([["pyDetails", createView("pyDetails", "Details", fields)], ...views]);
}

/** Compiles the fields of a view. */
export function compileView(
  id: string,
  name: string,
  definitions: NonNullable<FormDefinition["fields"]>,
  fields: ReadonlyMap<string, Field>,
  place: DefinitionPlace,
): View {
  const shown = new Map<string, ViewField>();
  for (const [index, definition] of definitions.entries()) {
    const { field: fieldName, ...overrides } = typeof definition === "string" ? { field: definition } : definition;
    const field = place.at(index).resolve("field", fieldName, fields);
    if (shown.has(fieldName)) place.at(index).report(`the form has the field '${fieldName}' already`);
    if (field !== undefined) shown.set(fieldName, toViewField(field, overrides));
  }
  return { id, name, fields: shown };
}

/** Creates a view of all fields of a class. */
export function createView(
  id: string,
  name: string,
  fields: ReadonlyMap<string, Field>,
  overrides: { readonly required?: boolean } = {},
): View {
  return { id, name, fields: new Map([...fields].map(([key, field]) => [key, toViewField(field, overrides)])) };
}

/** Compiles the view that a form names or defines. Returns `fallback` if it does neither. */
export function compileForm(
  definition: FormDefinition,
  { id, name }: Pick<View, "id" | "name">,
  { fields, views }: { readonly fields: ReadonlyMap<string, Field>; readonly views: ReadonlyMap<string, View> },
  place: DefinitionPlace,
  fallback: View = { id, name, fields: new Map() },
): View {
  if (definition.fields !== undefined) {
    if (definition.view !== undefined) place.at("view").report("use either 'view' or 'fields', not both");
    return compileView(id, name, definition.fields, fields, place.at("fields"));
  }
  if (definition.view === undefined) return fallback;
  return place.at("view").resolve("view", definition.view, views) ?? fallback;
}

/** Formats an ID as a label, e.g. `Site_Visit` as `Site Visit`. */
export function toLabel(id: string): string {
  return id.replaceAll("_", " ");
}
