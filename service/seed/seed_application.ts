/** Creates sample records and cases through the operations of a service. */
import type { Client } from "../../lib/client/client_type.ts";
import { SvcError } from "../../lib/errors.ts";
import { type JsonObject, stringOrUndefined } from "../../utils/json.ts";
import type { Application, CaseType, DataType } from "../application/model/application.ts";
import { toViewField } from "../application/model/field.ts";
import { ActingOperators, type Refusal } from "./acting_operators.ts";
import { type AddedElements, CaseSeeder } from "./case_seeder.ts";
import { Random } from "./random.ts";
import { References } from "./references.ts";
import { SampleValues } from "./sample_values.ts";

/** Number of records of each data type. */
const RECORDS = 8;

/** Options of sample data. */
export interface SeedOptions {
  /** The application that the service serves. */
  readonly app: Application;
  /** Opens a client of the service that acts as an operator. */
  readonly openClient: (operator: string) => Promise<Client>;
  /** Seed of the random values. */
  readonly seed: number;
  /** Number of cases to create, not counting the child cases that steps create. */
  readonly count: number;
  /** Ends the work after the current call. */
  readonly signal?: AbortSignal;
  /** Receives the number of created cases. */
  readonly onProgress?: (cases: number) => void;
}

/** Number of sample cases in one state. */
export interface StateCount extends JsonObject {
  /** Name of the case type. */
  caseType: string;
  /** Name of the stage. */
  stage: string;
  status: string;
  cases: number;
}

/** The sample data that was created. */
export interface SeedReport extends JsonObject, AddedElements {
  /** Number of cases, including child cases. */
  cases: number;
  /** Cases by state, in the order of case types and stages. */
  states: StateCount[];
  /** Number of records. */
  records: number;
  /** Calls that the service has refused. */
  refusals: Refusal[];
}

interface SeededCase {
  readonly id: string;
  readonly type: CaseType;
}

/** Creates sample data. */
export async function seedApplication(
  { app, openClient, seed, count, signal, onProgress }: SeedOptions,
): Promise<SeedReport> {
  const operators = new ActingOperators(openClient, signal);
  const random = new Random(seed);
  const references = new References();
  const records = await seedRecords(app, operators, random, references);
  const seeder = new CaseSeeder(app, operators, random, references);
  const types = [...app.caseTypes.values()].filter(({ creatable }) => creatable);
  const created: SeededCase[] = [];
  for (let index = 0; index < count; index++) {
    const type = types[index % types.length];
    const id = type && await seeder.seed(type);
    if (type && id !== undefined) created.push({ id, type }, ...await seeder.listChildren(id, type));
    onProgress?.(index + 1);
  }
  const states = await countStates(app, seeder, created);
  return { cases: created.length, states, records, ...seeder.added, refusals: operators.refusals };
}

/**
 * Creates records of each data type whose records the definition does not contain, and adds the names of all to the
 * references. Returns the number of new records.
 */
async function seedRecords(
  { dataTypes, operators }: Application,
  acting: ActingOperators,
  random: Random,
  references: References,
): Promise<number> {
  let records = 0;
  for (const type of dataTypes.values()) {
    const { savable: view } = type;
    for (const record of type.records) addReference(type, record, references);
    if (view === undefined || type.records.length > 0) continue;
    for (let number = 1; number <= RECORDS; number++) {
      const clerks = random.shuffle([...operators.keys()]);
      const done = await acting.act(`${type.name}: Create a record`, clerks, async (client) => {
        const data = createRecord(type, number, random, references);
        return { data, isNew: await isCreated(client.data.create(view, { data })) };
      });
      if (done === undefined) break;
      if (done.isNew) records++;
      addReference(type, done.data, references);
    }
  }
  return records;
}

function addReference(type: DataType, record: JsonObject, references: References): void {
  references.addRecord(type.id, record);
  const name = findName(type, record);
  if (name !== undefined) references.add(type.name, name);
}

/** Reports whether a record was created. Sample data from before may have its key already. */
async function isCreated(creation: Promise<unknown>): Promise<boolean> {
  try {
    await creation;
    return true;
  } catch (error) {
    if (error instanceof SvcError && error.code === "CONFLICT") return false;
    throw error;
  }
}

function createRecord(
  { name, key, fields }: DataType,
  number: number,
  random: Random,
  references: References,
): JsonObject {
  const form = [...fields.values()].map((field) => {
    return toViewField(field, { required: field.required || key.includes(field.name) });
  });
  const data = new SampleValues(random, references).fillForm(form);
  for (const part of key) {
    const field = fields.get(part);
    if (field?.type === "Text" && references.find(field).length === 0) {
      data[part] = `${name.charAt(0).toUpperCase()}-${number}`;
    }
    if (field?.type === "Integer") data[part] = (field.min ?? 1) + number - 1;
  }
  return data;
}

/** Finds the name of a record for people: the first of its texts whose name says so, or its first text. */
function findName({ fields }: DataType, data: JsonObject): string | undefined {
  const texts = [...fields.values()].filter(({ type }) => type === "Text").map(({ name }) => name);
  const value = data[texts.find((name) => /name|title|label/i.test(name)) ?? texts[0] ?? ""];
  return stringOrUndefined(value);
}

async function countStates(
  { caseTypes }: Application,
  seeder: CaseSeeder,
  cases: readonly SeededCase[],
): Promise<StateCount[]> {
  const counts = new Map<string, { count: StateCount; rank: number }>();
  for (const { id, type } of cases) {
    const seen = await seeder.read({ id, type });
    if (seen === undefined) continue;
    const { stageID = "", status = "" } = seen.info;
    const key = JSON.stringify([type.id, stageID, status]);
    const count = {
      caseType: type.name,
      stage: type.stages.get(stageID)?.name ?? stageID,
      status,
      cases: (counts.get(key)?.count.cases ?? 0) + 1,
    };
    const rank = [...caseTypes.keys()].indexOf(type.id) * 1000 + [...type.stages.keys()].indexOf(stageID);
    counts.set(key, { count, rank });
  }
  return [...counts.values()].sort((a, b) => a.rank - b.rank || (a.count.status < b.count.status ? -1 : 1))
    .map(({ count }) => count);
}
