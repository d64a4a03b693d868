/** Finds stored data that the application definition does not fit. */
import { isJsonObject, type JsonObject, stringOrUndefined } from "../../utils/json.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { Application } from "../application/model/application.ts";
import { type Field, holdsPage, VALUE_KINDS } from "../application/model/field.ts";
import type { Transaction } from "../store/store.ts";
import type { FieldSource, Use, UseKind, ValueCount } from "../store/uses.ts";

/** Data that the definition does not fit. */
export interface Mismatch extends JsonObject {
  /** Sentence with the number of items and the name that does not fit. */
  message: string;
  count: number;
}

/** Kind and ID of the item that stores which definition was verified. */
const VERIFIED = ["definition", "verified"] as const;

/** Descriptions of types by place in the definition, then by name of the field. */
type FieldTypes = Record<string, Record<string, string>>;

/** Fields of cases or records, or of their pages or rows. */
interface FieldGroup extends FieldSource {
  /** Place in the definition, e.g. `City-Permit-Work.Documents`. */
  readonly place: string;
  /** Fields by name. */
  readonly defined: ReadonlyMap<string, Field>;
}

/** The parts of a definition to which stored data refers. */
interface StoredShape {
  readonly names: JsonObject;
  readonly fields: FieldTypes;
}

/**
 * Finds the stored data that a definition does not fit. With `onlyChanged`, reads the values of the fields that have changed
 * since the data was verified, not of all fields.
 */
export async function findMismatches(
  tx: Transaction,
  app: Application,
  { onlyChanged }: { readonly onlyChanged: boolean },
): Promise<Mismatch[]> {
  const before = onlyChanged ? readFields((await tx.getItem(...VERIFIED))?.content) : undefined;
  return [
    ...(await tx.countUses()).flatMap((use) => checkUse(use, app)),
    ...await checkKeys(tx, app),
    ...await checkFields(tx, app, before),
  ];
}

/** Stores that the data was verified for a definition, or that its mismatches were accepted. */
export async function markVerified(tx: Transaction, app: Application, now: Date): Promise<void> {
  const shape = toShape(app);
  const content = { digest: await digestShape(shape), fields: shape.fields };
  const [kind, id] = VERIFIED;
  await tx.putItem({ kind, id, owner: "", at: now.toISOString(), content });
}

/** Reports whether the data was verified for a definition. */
export async function isVerified(tx: Transaction, app: Application): Promise<boolean> {
  return (await tx.getItem(...VERIFIED))?.content.digest === await digestShape(toShape(app));
}

function toShape(app: Application): StoredShape {
  const names: JsonObject = {
    operators: [...app.operators.keys()],
    queues: [...app.queues.keys()],
    uiLists: [...app.uiLists.keys()],
  };
  for (const [id, type] of app.caseTypes) {
    names[id] = {
      stages: [...type.stages.keys()],
      steps: [...type.processes.values()].flatMap((process) => listSteps(process)),
      roles: [...type.participantRoles.keys()],
      categories: [...type.attachmentCategories.keys()],
    };
  }
  for (const [id, type] of app.dataTypes) names[id] = { key: [...type.key] };
  return { names, fields: Object.fromEntries(listGroups(app).map(({ place, defined }) => [place, toTypes(defined)])) };
}

function listSteps({ id, steps }: { id: string; steps: ReadonlyMap<string, { id: string; kind: string }> }): string[] {
  return [...steps.values()].map((step) => `${id}/${step.id}/${step.kind}`);
}

function toTypes(fields: ReadonlyMap<string, Field>): Record<string, string> {
  return Object.fromEntries([...fields.values()].map((field) => [field.name, describeType(field)]));
}

function describeType({ type, values }: Field): string {
  return values === undefined ? type : `${type} ${JSON.stringify(values)}`;
}

/** Lists the fields of all case types and classes of records, and those of their pages and rows. */
function listGroups(app: Application): FieldGroup[] {
  return [
    ...[...app.caseTypes.values()].flatMap(({ id, fields }) => listNested({ kind: "cases", id, place: id }, fields)),
    ...[...app.dataTypes.values()].flatMap(({ id, fields }) => listNested({ kind: "records", id, place: id }, fields)),
  ];
}

function listNested(group: Omit<FieldGroup, "defined">, defined: ReadonlyMap<string, Field>): FieldGroup[] {
  const { path = [], place } = group;
  const nested = [...defined.values()].flatMap(({ name, type, embedded }) => {
    if (embedded === undefined) return [];
    const part = { field: name, ...(!holdsPage(type) && { container: type === "List" ? "array" : "object" } as const) };
    return listNested({ ...group, path: [...path, part], place: `${place}.${name}` }, embedded.fields);
  });
  return [{ ...group, defined }, ...nested];
}

async function digestShape(shape: StoredShape): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(shape));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

function readFields(verified: JsonObject | undefined): FieldTypes | undefined {
  if (verified === undefined || !isJsonObject(verified.fields)) return undefined;
  return Object.fromEntries(
    Object.entries(verified.fields).map(([id, types]) => {
      const entries = isJsonObject(types) ? Object.entries(types) : [];
      return [id, Object.fromEntries(entries.map(([name, type]) => [name, stringOrUndefined(type) ?? ""]))];
    }),
  );
}

/** Names of the things that use a name, in the singular. */
const USERS: { readonly [K in UseKind]: string } = {
  caseType: "case",
  stage: "case",
  step: "assignment",
  draft: "draft",
  role: "participant",
  category: "attachment",
  dataType: "record",
  queue: "assignment",
  operator: "assignment",
  uiList: "personalization",
};

function checkUse({ kind, owner, name, count }: Use, app: Application): Mismatch[] {
  const type = app.caseTypes.get(owner);
  if (type === undefined && isOfCaseType(kind)) return []; // The case type itself is reported.
  const [process = "", step = "", action = ""] = name.split("/");
  const found = type?.processes.get(process)?.steps.get(step);
  const assigned = found?.kind === "assignment" ? found : undefined;
  const problem = {
    caseType: () => app.caseTypes.has(name) ? undefined : `with the type ${name}`,
    stage: () => type?.stages.has(name) ? undefined : `of ${owner} in the stage ${name}`,
    step: () => {
      if (assigned !== undefined || found?.kind === "child") return undefined;
      return `of ${owner} in the step ${step} of the process ${process}`;
    },
    draft: () => {
      if (assigned === undefined || assigned.actions.has(action)) return undefined;
      return `of ${owner} for the action ${action} of the step ${step} of the process ${process}`;
    },
    role: () => type?.participantRoles.has(name) ? undefined : `of ${owner} with the role ${name}`,
    category: () => type?.attachmentCategories.has(name) ? undefined : `of ${owner} with the category ${name}`,
    dataType: () => app.dataTypes.has(name) ? undefined : `with the class ${name}`,
    queue: () => app.queues.has(name) ? undefined : `in the queue ${name}`,
    operator: () => app.operators.has(name) ? undefined : `of the operator ${name}`,
    uiList: () => app.uiLists.has(name) ? undefined : `of the UI list ${name}`,
  }[kind]();
  if (problem === undefined) return [];
  return [{ message: `${pluralize(count, USERS[kind])} ${problem}, which the definition does not have`, count }];
}

function isOfCaseType(kind: UseKind): boolean {
  return ["stage", "step", "draft", "role", "category"].includes(kind);
}

/** Members of the content of a case that are not fields. */
const COMPUTED = ["pyLabel"];

/** Finds records whose stored key no longer matches their content. */
async function checkKeys(tx: Transaction, app: Application): Promise<Mismatch[]> {
  const found: Mismatch[] = [];
  for (const { id, key } of app.dataTypes.values()) {
    const count = await tx.countMismatchedKeys(id, key);
    if (count === 0) continue;
    const message = `${pluralize(count, "record")} of ${id} whose stored key does not match ${key.join(" and ")}`;
    found.push({ message, count });
  }
  return found;
}

async function checkFields(tx: Transaction, app: Application, before: FieldTypes | undefined): Promise<Mismatch[]> {
  const found: Mismatch[] = [];
  for (const { place, defined, ...group } of listGroups(app)) {
    const known = before?.[place];
    const choices = listChoices(defined);
    const source: FieldSource = { ...group, choices, ...(known && { fields: listChanged(defined, known) }) };
    if (source.fields?.length === 0) continue;
    const counts = Map.groupBy(await tx.countValues(source), ({ field }) => field);
    for (const [name, values] of counts) {
      if (!COMPUTED.includes(name)) found.push(...checkField(name, defined.get(name), values, { ...source, place }));
    }
  }
  return found;
}

function listChoices(fields: ReadonlyMap<string, Field>): Record<string, readonly string[]> {
  return Object.fromEntries([...fields.values()].flatMap(({ name, values }) => values ? [[name, values]] : []));
}

function listChanged(fields: ReadonlyMap<string, Field>, before: Readonly<Record<string, string>>): string[] {
  const names = new Set([...fields.keys(), ...Object.keys(before)]);
  return [...names].filter((name) => {
    const field = fields.get(name);
    return (field && describeType(field)) !== before[name];
  });
}

function checkField(
  name: string,
  field: Field | undefined,
  values: readonly ValueCount[],
  { kind, path = [], place }: FieldSource & { readonly place: string },
): Mismatch[] {
  const things = path.at(-1)?.container === "array"
    ? "row"
    : path.length > 0
    ? "page"
    : kind === "cases"
    ? "case"
    : "record";
  const issues = values.reduce(
    (sum, value) => sum + (field === undefined ? value.count : countIssues(field, value)),
    0,
  );
  if (issues === 0) return [];
  const value = `${pluralize(issues, things)} of ${place} with a value of ${name}`;
  const reason = field === undefined
    ? ", a field that the definition does not have"
    : field.values === undefined
    ? ` that does not fit the type ${field.type}`
    : " that the definition does not allow";
  return [{ message: value + reason, count: issues }];
}

/** Counts the values that do not fit the type of a field. */
function countIssues({ type, values }: Field, { json, count, dates, instants, chosen }: ValueCount): number {
  if (json === "null") return 0;
  if (values !== undefined) return count - chosen;
  switch (VALUE_KINDS[type]) {
    case "text":
      return json === "text" ? 0 : count;
    case "number":
      return json === "integer" || (json === "real" && type !== "Integer") ? 0 : count;
    case "boolean":
      return json === "true" || json === "false" ? 0 : count;
    case "date":
      return count - dates;
    case "instant":
      return count - instants;
    case "embedded":
      return json === (type === "List" ? "array" : "object") ? 0 : count;
  }
}
