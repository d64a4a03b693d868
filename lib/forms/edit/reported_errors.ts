/** Assigns the errors that a service reports to the parts of a form. */
import { filterObjects, isJsonObject, isNonEmptyString, type JsonObject } from "../../../utils/json.ts";
import type { FormQuestion } from "../nodes.ts";
import { findQuestion, findReferenceByKey, type FormState } from "./state.ts";

/** Shows the errors of a rejected submission at their fields. */
export function applyReportedErrors(state: FormState, error: object): FormState {
  const source: JsonObject = isJsonObject(error) ? error : { ...error };
  const details = filterObjects(source.details ?? source.errorDetails);
  const errors = new Map<string, string[]>();
  const messages: string[] = [];
  const hasOthers = details.some((detail) => !isGeneric(detail));
  for (const detail of details) {
    if (isGeneric(detail) && hasOthers) continue;
    const question = findConcerned(state, detail);
    const general = question === undefined ? source.localizedValue : undefined;
    const text = [detail.localizedValue, general, detail.message].find(isNonEmptyString) ?? "";
    if (question === undefined) messages.push(text);
    else errors.set(question.path, [...errors.get(question.path) ?? [], text]);
  }
  if (details.length === 0) {
    const text = [source.localizedValue, Reflect.get(error, "message")].find(isNonEmptyString);
    if (text !== undefined) messages.push(text);
  }
  return { ...state, errors, messages };
}

function findConcerned(state: FormState, detail: JsonObject): FormQuestion | undefined {
  const { erroneousInputOutputFieldInPage: page, erroneousInputOutputIdentifier: member } = detail;
  const place = isNonEmptyString(page) ? page : "";
  const name = isNonEmptyString(member) ? member.replace(/^\./, "") : "";
  const candidates = [name === "" ? "" : `${place}.${name}`, place, name].filter(isNonEmptyString);
  for (const candidate of candidates) {
    const question = findQuestion(state, candidate);
    if (question?.isVisible) return question;
    const reference = findReferenceByKey(state, candidate);
    if (reference?.isVisible) return reference;
  }
  return undefined;
}

function isGeneric(
  { erroneousInputOutputFieldInPage: page, erroneousInputOutputIdentifier: member, message, localizedValue }:
    JsonObject,
): boolean {
  if (isNonEmptyString(page) || isNonEmptyString(member)) return false;
  return message === "Error_Validation_Fail" || /^validation failed/i.test(String(localizedValue ?? message ?? ""));
}
