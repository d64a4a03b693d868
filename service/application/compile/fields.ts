/** Compiles fields. */
import { mapValues } from "../../../utils/map_values.ts";
import { checkFieldValue } from "../expressions/field_values.ts";
import { type Callers, type FieldShape, type FieldShapes, toShapes } from "../expressions/field_shape.ts";
import { isFreeName, isSound, Vocabulary } from "../expressions/vocabulary.ts";
import type { EmbeddedClass, Field } from "../model/field.ts";
import type { FieldDefinition } from "../schema/field_format.ts";
import type { DefinitionPlace } from "./definition_place.ts";
import { compileChoices, compileReference, findRecordType, isReference, type RecordSources } from "./references.ts";
import { compileViews, type FieldSet, toLabel } from "./views.ts";

type FieldDefinitions = Readonly<Record<string, FieldDefinition>>;

/** The class whose fields are compiled. */
interface ClassContext {
  readonly id: string;
  readonly definitions: FieldDefinitions;
  readonly words: Vocabulary;
  readonly callers: Callers;
  /** The records that the fields may refer to. Undefined if they may not refer to records. */
  readonly sources?: RecordSources;
}

/** Compiles the fields of a class. */
export function compileFields(
  definitions: FieldDefinitions,
  classId: string,
  place: DefinitionPlace,
  callers: Callers,
  sources?: RecordSources,
): FieldSet {
  const shapes = mapValues(definitions, (definition) => toShape(definition, sources));
  const words = new Vocabulary(shapes, callers);
  const context = { id: classId, definitions, words, callers, sources };
  const fields = place.compileAll(definitions, (name, definition, at) => compileField(name, definition, context, at));
  checkOrder(definitions, shapes, words, place);
  return { fields, words };
}

/** The page of an attachment field. */
const ATTACHMENT: EmbeddedClass = {
  classId: "Embed-Attach-File",
  fields: new Map([["ID", { name: "ID", type: "Text", label: "ID of the attachment", required: false }]]),
};

function toShape(definition: FieldDefinition, sources: RecordSources | undefined): FieldShape {
  if (definition.type === "Attachment") return { ...definition, fields: toShapes(ATTACHMENT.fields.values()) };
  if (isReference(definition)) {
    const { type, fields } = findRecordType(definition, sources);
    return { type, fields: toShapes(fields.values()) };
  }
  if (definition.type === "Copy") return { type: "Page" };
  return "fields" in definition
    ? { ...definition, fields: mapValues(definition.fields, (field) => toShape(field, sources)) }
    : definition;
}

function compileField(
  name: string,
  definition: FieldDefinition,
  context: ClassContext,
  place: DefinitionPlace,
): Field {
  const { id: classId, definitions, words, callers, sources } = context;
  const { label = toLabel(name), help, required = false } = definition;
  if (!isFreeName(name)) place.report(`'${name}' has a meaning in expressions: choose another name`);
  if (definition.type === "Attachment") {
    const { type, category, extensions } = definition;
    return { name, type, label, help, required, category, extensions, embedded: ATTACHMENT };
  }
  if (isReference(definition)) {
    return { name, label, help, required, ...compileReference(definition, definitions, sources, place) };
  }
  if (definition.type === "Copy") {
    return {
      name,
      label,
      help,
      required,
      ...compileCopy(definition, context, place),
    };
  }
  const { type, calculated } = definition;
  const common = {
    name,
    type,
    label,
    help,
    required,
    calculated: calculated === undefined
      ? undefined
      : words.compileValue(calculated, definition, place.at("calculated").report),
  };
  if ("fields" in definition) {
    const { rowLabel } = definition;
    if (rowLabel !== undefined && type !== "List") {
      place.at("rowLabel").report(`'rowLabel' is for the type List, not for ${type}`);
    }
    const embeddedId = definition.class ?? `${classId}-${name}`;
    const own = compileFields(definition.fields, embeddedId, place.at("fields"), callers, sources);
    const views = compileViews(definition.views, own, place.at("views"));
    return { ...common, rowLabel, embedded: { classId: embeddedId, fields: own.fields, views } };
  }
  if ("currency" in definition && definition.currency !== undefined && type !== "Currency") {
    place.at("currency").report(`'currency' is for the type Currency, not for ${type}`);
  }
  if ("currency" in definition && definition.currency?.startsWith(".")) {
    place.at("currency").checkExists("field", definition.currency.slice(1), new Set(Object.keys(definitions)));
  }
  if (type !== "Integer" && type !== "Dropdown" && "choices" in definition && definition.choices !== undefined) {
    place.at("choices").report(`'choices' is for the types Dropdown and Integer, not for ${type}`);
  }
  const choices = "choices" in definition && definition.choices !== undefined
    ? compileChoices(definition.choices, definitions, sources, place.at("choices"))
    : undefined;
  const field = { ...definition, ...common, choices };
  const issue = field.default === undefined ? undefined : checkFieldValue(field, field.default);
  if (issue !== undefined) place.at("default").reportValue(`'default': ${issue}`, type, field.default);
  if (type === "UserReference") words.checkOperator(String(field.default ?? ""), place.at("default").report);
  return field;
}

/** Compiles a page into which a row of a list is copied: its plain fields, and the label of the row. */
function compileCopy(
  { of, key }: Extract<FieldDefinition, { type: "Copy" }>,
  context: ClassContext,
  place: DefinitionPlace,
): Pick<Field, "type" | "copy" | "embedded"> {
  const list = place.at("of").resolve("field", of, new Map(Object.entries(context.definitions)));
  if (list?.type !== "List") {
    if (list !== undefined) place.at("of").report(`'${of}' is not a list`);
    return { type: "Page" };
  }
  const { embedded = { classId: "", fields: new Map<string, Field>() } } = compileField(
    of,
    list,
    context,
    place.at("of"),
  );
  const label: Field = { name: "pyLabel", type: "Text", label: "Label", required: false };
  const members = [...embedded.fields.values()].filter((field) => field.embedded === undefined);
  const fields = [label, ...members.map(({ calculated: _, default: __, ...field }) => ({ ...field, required: false }))];
  place.at("key").checkExists("field", key, embedded.fields);
  return {
    type: "Page",
    copy: { list: of, key },
    embedded: { ...embedded, fields: new Map(fields.map((field) => [field.name, field])) },
  };
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
