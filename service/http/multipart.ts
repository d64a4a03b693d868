/** Multipart bodies: their file goes to the store while it arrives. */
import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { Invalid } from "../errors.ts";
import { RequestError } from "./status.ts";
import type { ReceivedFile } from "./handler.ts";
import { type ByteStore, TooManyBytes } from "../store/bytes.ts";

/** Limits of the fields of a form. */
const LIMITS = { fields: 20, fieldSize: 4096, parts: 30, headerPairs: 50, headerSize: 16 * 1024 };

/** The parts of a form by name. */
export type Form = ReadonlyMap<string, string | ReceivedFile>;

/** Destination of the file of a form. */
export interface FormTarget {
  /** Takes the bytes. */
  readonly bytes: ByteStore;
  /** Bytes that a file may have. */
  readonly limit: number;
  /** Set if a digest of the file is needed. */
  readonly digest?: boolean;
}

/** Reads a form whose one file is its part `file`, in capitals or not. Nothing is kept where that fails. */
export async function receiveForm(request: Request, target: FormTarget): Promise<Form> {
  const { bytes, limit } = target;
  const { body, headers } = request;
  const declared = Number(headers.get("content-length") ?? 0);
  if (declared > limit + LIMITS.fields * LIMITS.fieldSize) throw tooLarge(limit);
  const parser = parserFor(headers.get("content-type") ?? "");
  const form = new Map<string, string | ReceivedFile>();
  let keeping: Promise<ReceivedFile> | undefined;
  let arriving: BusboyFileStream | undefined;
  let failure: unknown;
  parser.on("field", (name, value) => {
    if (name !== "file") form.set(name, value);
  });
  parser.on("file", (name, stream, fileName, _, type) => {
    stream.on("error", () => {}); // A reader sees the error by itself; a part that is skipped has none.
    if (name?.toLowerCase() !== "file" || keeping !== undefined) return void stream.resume();
    arriving = stream;
    keeping = keep(stream, { name: unescapeName(fileName), type }, target);
    keeping.catch((error: Error) => {
      if (!(error instanceof CutShort)) failure = error;
      parser.destroy(error); // The rest need not arrive when the file cannot be kept.
    });
  });
  try {
    await parse(body, parser);
    if (keeping !== undefined) form.set("file", await keeping);
    return form;
  } catch (error) {
    arriving?.destroy(error instanceof Error ? error : undefined);
    const kept = await keeping?.catch(() => undefined); // It fails with the same.
    if (kept !== undefined) await bytes.remove(kept.id);
    if (failure instanceof TooManyBytes) throw tooLarge(limit);
    throw failure ?? new Invalid("The body is not a complete multipart form.");
  }
}

/** Does something with a form; where that fails, its file goes. */
export async function keepingForm<T>(form: Form | undefined, bytes: ByteStore, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    await discard(form, bytes);
    throw error;
  }
}

/** Deletes the file of a form. */
export async function discard(form: Form | undefined, bytes: ByteStore): Promise<void> {
  const file = form?.get("file");
  if (file !== undefined && typeof file !== "string") await bytes.remove(file.id);
}

/** The file did not arrive: that is not the store's failure. */
class CutShort extends Error {}

async function keep(
  stream: BusboyFileStream,
  { name, type }: { name: string; type: string },
  { bytes, limit, digest }: FormTarget,
): Promise<ReceivedFile> {
  const hash = digest ? createHash("sha256") : undefined;
  const { id, size } = await bytes.write(piecesOf(stream, hash), limit);
  return { id, name, type, size, stream: () => bytes.read(id), digest: hash?.digest("base64url") };
}

async function* piecesOf(stream: BusboyFileStream, hash: Hash | undefined): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of stream) {
      hash?.update(piece);
      yield piece;
    }
  } catch (cause) {
    throw new CutShort("The file did not arrive.", { cause });
  }
}

function parserFor(type: string): BusboyInstance {
  try {
    return new Busboy({ headers: { "content-type": type }, limits: LIMITS, preservePath: true });
  } catch {
    throw new Invalid("The body must be multipart/form-data with a boundary.");
  }
}

function parse(body: ReadableStream<Uint8Array> | null, parser: BusboyInstance): Promise<void> {
  const source = Readable.from(body ?? [], { objectMode: false });
  return new Promise<void>((resolve, reject) => {
    parser.once("finish", resolve);
    // It may emit an error more than once, and an error without a listener ends the process.
    parser.on("error", reject);
    source.on("error", reject);
    source.pipe(parser);
  }).finally(() => source.destroy());
}

/** Decodes the characters that HTML escapes in names. */
function unescapeName(name = ""): string {
  return name.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%22", '"');
}

function tooLarge(limit: number): RequestError {
  return new RequestError("ContentTooLarge", [
    { message: "Error_Too_Large_To_Upload", localizedValue: `A file may have at most ${limit} bytes.` },
  ]);
}
