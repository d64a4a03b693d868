/** Compiles agents and assistants. */
import { caseFold } from "../../../utils/text/case_fold.ts";
import { type Callers, type FieldShapes, toShapes } from "../expressions/field_shape.ts";
import { Vocabulary } from "../expressions/vocabulary.ts";
import { type Agent, type AnswerScript, type ChatModel, MESSAGE_VARIABLE } from "../model/agent.ts";
import type { CaseType } from "../model/case_type.ts";
import type { AgentDefinition, ScriptDefinition } from "../schema/agent_format.ts";
import type { DefinitionPlace } from "./definition_place.ts";

/** Compiles agents or assistants. */
export function compileAgents(
  definitions: Readonly<Record<string, AgentDefinition>>,
  callers: Callers,
  caseTypes: ReadonlyMap<string, CaseType>,
  place: DefinitionPlace,
): Map<string, Agent> {
  return place.compileAll(definitions, (id, definition, at) => {
    const { name, external = true, caseType, starterQuestion, initialInstruction, suggestedPrompts } = definition;
    const shapes = getCaseShapes(caseType, caseTypes, at.at("caseType"));
    const words = new Vocabulary({ ...shapes, [MESSAGE_VARIABLE]: { type: "Text" } }, callers);
    const answers = compileAnswers(definition, words, at);
    return { id, name, external, caseType, starterQuestion, initialInstruction, suggestedPrompts, answers };
  });
}

function getCaseShapes(
  id: string | undefined,
  caseTypes: ReadonlyMap<string, CaseType>,
  place: DefinitionPlace,
): FieldShapes {
  if (id === undefined) return {};
  const { fields } = place.resolve("case type", id, caseTypes) ?? {};
  if (fields?.has(MESSAGE_VARIABLE)) {
    place.report(`the field '${MESSAGE_VARIABLE}' of '${id}' has the name of the message to answer: rename the field`);
  }
  return toShapes(fields?.values() ?? []);
}

function compileAnswers(
  { script, model }: AgentDefinition,
  words: Vocabulary,
  place: DefinitionPlace,
): AnswerScript | ChatModel {
  if (model === undefined) return compileScript(script ?? { rules: [], fallback: "" }, words, place.at("script"));
  const instructions = words.compileTemplate(model.instructions, place.at("model", "instructions").report);
  return { ...model, kind: "model", instructions };
}

function compileScript({ rules, fallback }: ScriptDefinition, words: Vocabulary, place: DefinitionPlace): AnswerScript {
  return {
    kind: "script",
    rules: rules.map(({ contains, like, when, answer, followUps }, index) => {
      const at = place.at("rules", index);
      return {
        matches: createMatcher(contains, like),
        when: words.compileCondition(when, at.at("when").report),
        answer: words.compileTemplate(answer, at.at("answer").report),
        followUps,
      };
    }),
    fallback: words.compileTemplate(fallback, place.at("fallback").report),
  };
}

/** Creates a function that matches messages. Without regular expressions, its time grows linearly with the message. */
function createMatcher(
  contains: string | readonly string[] | undefined,
  like: string | undefined,
): (message: string) => boolean {
  const texts = (typeof contains === "string" ? [contains] : contains)?.map(caseFold);
  const pieces = like === undefined ? undefined : caseFold(like).split("*");
  return (message) => {
    const folded = caseFold(message.trim());
    if (texts !== undefined && !texts.some((text) => folded.includes(text))) return false;
    return pieces === undefined || matchesPieces(folded, pieces);
  };
}

/** Reports whether a text consists of these pieces with anything between them. */
function matchesPieces(text: string, [first = "", ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let end = first.length;
  for (const piece of rest) {
    const start = text.indexOf(piece, end);
    if (start < 0) return false;
    end = start + piece.length;
  }
  return text.length - last.length >= end && text.endsWith(last);
}
