/** The records that a definition contains. */
import type { Application, DataType, Operator } from "../application/model/application.ts";
import { type Store, StoreFull, type Transaction } from "../store/store.ts";
import { createRecord } from "./records.ts";

/** The kind of items that store which data types have their initial records. */
const CREATED = "initial-records";

/**
 * Creates the records that a definition contains, once for each data type without records: what people change or delete
 * later stays so. If the disk is full, the next start creates them.
 */
export async function createInitialRecords(store: Store, app: Application): Promise<void> {
  const [caller] = app.operators.values();
  const types = [...app.dataTypes.values()].filter(({ records }) => records.length > 0);
  if (caller === undefined || types.length === 0) return;
  const missing = await store.read((tx) => filterMissing(tx, types));
  if (missing.length === 0) return;
  try {
    await store.transact(async (tx) => {
      for (const type of await filterMissing(tx, missing)) await createRecords(tx, type, caller);
    });
  } catch (error) {
    if (!(error instanceof StoreFull)) throw error;
  }
}

async function filterMissing(tx: Transaction, types: readonly DataType[]): Promise<DataType[]> {
  const missing: DataType[] = [];
  for (const type of types) if (await tx.getItem(CREATED, type.id) === undefined) missing.push(type);
  return missing;
}

async function createRecords(tx: Transaction, type: DataType, caller: Operator): Promise<void> {
  const now = new Date();
  const existing = await tx.countRows({ source: { kind: "records", classId: type.id }, columns: [] });
  const records = existing === 0 ? type.records : [];
  for (const record of records) await createRecord(type, record, { tx, caller, now });
  await tx.putItem({ kind: CREATED, id: type.id, owner: "", at: now.toISOString(), content: {} });
}
