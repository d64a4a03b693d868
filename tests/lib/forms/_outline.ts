/** Prints a form as lines of text, for comparison. */
import type { Form, FormNode, FormQuestion, JsonValue } from "../../../lib/forms/mod.ts";

/** Returns a line for each part of a form, indented by its depth. */
export function outline(form: Form): string[] {
  return listLines(form.nodes);
}

/** Returns `path: kind "label"` of each question, in order. */
export function asked(form: Form): string[] {
  return form.questions.map(nameQuestion);
}

/** Returns `label: text` of everything that is shown, in order. */
export function shown(form: Form): string[] {
  return form.shown.map((question) => `${question.label}: ${describeValue(question)}`);
}

/** Returns the paths of the questions. */
export function paths(form: Form): string[] {
  return form.questions.map(({ path }) => path);
}

function listLines(nodes: readonly FormNode[]): string[] {
  return nodes.flatMap((node) => listPart(node));
}

function listPart(node: FormNode): string[] {
  const hidden = node.isVisible ? "" : " (hidden)";
  if (node.type === "note") return [`${node.isProblem ? "problem" : "note"}: ${node.text}${hidden}`];
  if (node.type === "group") {
    const instructions = node.instructions === "" ? [] : [`> ${node.instructions}`];
    return [`# ${node.label}${hidden}`, ...indent([...instructions, ...listLines(node.children)])];
  }
  const flags = [
    node.isRequired ? "required" : "",
    node.isReadOnly ? "read-only" : "",
    node.isVisible ? "" : "hidden",
    node.cannotFill === undefined ? "" : "cannot fill",
  ].filter((flag) => flag !== "");
  const line = `${nameQuestion(node)} = ${describeValue(node)}${flags.length > 0 ? ` (${flags.join(", ")})` : ""}`;
  if (node.type === "list") {
    return [line, ...indent(node.rows.flatMap(({ heading, nodes }) => [`- ${heading}`, ...indent(listLines(nodes))]))];
  }
  return node.type === "reference" ? [line, ...indent(listLines(node.details))] : [line];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function nameQuestion(question: FormQuestion): string {
  const { type, path, label } = question;
  const kind = type === "field" ? question.kind : type === "reference" ? `${question.mode} reference` : type;
  return `${path}: ${kind} "${label}"`;
}

function describeValue(question: FormQuestion): JsonValue {
  switch (question.type) {
    case "field":
      return question.text;
    case "list":
      return `[${question.rows.length}]`;
    case "reference":
      return question.chosen.map(({ text }) => text).join(", ");
    case "attachment":
      return question.files.join(", ");
  }
}
