/**
 * A server with the part of the S3 API that svc uses. It checks the signature and the digest of each request with
 * code of its own. It lists two entries at a time.
 */
import { createHash, createHmac } from "node:crypto";
import { within } from "./wait.ts";

/** A running server. */
export interface S3Server extends AsyncDisposable {
  /** Location of its bucket `files`, with the prefix `permits`. */
  readonly location: string;
  /** Host and port. */
  readonly host: string;
  /** Variables with the key of the bucket. */
  readonly environment: Readonly<Record<string, string>>;
  /** Objects by name. */
  readonly objects: ReadonlyMap<string, { readonly bytes: Uint8Array; at: Date }>;
  /** Uploads in parts that were neither completed nor aborted. */
  readonly uploads: ReadonlyMap<string, { readonly name: string; at: Date }>;
  /** Signed requests, such as `PUT /files/permits/<id>`. */
  readonly requests: readonly string[];
  /** True to fail all requests. */
  down: boolean;
  /** Statuses with which the next requests fail. */
  failures: number[];
}

interface Upload {
  readonly name: string;
  at: Date;
  readonly parts: Map<number, Uint8Array>;
}

const KEY = { id: "AKIDEXAMPLE", secret: "secret/of+the/bucket" };
const PAGE = 2;
const MIN_PART = 5 * 1024 * 1024;

/** Starts a server. */
export function startS3(): S3Server {
  const objects = new Map<string, { bytes: Uint8Array; at: Date }>();
  const uploads = new Map<string, Upload>();
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const body = await request.bytes();
    const failure = result.down ? 503 : result.failures.shift();
    if (failure !== undefined) return createError(failure, failure === 503 ? "SlowDown" : "InternalError");
    const refusal = checkSignature(request, body);
    if (refusal !== undefined) return createError(403, refusal);
    const url = new URL(request.url);
    requests.push(`${request.method} ${url.pathname}${url.search}`);
    const [, bucket, ...path] = url.pathname.split("/");
    if (bucket !== "files") return createError(404, "NoSuchBucket");
    return path.length === 0 ? list(url.searchParams) : serve(request.method, path.join("/"), url.searchParams, body);
  });

  function serve(method: string, name: string, query: URLSearchParams, body: Uint8Array): Response {
    const uploadId = query.get("uploadId");
    if (method === "POST" && query.has("uploads")) {
      const id = crypto.randomUUID();
      uploads.set(id, { name, at: new Date(), parts: new Map() });
      return new Response(`<R><UploadId>${id}</UploadId></R>`);
    }
    if (uploadId !== null) return servePart(method, uploads.get(uploadId), uploadId, query, body);
    if (method === "PUT") {
      objects.set(name, { bytes: body, at: new Date() });
      return new Response(null);
    }
    if (method === "DELETE") {
      objects.delete(name);
      return new Response(null, { status: 204 });
    }
    const found = objects.get(name);
    return found === undefined ? createError(404, "NoSuchKey") : new Response(found.bytes.slice());
  }

  function servePart(
    method: string,
    upload: Upload | undefined,
    uploadId: string,
    query: URLSearchParams,
    body: Uint8Array,
  ): Response {
    if (upload === undefined) return createError(404, "NoSuchUpload");
    if (method === "DELETE") {
      uploads.delete(uploadId);
      return new Response(null, { status: 204 });
    }
    if (method === "PUT") {
      upload.parts.set(Number(query.get("partNumber")), body);
      return new Response(null, { headers: { etag: digestPart(body) } });
    }
    const listed = [...new TextDecoder().decode(body).matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g)];
    const parts = listed.map(([, number, tag]) => {
      const bytes = upload.parts.get(Number(number));
      return bytes && digestPart(bytes) === tag ? bytes : undefined;
    });
    if (parts.length === 0 || parts.includes(undefined)) return createError(400, "InvalidPart");
    if (parts.slice(0, -1).some((part) => (part?.length ?? 0) < MIN_PART)) return createError(400, "EntityTooSmall");
    objects.set(upload.name, { bytes: concat(parts.filter((part) => part !== undefined)), at: new Date() });
    uploads.delete(uploadId);
    return new Response("<R></R>");
  }

  function list(query: URLSearchParams): Response {
    const prefix = query.get("prefix") ?? "";
    if (query.has("uploads")) {
      const after = query.get("upload-id-marker");
      const all = [...uploads].filter(([, { name }]) => name.startsWith(prefix)).sort(([a], [b]) => a < b ? -1 : 1);
      const rest = all.filter(([id]) => after === null || id > after);
      const page = rest.slice(0, PAGE);
      const entries = page.map(([id, { name, at }]) =>
        `<Upload><Key>${name}</Key><UploadId>${id}</UploadId><Initiated>${at.toISOString()}</Initiated></Upload>`
      );
      const [lastId, last] = page.at(-1) ?? [];
      const next = `<NextKeyMarker>${last?.name}</NextKeyMarker><NextUploadIdMarker>${lastId}</NextUploadIdMarker>`;
      return new Response(`<R><IsTruncated>${rest.length > PAGE}</IsTruncated>${next}${entries.join("")}</R>`);
    }
    const after = query.get("continuation-token") ?? "";
    const rest = [...objects].filter(([name]) => name.startsWith(prefix) && name > after).sort(([a], [b]) =>
      a < b ? -1 : 1
    );
    const page = rest.slice(0, PAGE);
    const entries = page.map(([name, { at }]) =>
      `<Contents><Key>${name}</Key><LastModified>${at.toISOString()}</LastModified></Contents>`
    );
    const token = rest.length > PAGE ? `<NextContinuationToken>${page.at(-1)?.[0]}</NextContinuationToken>` : "";
    return new Response(`<R>${entries.join("")}${token}</R>`);
  }

  const host = `127.0.0.1:${server.addr.port}`;
  const result: S3Server = {
    location: `s3://files/permits?endpoint=http://${host}&region=test-1`,
    host,
    environment: { AWS_ACCESS_KEY_ID: KEY.id, AWS_SECRET_ACCESS_KEY: KEY.secret },
    objects,
    uploads,
    requests,
    down: false,
    failures: [],
    [Symbol.asyncDispose]: () => within("the bucket stops", server.shutdown()),
  };
  return result;
}

/** Checks a signature of version 4. Returns the code of the error. */
function checkSignature(request: Request, body: Uint8Array): string | undefined {
  const authorization = request.headers.get("authorization") ?? "";
  const [, id, scope = "", names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(authorization) ?? [];
  if (id !== KEY.id) return "InvalidAccessKeyId";
  if (!names.split(";").includes("host")) return "SignatureDoesNotMatch";
  const digest = request.headers.get("x-amz-content-sha256") ?? "";
  if (digest !== hash(body)) return "XAmzContentSHA256Mismatch";
  const time = request.headers.get("x-amz-date") ?? "";
  const url = new URL(request.url);
  const query = [...url.searchParams].map(([key, value]) => `${encode(key)}=${encode(value)}`).sort().join("&");
  const headers = names.split(";").map((name) => `${name}:${request.headers.get(name) ?? ""}\n`).join("");
  const canonical = [request.method, url.pathname, query, headers, names, digest].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope, hash(new TextEncoder().encode(canonical))].join("\n");
  const key = scope.split("/").reduce<string | Uint8Array>((key, part) => sign(key, part), `AWS4${KEY.secret}`);
  return sign(key, text).toString("hex") === signature ? undefined : "SignatureDoesNotMatch";
}

function sign(key: string | Uint8Array, text: string) {
  return createHmac("sha256", key).update(text).digest();
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function digestPart(bytes: Uint8Array): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => "%" + character.charCodeAt(0).toString(16).toUpperCase(),
  );
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function createError(status: number, code: string): Response {
  return new Response(`<Error><Code>${code}</Code></Error>`, { status });
}
