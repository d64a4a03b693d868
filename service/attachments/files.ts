/** Uploaded files: temporary until an attachment links one, gone when the last of its links goes. */
import type { HandlerContext } from "../http/handler.ts";
import type { ByteStore } from "../store/bytes.ts";
import type { Store, StoredItem, Transaction } from "../store/store.ts";
import type { EngineContext } from "../cases/case_work.ts";

/** Kind of the stored items that describe files. */
export const FILE_KIND = "file";

/** Owners of files, so that those that may expire are found without reading the others. */
const TEMPORARY = "temporary";
const LINKED = "linked";

/** Milliseconds that an upload waits for its first link. */
const LIFETIME = 2 * 60 * 60 * 1000;

/** An uploaded file. */
export interface KeptFile {
  /** Name of its bytes; the upload's ID too. */
  readonly id: string;
  /** Name with extension. */
  readonly name: string;
  /** Media type. */
  readonly type: string;
  /** Number of bytes. */
  readonly size: number;
  /** Number of attachments that link it. */
  readonly links: number;
  /** Operator who uploaded it, and who alone may link it: it has no category yet that says who may see it. */
  readonly by: string;
  /** ISO 8601 time of the upload. */
  readonly at: string;
}

/** Keeps an upload for a while; answers until when. */
export async function keepUpload(
  { tx, now, caller }: EngineContext,
  file: Omit<KeptFile, "links" | "by" | "at">,
): Promise<Date> {
  const kept = { ...file, links: 0, by: caller.id, at: now.toISOString() };
  await tx.putItem(toFileItem(kept));
  return computeExpiry(kept);
}

/** An upload that the caller can link now. */
export async function findUpload({ tx, now, caller }: EngineContext, id: string): Promise<KeptFile | undefined> {
  const file = await findFile(tx, id);
  return file?.by === caller.id && now < computeExpiry(file) ? file : undefined;
}

/** A file, whether or not it can still be linked. */
async function findFile(tx: Transaction, id: string): Promise<KeptFile | undefined> {
  const item = await tx.getItem(FILE_KIND, id);
  return item && toFile(item);
}

/** The file with one link more, to be written with what links it. */
export function withLink(file: KeptFile): KeptFile {
  return { ...file, links: file.links + 1 };
}

/** A file as it is stored. */
export function toFileItem({ id, at, ...content }: KeptFile): StoredItem {
  return { kind: FILE_KIND, id, owner: content.links > 0 ? LINKED : TEMPORARY, at, content };
}

/** Takes the link of a deleted attachment from its file; the bytes go with the last link, when that is durable. */
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

/** Deletes uploads that have expired without being linked. */
export async function removeExpired(store: Store, bytes: ByteStore, now: Date): Promise<void> {
  const before = new Date(now.getTime() - LIFETIME).toISOString();
  const expired = await store.transact(async (tx) => {
    const items = await tx.listItems(FILE_KIND, TEMPORARY, { before });
    for (const { id } of items) await tx.deleteItem(FILE_KIND, id);
    return items;
  });
  for (const { id } of expired) await bytes.remove(id);
}

/** Removes bytes that nothing knows of: those of a process that ended between two steps. Nothing may be uploading. */
export async function removeOrphans(store: Store, bytes: ByteStore): Promise<void> {
  for (const id of await bytes.list()) {
    if (await store.read((tx) => findFile(tx, id)) === undefined) await bytes.remove(id);
  }
}

function computeExpiry({ at }: KeptFile): Date {
  return new Date(Date.parse(at) + LIFETIME);
}

function toFile({ id, at, content }: StoredItem): KeptFile {
  const { name, type, size, links, by = "" } = content;
  return { id, at, name: String(name), type: String(type), size: Number(size), links: Number(links), by: String(by) };
}
