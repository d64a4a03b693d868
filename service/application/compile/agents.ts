/** Compiles agents and assistants. */
import { caseFold } from "../../../utils/text/case_fold.ts";
import type { AssistantDefinition, ModelDefinition, ScriptDefinition } from "../schema/agent_format.ts";
import type { Agent, CaseType, Model, Script } from "../model/application.ts";
import { compileCondition } from "../expressions/conditions.ts";
import { type Shapes, shapesOf, type Vocabulary, vocabulary } from "../expressions/expressions.ts";
import type { Path, Report } from "../findings.ts";
import { missing } from "./references.ts";
import { compileTemplate } from "../expressions/template.ts";

/** The name under which expressions see the message that is answered. */
export const MESSAGE = "message";

/** Compiles the agents, or the assistants. */
export function compileAgents(
  part: "agents" | "assistants",
  definitions: Readonly<Record<string, AssistantDefinition>>,
  caseTypes: ReadonlyMap<string, CaseType>,
  report: Report,
): Map<string, Agent> {
  return new Map(
    Object.entries(definitions).map(([id, definition]) => {
      return [id, compileAgent(id, definition, [part, id], caseTypes, report)];
    }),
  );
}

function compileAgent(
  id: string,
  definition: AssistantDefinition,
  at: Path,
  caseTypes: ReadonlyMap<string, CaseType>,
  report: Report,
): Agent {
  const { name, external = true, caseType, starterQuestion, initialInstruction, suggestedPrompts } = definition;
  const shapes = shapesOfCase(caseType, [...at, "caseType"], caseTypes, report);
  const words = vocabulary({ ...shapes, [MESSAGE]: { type: "Text" } });
  return {
    id,
    name,
    external,
    caseType,
    starterQuestion: starterQuestion ?? "",
    initialInstruction: initialInstruction ?? "",
    suggestedPrompts,
    answers: compileAnswers(definition, at, words, report),
  };
}

function shapesOfCase(
  caseType: string | undefined,
  at: Path,
  caseTypes: ReadonlyMap<string, CaseType>,
  report: Report,
): Shapes {
  if (caseType === undefined) return {};
  const type = caseTypes.get(caseType);
  if (type === undefined) report(at, missing("case type", caseType, caseTypes.keys()));
  if (type?.fields.has(MESSAGE)) {
    report(at, `the field '${MESSAGE}' of '${caseType}' has the name of what a person says: choose another name`);
  }
  return shapesOf(type?.fields.values() ?? []);
}

function compileAnswers(
  { script, model }: AssistantDefinition,
  at: Path,
  words: Vocabulary,
  report: Report,
): Script | Model {
  if ((script === undefined) === (model === undefined)) {
    report(at, "exactly one of 'script' and 'model' says what answers");
  }
  if (model !== undefined) return compileModel(model, [...at, "model"], words, report);
  return compileScript(script ?? { rules: [], fallback: "" }, [...at, "script"], words, report);
}

function compileModel(definition: ModelDefinition, at: Path, words: Vocabulary, report: Report): Model {
  const instructions = compileTemplate(definition.instructions, [...at, "instructions"], words, report);
  return { ...definition, kind: "model", instructions };
}

function compileScript({ rules, fallback }: ScriptDefinition, at: Path, words: Vocabulary, report: Report): Script {
  return {
    kind: "script",
    rules: rules.map(({ contains, like, when, answer, followUps = [] }, index) => {
      const here = [...at, "rules", index];
      if (contains === undefined && like === undefined && when === undefined) {
        report(here, "a rule needs 'contains', 'like' or 'when'; what always holds is the 'fallback'");
      }
      return {
        fits: pattern(contains, like),
        when: compileCondition(when, [...here, "when"], { words, report }),
        answer: compileTemplate(answer, [...here, "answer"], words, report),
        followUps,
      };
    }),
    fallback: compileTemplate(fallback, [...at, "fallback"], words, report),
  };
}

/**
 * Whether a message fits: no regular expressions, so that the time that this takes grows with the length of the message
 * and no faster.
 */
function pattern(
  contains: string | readonly string[] | undefined,
  like: string | undefined,
): (message: string) => boolean {
  const texts = (typeof contains === "string" ? [contains] : contains)?.map(caseFold);
  const pieces = like === undefined ? undefined : caseFold(like).split("*");
  return (message) => {
    const said = caseFold(message.trim());
    if (texts !== undefined && !texts.some((text) => said.includes(text))) return false;
    return pieces === undefined || isLike(said, pieces);
  };
}

/** Whether a text is these pieces with anything in between. */
function isLike(text: string, [first = "", ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let place = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, place);
    if (found < 0) return false;
    place = found + piece.length;
  }
  return text.length - last.length >= place && text.endsWith(last);
}
