/** Receives multipart forms. The file goes to the store while it arrives. */
import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import type { ServiceRequest } from "../connections/received_request.ts";
import { Invalid } from "../errors.ts";
import { isKnownError, RequestError } from "./status.ts";
import type { ReceivedFile } from "./handler.ts";
import { type ByteStore, TooManyBytes } from "../store/bytes.ts";

const LIMITS = { fields: 20, fieldSize: 4096, parts: 30, headerPairs: 50, headerSize: 16 * 1024 };

/** The parts of a form by name. */
export type Form = ReadonlyMap<string, string | ReceivedFile>;

/** Destination of the file of a form. */
export interface FormTarget {
  readonly bytes: ByteStore;
  /** Maximum size of a file in bytes. */
  readonly limit: number;
  /** True to compute a digest of the file. */
  readonly digest?: boolean;
}

/** Receives a form with one file, which is the part `file` in upper or lower case. A failure leaves no file. */
export async function receiveForm(request: Pick<ServiceRequest, "header" | "body">, target: FormTarget): Promise<Form> {
  const { bytes, limit } = target;
  const declared = Number(request.header("content-length") ?? 0);
  if (declared > limit + LIMITS.fields * LIMITS.fieldSize) throw createTooLargeError(limit);
  const parser = createParser(request.header("content-type") ?? "");
  const form = new Map<string, string | ReceivedFile>();
  let storing: Promise<ReceivedFile> | undefined;
  let file: BusboyFileStream | undefined;
  let failure: unknown;
  parser.on("field", (name, value) => void form.set(name, value));
  parser.on("file", (name, stream, fileName, _, type) => {
    stream.on("error", () => {}); // The reader receives the error, but a skipped part has no reader.
    if (name?.toLowerCase() !== "file" || storing !== undefined) {
      stream.resume();
      const reason = storing === undefined ? `a file in the part '${name}'` : "more than one file";
      return void parser.destroy(new Invalid(`The form has ${reason}. Send one file, as the part 'file'.`));
    }
    file = stream;
    storing = storeFile(stream, { name: unescapeName(fileName), type }, target);
    storing.catch((error: Error) => {
      if (!(error instanceof IncompleteFile)) failure = error;
      parser.destroy(error); // Without its file, the rest of the form is useless.
    });
  });
  try {
    await parse(request.body, parser);
    if (storing !== undefined) form.set("file", await storing);
    return form;
  } catch (error) {
    file?.destroy(error instanceof Error ? error : undefined);
    const stored = await storing?.catch(() => undefined); // It fails with the same error.
    if (stored !== undefined) await bytes.remove(stored.id);
    if (failure instanceof TooManyBytes) throw createTooLargeError(limit);
    if (isKnownError(error)) throw error;
    throw failure ?? new Invalid("The body is not a complete multipart form.");
  }
}

/** The file has not arrived completely. This is not a failure of the store. */
class IncompleteFile extends Error {}

async function storeFile(
  stream: BusboyFileStream,
  { name, type }: { name: string; type: string },
  { bytes, limit, digest }: FormTarget,
): Promise<ReceivedFile> {
  const hash = digest ? createHash("sha256") : undefined;
  const { id, size } = await bytes.write(readPieces(stream, hash), limit);
  return { id, name, type, size, stream: () => bytes.read(id), digest: hash?.digest("base64url") };
}

async function* readPieces(stream: BusboyFileStream, hash: Hash | undefined): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of stream) {
      hash?.update(piece);
      yield piece;
    }
  } catch (cause) {
    throw new IncompleteFile("The file did not arrive.", { cause });
  }
}

function createParser(type: string): BusboyInstance {
  try {
    return new Busboy({ headers: { "content-type": type }, limits: LIMITS, preservePath: true });
  } catch {
    throw new RequestError("UnsupportedMediaType", "The body must be multipart/form-data with a boundary.");
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

/** Decodes the characters that browsers escape in file names. */
function unescapeName(name = ""): string {
  return name.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%22", '"');
}

function createTooLargeError(limit: number): RequestError {
  return new RequestError("ContentTooLarge", [
    { message: "Error_Too_Large_To_Upload", localizedValue: `A file may have at most ${limit} bytes.` },
  ]);
}
