/** Requests to a bucket of S3 or of an S3-compatible service. */
import { AwsClient } from "aws4fetch";
import { sendRequest } from "../../../lib/http/send_request.ts";
import { delay } from "../../../utils/async/abort.ts";
import { sha256 } from "../../../utils/text/sha256.ts";
import { BytesUnavailable } from "../bytes.ts";
import type { S3Credentials } from "./s3_credentials.ts";
import type { S3Location } from "./s3_location.ts";

/** The bucket has refused a request. */
export class BucketError extends Error {
  /** HTTP status. */
  readonly status: number;
  /** Code of the service, e.g. `NoSuchBucket`. */
  readonly code: string;

  /** Creates the error from a response. */
  constructor(status: number, code: string) {
    super(`The bucket responded with ${status} ${code}.`);
    this.status = status;
    this.code = code;
  }
}

/** An object of a bucket. */
export interface BucketObject {
  /** Name without the prefix. */
  readonly name: string;
  /** When it was written, or when its upload began. */
  readonly at: Date;
}

/** An upload in parts that was neither completed nor aborted. */
export interface BucketUpload extends BucketObject {
  readonly uploadId: string;
}

/** Number of times that a request is sent if the service fails or cannot be reached. */
const ATTEMPTS = 3;

/** Delay before the second attempt in milliseconds. It doubles with each attempt. */
const FIRST_DELAY = 100;

/** Milliseconds until the response must begin. */
const RESPONSE_TIMEOUT = 60_000;

interface BucketRequest {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Name of an object without the prefix. Undefined for the bucket itself. */
  readonly name?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** The objects of a bucket under a prefix. Throws `BytesUnavailable` if the service cannot be reached, and `BucketError` if it refuses. */
export class Bucket {
  readonly #location: S3Location;
  readonly #readCredentials: () => Promise<S3Credentials>;

  /** Reads the credentials for each request, because they may be temporary. */
  constructor(location: S3Location, readCredentials: () => Promise<S3Credentials>) {
    this.#location = location;
    this.#readCredentials = readCredentials;
  }

  /** Writes an object. */
  async put(name: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
    await discard(await this.#send({ method: "PUT", name, body }));
  }

  /** Reads an object. Throws `BucketError` with 404 if it does not exist. */
  async get(name: string): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.#send({ method: "GET", name });
    return body ?? ReadableStream.from<Uint8Array>([]);
  }

  /** Deletes an object, if it exists. */
  async delete(name: string): Promise<void> {
    await discard(await this.#send({ method: "DELETE", name }));
  }

  /** Begins an upload in parts, and returns its identifier. */
  async createUpload(name: string): Promise<string> {
    const text = await this.#readText({ method: "POST", name, query: { uploads: "" } });
    const [uploadId] = readElements(text, "UploadId");
    if (uploadId === undefined) throw new BytesUnavailable("The bucket returned no upload identifier.");
    return uploadId;
  }

  /** Uploads a part, and returns its entity tag. */
  async putPart(name: string, uploadId: string, number: number, body: Uint8Array<ArrayBuffer>): Promise<string> {
    const response = await this.#send({ method: "PUT", name, query: { partNumber: String(number), uploadId }, body });
    await discard(response);
    return response.headers.get("etag") ?? "";
  }

  /** Completes an upload: its parts become one object. */
  async completeUpload(name: string, uploadId: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const body = new TextEncoder().encode(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
    const text = await this.#readText({ method: "POST", name, query: { uploadId }, body });
    const [code] = text.includes("<Error>") ? readElements(text, "Code") : []; // The status was sent before the failure.
    if (code !== undefined) throw new BytesUnavailable(`The bucket could not complete an upload: ${code}.`);
  }

  /** Discards the parts of an upload. */
  async abortUpload(name: string, uploadId: string): Promise<void> {
    await discard(await this.#send({ method: "DELETE", name, query: { uploadId } }));
  }

  /** Lists the objects. */
  async *list(): AsyncGenerator<BucketObject> {
    let token: string | undefined;
    do {
      const query: Record<string, string> = { "list-type": "2", prefix: this.#location.prefix };
      if (token !== undefined) query["continuation-token"] = token;
      const text = await this.#readText({ method: "GET", query });
      for (const entry of readElements(text, "Contents")) yield this.#toObject(entry, "LastModified");
      [token] = readElements(text, "NextContinuationToken");
    } while (token !== undefined);
  }

  /** Lists the uploads in parts. */
  async *listUploads(): AsyncGenerator<BucketUpload> {
    let next: Readonly<Record<string, string>> | undefined = {};
    while (next !== undefined) {
      const query: Record<string, string> = { uploads: "", prefix: this.#location.prefix, ...next };
      const text = await this.#readText({ method: "GET", query });
      for (const entry of readElements(text, "Upload")) {
        const [uploadId = ""] = readElements(entry, "UploadId");
        yield { ...this.#toObject(entry, "Initiated"), uploadId };
      }
      const [key, id] = [readElements(text, "NextKeyMarker")[0], readElements(text, "NextUploadIdMarker")[0]];
      const isTruncated = readElements(text, "IsTruncated")[0] === "true";
      next = isTruncated && key && id ? { "key-marker": key, "upload-id-marker": id } : undefined;
    }
  }

  #toObject(entry: string, time: string): BucketObject {
    const [[key = ""], [at = ""]] = [readElements(entry, "Key"), readElements(entry, time)];
    return { name: key.slice(this.#location.prefix.length), at: new Date(at) };
  }

  async #readText(request: BucketRequest): Promise<string> {
    const response = await this.#send(request);
    return await response.text().catch((cause) => {
      throw new BytesUnavailable("The connection to the bucket was lost during a response.", { cause });
    });
  }

  /** Sends a request, and retries it if the service fails. Every request is safe to retry. */
  async #send(request: BucketRequest): Promise<Response> {
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#sendOnce(request);
      } catch (error) {
        if (!(error instanceof BytesUnavailable) || attempt === ATTEMPTS) throw error;
        await delay(FIRST_DELAY * 2 ** (attempt - 1) * (0.5 + Math.random()));
      }
    }
  }

  async #sendOnce({ method, name, query = {}, body }: BucketRequest): Promise<Response> {
    const { bucket, prefix, endpoint, region } = this.#location;
    const url = new URL(`${endpoint}/${bucket}${name === undefined ? "" : `/${prefix}${name}`}`);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    const client = new AwsClient({ ...await this.#readCredentials(), service: "s3", region });
    const digest = (await sha256(body ?? new Uint8Array())).toHex();
    const headers = { "x-amz-content-sha256": digest, ...(body && { "content-type": "application/octet-stream" }) };
    const signed = await client.sign(url, { method, headers, body });
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new TypeError("no response in time")), RESPONSE_TIMEOUT);
    try {
      const init = { method, headers: signed.headers, body, signal: deadline.signal, redirect: "manual" } as const;
      return await check(await sendRequest(signed.url, init));
    } catch (cause) {
      if (cause instanceof BucketError || cause instanceof BytesUnavailable) throw cause;
      if (cause instanceof Deno.errors.NotCapable) throw cause;
      throw new BytesUnavailable(`${endpoint} cannot be reached.`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Returns a successful response. Throws for any other. */
async function check(response: Response): Promise<Response> {
  const { status } = response;
  if (response.ok) return response;
  const [code = "without a code"] = readElements(await response.text(), "Code");
  const isTemporary = status >= 500 || status === 429 || code === "RequestTimeout";
  throw isTemporary
    ? new BytesUnavailable(`The bucket responded with ${status} ${code}.`)
    : new BucketError(status, code);
}

/** Reads the rest of a response, so that its connection can be used again. */
async function discard(response: Response): Promise<void> {
  await response.body?.cancel();
}

/** Returns the contents of the elements with a name. The names of objects need no decoding. */
function readElements(xml: string, name: string): string[] {
  return Array.from(xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs")), ([, content = ""]) => content);
}
