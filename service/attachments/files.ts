/** Uploaded files. They are temporary until an attachment links to them, and deleted with the last link. */
import type { HandlerContext } from "../http/handler.ts";
import type { ByteStore } from "../store/bytes.ts";
import type { Store, StoredItem, Transaction } from "../store/store.ts";
import type { EngineContext } from "../cases/case_work.ts";

/** Kind of the stored items that describe files. */
export const FILE_KIND = "file";

/** Owners of files. They let a query find temporary files without reading the others. */
const TEMPORARY = "temporary";
const LINKED = "linked";

/** Milliseconds after which an upload without a link expires. */
const LIFETIME = 2 * 60 * 60 * 1000;

/** An uploaded file. */
export interface UploadedFile {
  /** ID of the upload and of its bytes. */
  readonly id: string;
  /** Name with extension. */
  readonly name: string;
  /** Media type. */
  readonly type: string;
  /** Number of bytes. */
  readonly size: number;
  /** Number of attachments that link to it. */
  readonly links: number;
  /** Operator who uploaded it. Only this operator may link to it, because it has no category with rights yet. */
  readonly by: string;
  /** ISO 8601 time of the upload. */
  readonly at: string;
}

/** Stores an upload and returns the time at which it expires. */
export async function storeUpload(
  { tx, now, caller }: EngineContext,
  file: Omit<UploadedFile, "links" | "by" | "at">,
): Promise<Date> {
  const stored = { ...file, links: 0, by: caller.id, at: now.toISOString() };
  await tx.putItem(toFileItem(stored));
  return computeExpiry(stored);
}

/** Finds an upload that the caller can link to now. */
export async function findUpload({ tx, now, caller }: EngineContext, id: string): Promise<UploadedFile | undefined> {
  const file = await findFile(tx, id);
  return file?.by === caller.id && now < computeExpiry(file) ? file : undefined;
}

async function findFile(tx: Transaction, id: string): Promise<UploadedFile | undefined> {
  const item = await tx.getItem(FILE_KIND, id);
  return item && toFile(item);
}

/** Returns a file with one more link. */
export function addLink(file: UploadedFile): UploadedFile {
  return { ...file, links: file.links + 1 };
}

/** Converts a file to an item of the store. */
export function toFileItem({ id, at, ...content }: UploadedFile): StoredItem {
  return { kind: FILE_KIND, id, owner: content.links > 0 ? LINKED : TEMPORARY, at, content };
}

/** Removes a link to a file. After the last link, the bytes are deleted when the change is durable. */
export async function releaseFile(
  id: string | undefined,
  { tx, bytes, runLater }: Pick<HandlerContext, "tx" | "bytes" | "runLater">,
): Promise<void> {
  const file = id === undefined ? undefined : await findFile(tx, id);
  if (file === undefined) return;
  if (file.links > 1) return await tx.putItem(toFileItem({ ...file, links: file.links - 1 }));
  await tx.deleteItem(FILE_KIND, file.id);
  runLater(() => bytes.remove(file.id));
}

/**
 * Deletes uploads that have expired without being linked. Deletes nothing before the service has run for the lifetime of an
 * upload, because the system time may be wrong at a start.
 */
export async function removeExpired(
  store: Store,
  bytes: ByteStore,
  { now, uptime }: { readonly now: Date; readonly uptime: number },
): Promise<void> {
  if (uptime < LIFETIME) return;
  const before = new Date(now.getTime() - LIFETIME).toISOString();
  const expired = await store.transact(async (tx) => {
    const items = await tx.listItems(FILE_KIND, TEMPORARY, { before });
    const unlinked: StoredItem[] = [];
    for (const { id } of items) {
      const item = await tx.getItem(FILE_KIND, id);
      if (item?.owner !== TEMPORARY) continue; // Another unit has linked or deleted it in the meantime.
      await tx.deleteItem(FILE_KIND, id);
      unlinked.push(item);
    }
    return unlinked;
  });
  for (const { id } of expired) await bytes.remove(id);
}

/**
 * Deletes the bytes of incomplete uploads of killed processes: those that began before a time, by default all. None of them
 * may still be in progress.
 */
export async function removeOrphans(store: Store, bytes: ByteStore, before?: Date): Promise<void> {
  for (const id of await bytes.list(before)) {
    if (await store.read((tx) => findFile(tx, id)) === undefined) await bytes.remove(id);
  }
  if (before !== undefined) await bytes.removeInterrupted?.(before);
}

function computeExpiry({ at }: UploadedFile): Date {
  return new Date(Date.parse(at) + LIFETIME);
}

function toFile({ id, at, content }: StoredItem): UploadedFile {
  const { name, type, size, links, by = "" } = content;
  return { id, at, name: String(name), type: String(type), size: Number(size), links: Number(links), by: String(by) };
}
