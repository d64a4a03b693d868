/** Compiles an application definition. */
import { type Application, LONGEST_MESSAGE, type MessageType, PLAIN_MESSAGE } from "../model/application.ts";
import { type Field, toViewField } from "../model/field.ts";
import type { Definition } from "../schema/definition.ts";
import type { DefinitionIssue } from "../schema/issues.ts";
import { compileAgents } from "./agents.ts";
import { compileCaseTypes } from "./case_types.ts";
import { compileDataTypes, compileDataViews } from "./data_views.ts";
import { compileUserInterface } from "./interface.ts";
import { DefinitionPlace } from "./definition_place.ts";

/** Compiles a definition: resolves its references and compiles its expressions. */
export function compileApplication(
  definition: Definition,
): { readonly application: Application } | { readonly issues: DefinitionIssue[] } {
  const issues: DefinitionIssue[] = [];
  const place = new DefinitionPlace(issues);
  const queues = new Map(Object.entries(definition.queues).map(([id, { name }]) => [id, name]));
  const operators = place.at("operators").compileAll(definition.operators, (id, operator, at) => {
    for (const [index, queue] of operator.queues.entries()) at.at("queues", index).checkExists("queue", queue, queues);
    return { id, ...operator };
  });
  const dataTypes = compileDataTypes(definition, place.at("dataTypes"));
  const caseTypes = compileCaseTypes(definition, dataTypes, place.at("caseTypes"));
  const dataViews = compileDataViews(definition, caseTypes, dataTypes, place.at("dataViews"));
  const application = {
    ...definition.application,
    operators,
    queues,
    caseTypes,
    dataTypes,
    dataViews,
    messageTypes: compileMessageTypes(definition, queues, place.at("messageTypes")),
    ...compileUserInterface(definition, { caseTypes, dataTypes, dataViews }, place),
    agents: compileAgents(definition.agents, definition, caseTypes, place.at("agents")),
    assistants: compileAgents(definition.assistants, definition, caseTypes, place.at("assistants")),
  };
  return issues.length === 0 ? { application } : { issues };
}

function compileMessageTypes(
  { messageTypes }: Definition,
  queues: ReadonlyMap<string, string>,
  place: DefinitionPlace,
): Map<string, MessageType> {
  const plain: Definition["messageTypes"] = { [PLAIN_MESSAGE]: { name: "Message", maxLength: LONGEST_MESSAGE } };
  return place.compileAll({ ...plain, ...messageTypes }, (id, { name, maxLength, queue }, at) => {
    if (queue !== undefined) at.at("queue").checkExists("queue", queue, queues);
    const field: Field = { name: "pyMessage", type: "TextArea", label: "Message", required: true, maxLength };
    const view = { id: "pyCreate", name, fields: new Map([[field.name, toViewField(field)]]) };
    return { id, name, maxLength, queue, view };
  });
}
