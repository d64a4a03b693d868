/** Compiles fields and views. */
import type { EmbeddedClass, Field, View, ViewField } from "../model/application.ts";
import { nameProblem, type Vocabulary, vocabulary } from "../expressions/expressions.ts";
import type { Path, Report } from "../findings.ts";
import { kindOf } from "../model/kinds.ts";
import { missing } from "./references.ts";
import type { FieldDefinition, ViewFieldDefinition } from "../schema/schema.ts";
import { valueProblem } from "../values.ts";

/** Fields as they are written, by name. */
type FieldDefinitions = Readonly<Record<string, FieldDefinition>>;

/** Fields by name, with the vocabulary of expressions over them. */
export interface FieldSet {
  /** Fields by name, in order. */
  readonly fields: ReadonlyMap<string, Field>;
  /** What expressions can name. */
  readonly words: Vocabulary;
}

const TEXTS = new Set(["Text", "TextArea", "Email", "Phone", "Url"]);

/** Compiles the fields of a class. */
export function compileFields(definitions: FieldDefinitions, classId: string, at: Path, report: Report): FieldSet {
  const words = vocabulary(definitions);
  const fields = new Map<string, Field>();
  for (const [name, definition] of Object.entries(definitions)) {
    fields.set(name, compileField(name, definition, words, classId, [...at, name], report));
  }
  checkOrder(definitions, words, at, report);
  return { fields, words };
}

/** A calculated field sees those before it: of itself, or of one after it, it would see what was computed the last time. */
function checkOrder(definitions: FieldDefinitions, words: Vocabulary, at: Path, report: Report): void {
  const calculated = Object.entries(definitions).filter(([, definition]) => definition.calculated !== undefined);
  const order = new Map(calculated.map(([name], index) => [name, index]));
  for (const [index, [name, { calculated: source = "" }]] of calculated.entries()) {
    const late = (source.match(/\w+/g) ?? []).find((word) => {
      if ((order.get(word) ?? -1) < index) return false;
      const { [word]: _, ...others } = definitions;
      return isSound(words, source) && !isSound(vocabulary(others), source); // It may be a text, or mean something else.
    });
    if (late === undefined) continue;
    const reason = late === name ? "from itself" : `from '${late}', which is computed after it: write '${late}' first`;
    report([...at, name, "calculated"], `'${name}' is calculated ${reason}`);
  }
}

function isSound(words: Vocabulary, source: string): boolean {
  let sound = true;
  words.expression(source, [], () => sound = false);
  return sound;
}

/** Compiles the fields of a view; all of the class's where none are named. */
export function compileView(
  id: string,
  name: string,
  definitions: readonly ViewFieldDefinition[] | undefined,
  fields: ReadonlyMap<string, Field>,
  at: Path,
  report: Report,
): View {
  const shown = new Map<string, ViewField>();
  for (const [index, definition] of (definitions ?? [...fields.keys()]).entries()) {
    const { field: fieldName, ...given } = typeof definition === "string" ? { field: definition } : definition;
    const field = fields.get(fieldName);
    if (field === undefined) report([...at, index], missing("field", fieldName, fields.keys()));
    else if (shown.has(fieldName)) report([...at, index], `the form has '${fieldName}' already`);
    else shown.set(fieldName, viewField(field, given));
  }
  return { id, name, fields: shown };
}

/** Compiles the views of a class; `pyDetails` shows all fields unless it is written. */
export function compileViews(
  definitions: Readonly<Record<string, { name?: string; fields: readonly ViewFieldDefinition[] }>> | undefined,
  fields: ReadonlyMap<string, Field>,
  at: Path,
  report: Report,
): Map<string, View> {
  const views = new Map([["pyDetails", compileView("pyDetails", "Details", undefined, fields, at, report)]]);
  for (const [id, definition] of Object.entries(definitions ?? {})) {
    views.set(
      id,
      compileView(id, definition.name ?? spaced(id), definition.fields, fields, [...at, id, "fields"], report),
    );
  }
  return views;
}

/** The view that an action names or spells out; `fallback` where it does neither. */
export function chooseView(
  definition: { readonly view?: string; readonly fields?: readonly ViewFieldDefinition[] },
  own: { readonly id: string; readonly name: string },
  views: ReadonlyMap<string, View>,
  fields: ReadonlyMap<string, Field>,
  fallback: View | undefined,
  at: Path,
  report: Report,
): View {
  if (definition.fields !== undefined) {
    if (definition.view !== undefined) report([...at, "view"], "a form has 'view' or 'fields', not both");
    return compileView(own.id, own.name, definition.fields, fields, [...at, "fields"], report);
  }
  if (definition.view !== undefined) {
    const view = views.get(definition.view);
    if (view !== undefined) return view;
    report([...at, "view"], missing("view", definition.view, views.keys()));
  }
  return fallback ?? { id: own.id, name: own.name, fields: new Map() };
}

/** A view's field with what the view says of it. */
export function viewField(
  field: Field,
  given: { label?: string; required?: boolean; readOnly?: boolean } = {},
): ViewField {
  const readOnly = given.readOnly === true || field.calculated !== undefined;
  return {
    field,
    label: given.label ?? field.label,
    required: !readOnly && (given.required ?? field.required),
    readOnly,
  };
}

/** `Site_Visit` as `Site Visit`. */
export function spaced(id: string): string {
  return id.replaceAll("_", " ");
}

function compileField(
  name: string,
  definition: FieldDefinition,
  words: Vocabulary,
  classId: string,
  at: Path,
  report: Report,
): Field {
  const { type } = definition;
  const problem = nameProblem(name);
  if (problem !== undefined) report(at, problem);
  checkAttributes(definition, at, report);
  const field: Field = {
    name,
    type,
    label: definition.label ?? spaced(name),
    required: definition.required ?? false,
    default: definition.default,
    calculated: definition.calculated === undefined
      ? undefined
      : words.expression(definition.calculated, [...at, "calculated"], report, type),
    maxLength: definition.maxLength,
    min: definition.min,
    max: definition.max,
    values: definition.values,
    embedded: compileEmbedded(name, definition, classId, at, report),
  };
  const misfit = definition.default === undefined ? undefined : valueProblem(field, definition.default);
  if (misfit !== undefined) report([...at, "default"], misfit);
  return field;
}

function compileEmbedded(
  name: string,
  definition: FieldDefinition,
  classId: string,
  at: Path,
  report: Report,
): EmbeddedClass | undefined {
  if (kindOf(definition.type) !== "embedded") return undefined;
  const embeddedId = definition.class ?? `${classId}-${name}`;
  return {
    classId: embeddedId,
    fields: compileFields(definition.fields ?? {}, embeddedId, [...at, "fields"], report).fields,
  };
}

/** An attribute that a type does not have would be ignored silently. */
function checkAttributes(definition: FieldDefinition, at: Path, report: Report): void {
  const { type } = definition;
  const embedded = kindOf(type) === "embedded";
  const misplaced = (attribute: keyof FieldDefinition, allowed: boolean): void => {
    if (definition[attribute] !== undefined && !allowed) {
      report([...at, attribute], `a field of type ${type} has no '${attribute}'`);
    }
  };
  misplaced("maxLength", TEXTS.has(type));
  misplaced("min", kindOf(type) === "number");
  misplaced("max", kindOf(type) === "number");
  if (Number(definition.min) > Number(definition.max)) {
    report([...at, "min"], `no number is from ${definition.min} to ${definition.max}`);
  }
  misplaced("values", type === "Dropdown");
  misplaced("fields", embedded);
  misplaced("class", embedded);
  misplaced("default", !embedded);
  if (type === "Dropdown" && definition.values === undefined) report(at, "a Dropdown needs 'values'");
  if (embedded && definition.fields === undefined) report(at, `a ${type} needs 'fields'`);
}
