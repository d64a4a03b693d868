/** Checks the values of an application definition, and makes the application of them. */
import { z } from "zod";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { compileAgents } from "./compile/agents.ts";
import type { Application } from "./model/application.ts";
import { compileCaseTypes } from "./compile/case_types.ts";
import { compileDataTypes, compileDataViews } from "./compile/data_views.ts";
import type { Finding, Report } from "./findings.ts";
import { missing } from "./compile/references.ts";
import { type Definition, definitionSchema } from "./schema/schema.ts";
import { compileMessageTypes } from "./compile/social.ts";
import { compileUserInterface } from "./compile/user_interface.ts";

/** A definition that was checked. */
export interface Checked {
  /** The application, where nothing is wrong. */
  readonly application?: Application;
  /** What is wrong. */
  readonly findings: readonly Finding[];
}

/** Makes an application of the values of a definition. */
export function checkDefinition(value: unknown): Checked {
  const checked = definitionSchema.safeParse(value, { error: knownKeys });
  if (!checked.success) return { findings: checked.error.issues.flatMap(findingsOf) };
  const findings: Finding[] = [];
  const application = compileApplication(checked.data, (path, message) => findings.push({ path, message }));
  return findings.length === 0 ? { application, findings } : { findings };
}

function compileApplication(definition: Definition, report: Report): Application {
  const caseTypes = compileCaseTypes(definition, report);
  const dataTypes = compileDataTypes(definition, report);
  const dataViews = compileDataViews(definition, caseTypes, dataTypes, report);
  const operators = Object.entries(definition.operators).map(([id, operator]) => {
    for (const [index, queue] of operator.queues.entries()) {
      if (definition.queues[queue] === undefined) {
        report(["operators", id, "queues", index], missing("queue", queue, Object.keys(definition.queues)));
      }
    }
    return [id, { id, ...operator }] as const;
  });
  if (operators.length === 0) report(["operators"], "an application needs an operator");
  return {
    ...definition.application,
    operators: new Map(operators),
    queues: new Map(Object.entries(definition.queues).map(([id, { name }]) => [id, name])),
    caseTypes,
    dataTypes,
    dataViews,
    messageTypes: compileMessageTypes(definition.messageTypes, definition.queues, report),
    ...compileUserInterface(definition, { caseTypes, dataTypes, dataViews }, report),
    agents: compileAgents("agents", definition.agents, caseTypes, report),
    assistants: compileAgents("assistants", definition.assistants, caseTypes, report),
  };
}

type Issue = z.core.$ZodIssue;

/** Of keys that are not known: those that are, which the issue does not say otherwise. */
function knownKeys({ code, inst }: z.core.$ZodRawIssue): string | undefined {
  return code === "unrecognized_keys" && inst instanceof z.ZodObject ? Object.keys(inst.shape).join(" ") : undefined;
}

/** The check's issues in our words, each at the key that it is about. */
function findingsOf(issue: Issue): Finding[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: `'${key}' is not known here${suggestAlternatives(key, issue.message.split(" "))}`,
      atKey: true,
    }));
  }
  if (issue.code === "invalid_key") {
    const reason = issue.issues[0]?.message ?? issue.message;
    return [{ path: issue.path, message: `the name '${String(issue.path.at(-1))}' ${reason}`, atKey: true }];
  }
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) {
    return [{ path: issue.path, message: `'${String(issue.path.at(-1))}' is missing` }];
  }
  const name = issue.path.findLast((key) => typeof key === "string");
  return [{ path: issue.path, message: name === undefined ? issue.message : `'${String(name)}': ${issue.message}` }];
}
