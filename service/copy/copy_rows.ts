/** Copies rows and files from one database to another, and compares what was written with the source. */
import { SvcError } from "../../lib/errors.ts";
import { FILE_KIND } from "../attachments/files.ts";
import { MARKER_ID } from "../server/file_place.ts";
import type { ByteStore } from "../store/bytes.ts";
import { TABLE_NAMES, type TableName } from "../store/tables.ts";
import type { CopyProgress, CopySource, CopyTarget, PlacedRow } from "./copied_database.ts";

/** Number of rows that are written and compared at a time. */
const RANGE = 500;

/** Number of rows and files that are now in the target. */
export interface CopiedNumbers {
  readonly rows: number;
  readonly files: number;
}

/** Copies everything that an earlier attempt has not copied. Throws `STORE_DAMAGED` if the target differs. */
export async function copyRows(source: CopySource, target: CopyTarget, name: string): Promise<CopiedNumbers> {
  const progress = await target.begin(name);
  if (progress.source !== name) throw createOtherSourceError(progress);
  const first = Math.max(TABLE_NAMES.findIndex((table) => table === progress.table), 0);
  for (const table of TABLE_NAMES.slice(first)) {
    await copyTable(source, target, table, table === progress.table ? progress : { source: name });
  }
  const files = await copyFiles(source, target);
  let rows = 0;
  for (const table of TABLE_NAMES) {
    const [expected, found] = [await source.count(table), await target.count(table)];
    if (found !== expected) throw createDifference(`${table} has ${found} rows instead of ${expected}`);
    rows += found;
  }
  await target.finish();
  return { rows, files };
}

async function copyTable<T extends TableName>(
  source: CopySource,
  target: CopyTarget,
  table: T,
  progress: CopyProgress,
): Promise<void> {
  let after = progress.place;
  for (;;) {
    const rows = await source.read(table, after, RANGE);
    const last = rows.at(-1);
    if (last === undefined) return;
    await target.write(table, rows, { source: progress.source, table, place: last.place });
    const [expected, found] = await Promise.all([rows, await target.read(table, after, RANGE)].map(computeDigest));
    if (found !== expected) {
      throw createDifference(`${table} differs between ${after ?? "its start"} and ${last.place}`);
    }
    after = last.place;
  }
}

/** Copies the files that rows describe. A file that the target has with the same bytes is left as it is. */
async function copyFiles(source: CopySource, target: CopyTarget): Promise<number> {
  const known = new Set(await source.bytes.list());
  const copied = new Set(await target.bytes.list());
  const ids = await listFileIds(target);
  if (ids.length > 0 && known.size === 0) throw createOtherPlaceError();
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw createDifference(`the source lacks the bytes of the file ${missing}`);
  if (copied.difference(known).size > 0) throw createOtherFilesError();
  for (const id of ids) await copyFile(source.bytes, target.bytes, id, copied.has(id));
  return ids.length;
}

async function listFileIds(target: CopyTarget): Promise<string[]> {
  const ids: string[] = [];
  let after: PlacedRow<"items">["place"] | undefined;
  for (;;) {
    const rows = await target.read("items", after, RANGE);
    const last = rows.at(-1);
    if (last === undefined) return ids;
    ids.push(...rows.filter(({ row }) => row.kind === FILE_KIND).map(({ row }) => row.id));
    after = last.place;
  }
}

async function copyFile(source: ByteStore, target: ByteStore, id: string, exists: boolean): Promise<void> {
  const expected = await digestBytes(source, id);
  if (exists) {
    if (await digestBytes(target, id) === expected) return;
    if (id === MARKER_ID) throw createOtherFilesError();
    await target.remove(id); // An interrupted copy has written a part of it.
  }
  await target.write(source.read(id), Infinity, id);
  if (await digestBytes(target, id) !== expected) throw createDifference(`the file ${id} differs`);
}

async function digestBytes(bytes: ByteStore, id: string): Promise<string> {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  for await (const piece of bytes.read(id)) hash.update(piece);
  return hash.digest("hex");
}

async function computeDigest(rows: readonly PlacedRow<TableName>[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(rows));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

function createDifference(issue: string): SvcError {
  return new SvcError("STORE_DAMAGED", `The copy differs from its source: ${issue}.`, {
    hint: "Stop all services that use the source, delete the target, and copy again. If it happens again, check the " +
      "source with 'svc service verify'.",
  });
}

function createOtherPlaceError(): SvcError {
  return new SvcError("INVALID_ARGS", "The files of the source are missing.", {
    hint: "If they are in a directory or a bucket, name it with --from-files.",
  });
}

function createOtherFilesError(): SvcError {
  return new SvcError("CONFLICT", "The target already contains other files.", {
    hint: "Use an empty target. To keep files outside the database, name an empty directory or bucket with --to-files.",
  });
}

function createOtherSourceError({ source }: CopyProgress): SvcError {
  return new SvcError("CONFLICT", `The target contains an unfinished copy of ${source}.`, {
    hint: "Continue it with the same source, or name another target.",
  });
}
