/** Enters values in a form, and changes what depends on them. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { readColumn } from "../choices.ts";
import type { Choice, FormField, FormReference } from "../nodes.ts";
import { getObject, type Path } from "../path.ts";
import { isEmptyValue, isSameValue } from "../values.ts";
import { findPage, getContent, type Page, updatePage, withShown, withValue } from "./page.ts";
import { walkQuestions } from "./questions.ts";
import { drawForm, findQuestion, type FormState, toPath, withPage } from "./state.ts";

/** Enters the value of a field, and clears the choices that depend on it. */
export function enterValue(state: FormState, { path, kind }: FormField, value: JsonValue): FormState {
  const place = toPath(path);
  const name = String(place.at(-1));
  const holder = findPage(state.page, place.slice(0, -1));
  const before = holder && getContent(holder)[name];
  const isSame = isSameValue(kind, before, value) && isEmptyValue(before) === isEmptyValue(value);
  const page = updatePage(state.page, place.slice(0, -1), (inner) => withValue(inner, name, value));
  const entered = withoutErrors(withPage(state, page), path);
  return isSame ? entered : clearDependents(entered, [path], new Set([path]));
}

/** Enters the values that a choice also sets. */
export function applySetters(state: FormState, { query }: FormField | FormReference, { row = {} }: Choice): FormState {
  let result = state;
  for (const { column, property } of query?.setters ?? []) {
    const value = readColumn(row, column) ?? "";
    const target = findQuestion(result, property);
    if (target?.type === "field" && !target.isReadOnly) {
      result = enterValue(result, target, value);
      continue;
    }
    const place = toPath(property);
    const page = updatePage(
      result.page,
      place.slice(0, -1),
      (inner) => withShown(inner, String(place.at(-1)), value),
    );
    result = clearDependents(withPage(result, page), [property], new Set([property]));
  }
  return result;
}

/**
 * Refers to a record, or to none if there are no keys. Other members of the page show the row until the service computes
 * them.
 */
export function chooseRecord(
  state: FormState,
  reference: FormReference,
  keys: JsonObject,
  row: JsonObject,
  visited: ReadonlySet<string> = new Set(),
): FormState {
  const { path, mode } = reference;
  const names = mode === "copy" ? listCopied(reference, row, drawForm(state).content, toPath(path)) : reference.keys;
  const page = updatePage(state.page, toPath(path), (inner) => {
    const isStored = mode === "single" && names.every((name) => isSameValue("text", keys[name], inner.stored[name]));
    return {
      ...inner,
      shown: { ...isStored ? inner.stored : blank(inner), ...withoutNulls(row) },
      values: new Map(names.map((name): [string, JsonValue] => [name, keys[name] ?? ""])),
    };
  });
  const entered = withoutErrors(withPage(state, page), path);
  const before = getObject(drawForm(state).content, toPath(path));
  const isSame = names.every((name) => isSameValue("text", keys[name], before[name]));
  const changed = [...names, ...Object.keys(before), ...Object.keys(row)].map((name) => `${path}.${name}`);
  const chosen = isSame ? entered : clearDependents(entered, changed, new Set([...visited, path, ...changed]));
  return mode === "single" ? applySetters(chosen, reference, { key: "", text: "", row }) : chosen;
}

function blank({ shown }: Page): JsonObject {
  const entries = Object.entries(shown).map(([name, value]) =>
    name === "classID" || Array.isArray(value) ? [name, value] as const : [name, ""] as const
  );
  return Object.fromEntries(entries);
}

function withoutNulls({ classID: _, ...row }: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** Returns the members that a copy of a row has, with its label. Members of the platform and lists are not copied. */
export function copyMembers(row: JsonObject, key: string): JsonObject {
  return { ...copyPage(row), pyLabel: row[key] ?? "" };
}

function copyPage(page: JsonObject): JsonObject {
  const members = Object.entries(page).filter(([name, value]) =>
    !/^(?:classID$|p[xyz][A-Z])/.test(name) && !Array.isArray(value)
  );
  return Object.fromEntries(members.map(([name, value]) => [name, isJsonObject(value) ? copyPage(value) : value]));
}

/** Lists the members that a copy sets: those of the row, and those of the page, which it replaces. */
function listCopied({ keys }: FormReference, row: JsonObject, content: JsonObject, path: Path): string[] {
  const [key = ""] = keys;
  const members = [copyMembers(row, key), copyMembers(getObject(content, path), key)].flatMap(Object.keys);
  return [...new Set(members)];
}

/** Clears the choices that depend on changed values, and then the choices that depend on those. */
function clearDependents(state: FormState, changed: readonly string[], visited: Set<string>): FormState {
  let result = state;
  for (const question of walkQuestions(drawForm(state).nodes)) {
    if (question.isReadOnly || visited.has(question.path)) continue;
    const query = question.type === "field" || question.type === "reference" ? question.query : undefined;
    if (!query?.dependsOn.some((path) => changed.includes(path))) continue;
    visited.add(question.path);
    if (question.type === "field" && !isEmptyValue(question.value)) {
      const place = toPath(question.path);
      const page = updatePage(
        result.page,
        place.slice(0, -1),
        (inner) => withValue(inner, String(place.at(-1)), ""),
      );
      result = clearDependents(withPage(result, page), [question.path], visited);
    } else if (question.type === "reference" && question.mode === "single" && question.chosen.length > 0) {
      result = chooseRecord(result, question, {}, {}, visited);
    }
  }
  return result;
}

/** Removes the errors of a part, because its value has changed. */
function withoutErrors(state: FormState, path: string): FormState {
  const errors = new Map(state.errors);
  errors.delete(path);
  return { ...state, errors };
}
