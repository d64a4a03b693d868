/** Walks over the parts of a form. */
import type { FormNode, FormQuestion } from "../nodes.ts";

/** Lists the parts that hold a value, in order: also hidden ones, those of rows, and the details of records. */
export function* walkQuestions(nodes: readonly FormNode[]): Generator<FormQuestion> {
  for (const node of nodes) {
    if (node.type === "note") continue;
    if (node.type === "group") {
      yield* walkQuestions(node.children);
      continue;
    }
    yield node;
    if (node.type === "list") { for (const row of node.rows) yield* walkQuestions(row.nodes); }
    if (node.type === "reference") yield* walkQuestions(node.details);
  }
}

/** Lists the visible parts that hold a value, each once. A part that is also drawn read-only can be edited. */
export function listQuestions(nodes: readonly FormNode[]): FormQuestion[] {
  const found = new Map<string, FormQuestion>();
  for (const question of walkVisible(nodes)) {
    const known = found.get(question.path);
    if (known === undefined || (known.isReadOnly && !question.isReadOnly)) found.set(question.path, question);
  }
  return [...found.values()];
}

function* walkVisible(nodes: readonly FormNode[]): Generator<FormQuestion> {
  for (const node of nodes) {
    if (!node.isVisible) continue;
    if (node.type === "group") yield* walkVisible(node.children);
    else if (node.type !== "note") yield node;
  }
}

/** Lists the visible texts that say what cannot be shown. */
export function listProblemNotes(nodes: readonly FormNode[]): string[] {
  return nodes.flatMap((node) => {
    if (!node.isVisible) return [];
    if (node.type === "group") return listProblemNotes(node.children);
    return node.type === "note" && node.isProblem ? [node.text] : [];
  });
}

/** Reports whether a visible part shows a value that the service computes. */
export function hasComputedValue(question: FormQuestion): boolean {
  if (question.type === "field") return question.isComputed && question.path !== "" && question.isVisible;
  if (question.type !== "list") return false;
  return [...question.rows.map(({ nodes }) => nodes), question.newRow].some((nodes) =>
    listQuestions(nodes).some(hasComputedValue)
  );
}
