import type { CaseInfo } from "../../lib/resources/cases.ts";
import type { AttachmentsAddParams } from "../../lib/resources/attachments.ts";
import type { Client } from "../../lib/client/client_type.ts";
import { SvcError } from "../../lib/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { mayWorkOnNew } from "../access/case_rights.ts";
import type {
  Action,
  Application,
  AssignmentStep,
  CaseType,
  LocalAction,
  Process,
  Stage,
  View,
} from "../application/model/application.ts";
import type { ActingOperators } from "./acting_operators.ts";
import type { Random } from "./random.ts";
import type { References } from "./references.ts";
import { createSampleFile } from "./sample_file.ts";
import { SampleValues } from "./sample_values.ts";
import { DOCUMENTS, NOTES, TAGS } from "./words.ts";

/** Actions that every case has. They replace a process, so no sample case uses them. */
const STANDARD_ACTIONS = new Set(["pyUpdateCaseDetails", "pyChangeStage"]);

/** Maximum number of moves of a case. */
const MAX_MOVES = 40;

/** Numbers of elements that were added to cases. */
export interface AddedElements {
  notes: number;
  tags: number;
  followers: number;
  participants: number;
  attachments: number;
}

/** A case that is being worked on. */
interface OpenCase {
  readonly id: string;
  readonly type: CaseType;
  readonly values: SampleValues;
  /** Optional processes that were started. */
  readonly started: Set<string>;
  /** Operator who acted last. */
  operator: string;
}

/** A case as an operator sees it. */
interface SeenCase {
  readonly info: CaseInfo;
  readonly etag: string | undefined;
}

/** Creates sample cases, and works on them as operators would. */
export class CaseSeeder {
  /** Numbers of elements that were added to cases. */
  readonly added: AddedElements = { notes: 0, tags: 0, followers: 0, participants: 0, attachments: 0 };
  readonly #app: Application;
  readonly #operators: ActingOperators;
  readonly #random: Random;
  readonly #references: References;
  readonly #resting = new Map<string, number>();
  /** Alternate stages that cases have been moved to. */
  readonly #entered = new Set<Stage>();

  /** Creates cases of an application, and adds their numbers to the references. */
  constructor(app: Application, operators: ActingOperators, random: Random, references: References) {
    this.#app = app;
    this.#operators = operators;
    this.#random = random;
    this.#references = references;
  }

  /** Creates a case and works on it for a while. Returns its handle, or undefined if it cannot be created. */
  async seed(type: CaseType): Promise<string | undefined> {
    const values = this.#createValues();
    const now = new Date();
    const creators = [...this.#app.operators.values()].filter((caller) => mayWorkOnNew(type, { caller, now }));
    const names = this.#random.shuffle(creators.map(({ id }) => id));
    const created = await this.#operators.act(`${type.name}: Create`, names, async (client, operator) => {
      const { id, data } = await client.cases.create({ type: type.id, data: values.fillForm(listCreateFields(type)) });
      return { id, operator, number: data.caseInfo.businessID };
    });
    if (created === undefined) return undefined;
    const { id, operator, number } = created;
    if (number !== undefined) this.#references.add(type.name, number);
    const open = { id, operator, type, values, started: new Set<string>() };
    await this.#addElements(open);
    await this.#work(open);
    return open.id;
  }

  /** Reads a case, as its last operator if possible. */
  async read(
    { id, type, operator = "" }: { id: string; type: CaseType; operator?: string },
  ): Promise<SeenCase | undefined> {
    const others = [...this.#app.operators.keys()].filter((other) => other !== operator);
    return await this.#operators.act(
      `${type.name}: Read`,
      operator === "" ? others : [operator, ...others],
      readCase(id),
    );
  }

  /** Lists the handles and the types of the child cases of a case, and of their child cases. */
  async listChildren(id: string, type: CaseType): Promise<{ id: string; type: CaseType }[]> {
    if (!hasChildren(type)) return [];
    const found: { id: string; type: CaseType }[] = [];
    const answer = await this.#operators.act(`${type.name}: List the child cases`, this.#everyone(), async (client) => {
      return { children: (await client.cases.listDescendants(id)).childCases ?? [] };
    });
    const rest = [...answer?.children ?? []];
    for (let child = rest.shift(); child !== undefined; child = rest.shift()) {
      const childType = this.#app.caseTypes.get(child.caseTypeID ?? "");
      if (childType !== undefined) found.push({ id: child.ID, type: childType });
      rest.push(...child.childCases ?? []);
    }
    return found;
  }

  #createValues(): SampleValues {
    return new SampleValues(this.#random, this.#references);
  }

  #everyone(): string[] {
    return this.#random.shuffle([...this.#app.operators.keys()]);
  }

  /** Works on a case until it is resolved or rests in an open state. */
  async #work(open: OpenCase): Promise<void> {
    const mayRest = this.#random.chance(0.6);
    for (let left = MAX_MOVES; left > 0; left--) {
      const seen = await this.read(open);
      if (seen === undefined || isResolved(seen.info)) return;
      if (mayRest && this.#decideToRest(open.type, seen.info)) {
        if (this.#random.chance(0.3)) await this.#takeAssignment(open, seen.info);
        return;
      }
      if (this.#random.chance(0.15)) await this.#postNote(open);
      if (!await this.#move(open, seen)) return;
    }
  }

  /** Decides whether a case rests in its state. States in which few cases rest are preferred, so that all occur. */
  #decideToRest(type: CaseType, { stageID = "", status = "", assignments = [] }: CaseInfo): boolean {
    const state = JSON.stringify([type.id, stageID, status, ...assignments.map(({ name }) => name)]);
    const resting = this.#resting.get(state) ?? 0;
    const probability = Math.max(1 / (resting + 1), 1 / (countPrimaryMoves(type) + 2));
    if (!this.#random.chance(probability)) return false;
    this.#resting.set(state, resting + 1);
    return true;
  }

  /** Makes the next move of a case. Returns false if no operator can. */
  async #move(open: OpenCase, seen: SeenCase): Promise<boolean> {
    const { info } = seen;
    const random = this.#random;
    if (random.chance(0.06)) {
      const processes = (info.availableProcesses ?? []).filter(({ ID }) => !open.started.has(ID));
      if (processes.length > 0) return await this.#startProcess(open, random.pick(processes).ID);
    }
    if (random.chance(0.04)) {
      const actions = listLocalActions(open.type, info);
      if (actions.length > 0) return await this.#performOnCase(open, random.pick(actions));
    }
    const alternate = this.#findAlternateStage(open.type, info.stageID);
    if (alternate !== undefined && random.chance(this.#entered.has(alternate) ? 0.01 : 0.1)) {
      this.#entered.add(alternate);
      return await this.#goToStage(open, alternate.id);
    }
    const assignments = info.assignments ?? [];
    if (assignments.length > 0) return await this.#performAssignment(open, random.pick(assignments).ID, info);
    if (await this.#workOnChild(open)) return true;
    return hasManualTransition(open.type, info.stageID) && await this.#goToNextStage(open);
  }

  /** Finds an alternate stage for a case, preferably one that no case has been moved to. */
  #findAlternateStage({ stages }: CaseType, current: string | undefined): Stage | undefined {
    const others = [...stages.values()].filter(({ type, id }) => type === "Alternate" && id !== current);
    return others.find((stage) => !this.#entered.has(stage)) ?? this.#random.shuffle(others)[0];
  }

  async #performAssignment(open: OpenCase, id: string, info: CaseInfo): Promise<boolean> {
    const { type } = open;
    const assignment = info.assignments?.find(({ ID }) => ID === id);
    const workers = this.#listWorkers(assignment?.assigneeInfo);
    return await this.#actOn(open, assignment?.name ?? id, workers, async (client, operator) => {
      const { info, etag } = await readCase(open.id)(client);
      const { name, processID, actions = [] } = info.assignments?.find(({ ID }) => ID === id) ?? {};
      const process = type.processes.get(processID ?? "");
      const offered = process === undefined ? [] : findActions(process, name, actions.map(({ ID }) => ID));
      if (offered.length === 0) throw new SvcError("FORBIDDEN", `${operator} may not perform it.`, { status: 403 });
      const action = this.#random.pickUsual(offered, 4);
      await client.assignments.perform(id, await this.#fillIn(client, open, action, info), { ifMatch: etag });
    });
  }

  async #performOnCase(open: OpenCase, action: LocalAction): Promise<boolean> {
    return await this.#actOn(open, action.name, this.#everyone(), async (client) => {
      const { info, etag } = await readCase(open.id)(client);
      await client.cases.performAction(open.id, await this.#fillIn(client, open, action, info), { ifMatch: etag });
    });
  }

  /** Fills in the form of an action, and uploads the files for its attachment fields. */
  async #fillIn(client: Client, { values }: OpenCase, { id, view }: Action | LocalAction, { content = {} }: CaseInfo) {
    const data = values.fillForm(view.fields.values(), content);
    const attachments = await this.#uploadForForm(client, view, content);
    return { action: id, data, ...(attachments && { attachments }) };
  }

  async #startProcess(open: OpenCase, process: string): Promise<boolean> {
    open.started.add(process);
    return await this.#actOn(
      open,
      process,
      this.#everyone(),
      (client) => client.cases.startProcess(open.id, { process }),
    );
  }

  async #goToStage(open: OpenCase, stage: string): Promise<boolean> {
    return await this.#actOn(open, stage, this.#everyone(), (client) => client.cases.stageGo(open.id, { stage }));
  }

  async #goToNextStage(open: OpenCase): Promise<boolean> {
    return await this.#actOn(open, "Next stage", this.#everyone(), (client) => client.cases.stageNext(open.id));
  }

  /** Makes a call as one of these operators, who then continues with the case. Returns false if the service refuses it. */
  async #actOn(
    open: OpenCase,
    work: string,
    operators: readonly string[],
    call: (client: Client, operator: string) => Promise<unknown>,
  ): Promise<boolean> {
    const done = await this.#operators.act(`${open.type.name}: ${work}`, operators, async (client, operator) => {
      await call(client, operator);
      return { operator };
    });
    if (done !== undefined) open.operator = done.operator;
    return done !== undefined;
  }

  /** Works on an open child case, for which the case may wait. */
  async #workOnChild(open: OpenCase): Promise<boolean> {
    for (const { id, type } of await this.listChildren(open.id, open.type)) {
      const seen = await this.read({ id, type });
      if (seen === undefined || isResolved(seen.info)) continue;
      const child = { id, type, operator: open.operator, values: this.#createValues(), started: new Set<string>() };
      await this.#work(child);
      return true;
    }
    return false;
  }

  /** Lists the operators who may work on an assignment, in a random order. */
  #listWorkers(
    assignee: NonNullable<NonNullable<CaseInfo["assignments"]>[number]["assigneeInfo"]> | undefined,
  ): string[] {
    if (assignee?.type === "worklist") return [assignee.ID];
    const { operators } = this.#app;
    return this.#random.shuffle([...operators.values()].filter(({ queues }) => queues.includes(assignee?.ID ?? "")))
      .map(({ id }) => id);
  }

  /** Takes an assignment out of its queue, without working on it yet. */
  async #takeAssignment(open: OpenCase, info: CaseInfo): Promise<void> {
    const waiting = info.assignments?.find(({ assigneeInfo }) => assigneeInfo?.type === "workbasket");
    const workers = this.#listWorkers(waiting?.assigneeInfo);
    if (waiting === undefined || workers.length === 0) return;
    await this.#operators.act(
      `${open.type.name}: Take '${waiting.name}'`,
      workers,
      (client) => client.work.take(waiting.ID),
    );
  }

  async #addElements(open: OpenCase): Promise<void> {
    const { id, type, operator } = open;
    const random = this.#random;
    for (const { id: role, view } of type.participantRoles.values()) {
      if (!random.chance(0.4)) continue;
      const values = role === [...type.participantRoles.keys()][0] ? open.values : this.#createValues();
      const done = await this.#operators.act(`${type.name}: Add a participant`, [operator], (client) => {
        return client.participants.add(id, { role, data: values.fillForm(view.fields.values()) });
      });
      if (done !== undefined) this.added.participants++;
    }
    if (random.chance(0.3)) {
      const tag = random.shuffle(TAGS).slice(0, random.integer(1, 2));
      const done = await this.#operators.act(
        `${type.name}: Add a tag`,
        [operator],
        (client) => client.tags.add(id, { tag }),
      );
      if (done !== undefined) this.added.tags += tag.length;
    }
    if (random.chance(0.25)) {
      const user = random.pick([...this.#app.operators.keys()]);
      const done = await this.#operators.act(`${type.name}: Add a follower`, [operator], (client) => {
        return client.followers.add(id, { user });
      });
      if (done !== undefined) this.added.followers++;
    }
    await this.#addAttachments(open);
  }

  async #addAttachments({ id, type, operator }: OpenCase): Promise<void> {
    const random = this.#random;
    for (const { id: category, type: kind } of type.attachmentCategories.values()) {
      if (!random.chance(0.2)) continue;
      const done = await this.#operators.act(
        `${type.name}: Attach a ${kind === "URL" ? "link" : "file"}`,
        [operator],
        async (client) => {
          const { attachment_categories = [] } = await client.cases.listAttachmentCategories(id);
          const mayCreate = attachment_categories.some(({ ID, canCreate }) => ID === category && canCreate !== false);
          if (!mayCreate) return { count: 0 };
          await client.attachments.add(id, { attachments: [await this.#createAttachment(client, kind, category)] });
          return { count: 1 };
        },
      );
      this.added.attachments += done?.count ?? 0;
    }
  }

  async #createAttachment(
    client: Client,
    kind: "File" | "URL",
    category: string,
  ): Promise<AttachmentsAddParams["attachments"][number]> {
    const title = this.#random.pick(DOCUMENTS);
    if (kind === "URL") return { type: "URL", category, name: title, url: "https://www.example.org/" };
    const file = createSampleFile(title);
    const { ID } = await client.attachments.upload({ file });
    return { type: "File", category, name: title, ID };
  }

  /** Uploads files for the attachment fields of a form that are empty. */
  async #uploadForForm(client: Client, { fields }: View, current: JsonObject): Promise<JsonObject[] | undefined> {
    const attachments: JsonObject[] = [];
    for (const { field, label, required, readOnly } of fields.values()) {
      if (field.type !== "Attachment" || readOnly || holdsFile(current[field.name])) continue;
      if (!required && this.#random.chance(0.4)) continue;
      const { ID } = await client.attachments.upload({ file: createSampleFile(label, field.extensions) });
      attachments.push({ type: "File", attachmentFieldName: field.name, ID, name: label });
    }
    this.added.attachments += attachments.length;
    return attachments.length === 0 ? undefined : attachments;
  }

  async #postNote({ id, type, operator }: OpenCase): Promise<void> {
    const message = this.#random.pick(NOTES);
    const writers = [this.#random.pick([...this.#app.operators.keys()]), operator];
    const done = await this.#operators.act(`${type.name}: Post a note`, writers, (client) => {
      return client.social.postMessage({ context: id, message });
    });
    if (done !== undefined) this.added.notes++;
  }
}

function readCase(id: string): (client: Client) => Promise<SeenCase> {
  return async (client) => {
    const { data, etag } = await client.cases.get(id);
    return { info: data.caseInfo, etag };
  };
}

function isResolved({ status = "" }: CaseInfo): boolean {
  return status.startsWith("Resolved-");
}

/**
 * Lists the fields to fill in when a case is created. If the application does not restrict them, these are the fields of
 * the first form, and those that no later form asks for.
 */
function listCreateFields(type: CaseType) {
  const fields = [...type.createView.fields.values()];
  if (fields.length < type.fields.size || fields.some(({ required }) => required)) return fields;
  const forms = listForms(type);
  const first = forms[0]?.fields;
  return fields.filter(({ field: { name } }) => first?.has(name) || !forms.some((form) => form.fields.has(name)));
}

/** Lists the forms of a case type: first those of its steps, in order. */
function listForms({ processes, stages, actions }: CaseType): View[] {
  const steps = [...processes.values()].flatMap(listAssignmentSteps);
  const local = [...actions.values(), ...[...stages.values()].flatMap((stage) => [...stage.actions.values()])];
  return [
    ...steps.flatMap((step) => [...step.actions.values()]),
    ...local.filter(({ id }) => !STANDARD_ACTIONS.has(id)),
  ].map(({ view }) => view);
}

function listAssignmentSteps({ steps }: Process): AssignmentStep[] {
  return [...steps.values()].filter((step) => step.kind === "assignment");
}

/** Counts the moves that resolve a new case on its usual way. */
function countPrimaryMoves({ stages }: CaseType): number {
  const primary = [...stages.values()].filter(({ type }) => type === "Primary");
  const steps = primary.flatMap(({ processes }) => [...processes.values()].flatMap(({ steps }) => [...steps.values()]));
  const moves = steps.map((step) => {
    if (step.kind === "assignment") return step.screens ? step.actions.size : 1;
    return step.kind === "child" ? 2 : 0;
  });
  const manual = primary.filter(({ transition }) => transition === "manual").length;
  return moves.reduce<number>((sum, count) => sum + count, manual);
}

/** Reports whether a person moves a case from a stage to the next one. */
function hasManualTransition({ stages }: CaseType, stageId: string | undefined): boolean {
  const list = [...stages.values()];
  const at = list.findIndex(({ id }) => id === stageId);
  return list[at]?.transition === "manual" && list.slice(at + 1).some(({ type }) => type === "Primary");
}

function hasChildren({ processes }: CaseType): boolean {
  return [...processes.values()].some(({ steps }) => [...steps.values()].some(({ kind }) => kind === "child"));
}

/** Finds offered actions in the step of a process that has this name and these actions. */
function findActions(process: Process, name: string | undefined, ids: readonly string[]): Action[] {
  const step = listAssignmentSteps(process).find((step) =>
    step.name === name && ids.every((id) => step.actions.has(id))
  );
  return ids.flatMap((id) => step?.actions.get(id) ?? []);
}

/** Lists the actions that a case offers, without those that every case has. */
function listLocalActions(
  { actions, stages }: CaseType,
  { availableActions = [], stageID = "" }: CaseInfo,
): LocalAction[] {
  const ids = availableActions.map(({ ID }) => ID).filter((id) => !STANDARD_ACTIONS.has(id));
  return ids.flatMap((id) => actions.get(id) ?? stages.get(stageID)?.actions.get(id) ?? []);
}

function holdsFile(value: JsonValue | undefined): boolean {
  return isJsonObject(value) && typeof value.ID === "string" && value.ID !== "";
}
