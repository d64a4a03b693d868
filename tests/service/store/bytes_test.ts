/** The behaviour that every place of files promises: a directory, a PostgreSQL database and a bucket. */
import assert from "node:assert/strict";
import { type ByteStore, BytesUnavailable, TooManyBytes } from "../../../service/store/bytes.ts";
import { openBytes } from "../../../service/store/bytes_on_disk.ts";
import { openDatabaseBytes } from "../../../service/store/postgres/bytes_database.ts";
import { STORE_SCHEMA } from "../../../service/store/postgres/schema.ts";
import { Bucket, BucketError } from "../../../service/store/s3/bucket.ts";
import { openBucketBytes } from "../../../service/store/s3/bucket_bytes.ts";
import { readS3Credentials, type S3Credentials } from "../../../service/store/s3/s3_credentials.ts";
import { parseS3Location } from "../../../service/store/s3/s3_location.ts";
import { StoreBusy } from "../../../service/store/store.ts";
import { migrate } from "../../../utils/postgres/migrate.ts";
import type { PoolOptions } from "../../../utils/postgres/pool.ts";
import { type TestSchema, useTestSchema } from "../../harness/postgres_schema.ts";
import { type S3Server, startS3 } from "../../harness/s3_server.ts";
import { makeFolder } from "../../harness/svc.ts";

const MIB = 1024 * 1024;

type Work = (bytes: ByteStore) => Promise<void>;

async function withDatabase(
  work: (bytes: ByteStore, schema: TestSchema) => Promise<void>,
  options: Partial<PoolOptions> = {},
): Promise<void> {
  await using schema = useTestSchema();
  const preparing = await schema.open(); // Without `options`, whose time limits may be too short to create tables.
  await migrate(preparing, schema.parsed, STORE_SCHEMA);
  await preparing.close();
  const pool = await schema.open(options);
  await work(openDatabaseBytes(pool), schema).finally(() => pool.close());
}

async function withBucket(work: (bytes: ByteStore, server: S3Server) => Promise<void>): Promise<void> {
  await using server = startS3();
  await work(openBucketBytes(openBucket(server)), server);
}

async function withFolder(work: Work): Promise<void> {
  await using folder = await makeFolder();
  await work(openBytes(`${folder.path}/files`));
}

function openBucket({ location, environment }: S3Server, change: Partial<S3Credentials> = {}): Bucket {
  const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = environment;
  return new Bucket(parseS3Location(location), () => Promise.resolve({ accessKeyId, secretAccessKey, ...change }));
}

function createContent(size: number): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(size);
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(content.subarray(at, at + 65_536));
  return content;
}

function cut(bytes: Uint8Array<ArrayBuffer>, size: number): ReadableStream<Uint8Array> {
  const count = Math.ceil(bytes.length / size);
  return ReadableStream.from(
    Array.from({ length: count }, (_, index) => bytes.slice(index * size, (index + 1) * size)),
  );
}

for (
  const [kind, use] of [["directory", withFolder], ["database", withDatabase], ["bucket", withBucket]] as [
    string,
    (work: Work) => Promise<void>,
  ][]
) {
  Deno.test(`a file of any size is read as it was written, in whatever chunks (${kind})`, () =>
    use(async (bytes) => {
      for (const size of [0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 1_000_000]) {
        const content = createContent(size);
        for (const chunk of [1_000_000, 70_001]) {
          const written = await bytes.write(cut(content, chunk), size);
          assert.equal(written.size, size);
          assert.deepEqual(await new Response(bytes.read(written.id)).bytes(), content, `${size} bytes`);
        }
      }
    }));

  Deno.test(`a file that is too large or whose client disconnects leaves nothing, and a removed one is missing (${kind})`, () =>
    use(async (bytes) => {
      await assert.rejects(bytes.write(cut(new Uint8Array(600_000), 65_536), 599_999), TooManyBytes);
      const broken = async function* () {
        yield await Promise.resolve(new Uint8Array(300_000));
        throw new TypeError("The client has disconnected.");
      };
      await assert.rejects(bytes.write(broken(), 1_000_000), TypeError);
      assert.deepEqual(await bytes.list(), []);
      const { id } = await bytes.write(cut(new Uint8Array(10), 3), 10);
      assert.deepEqual(await bytes.list(), [id]);
      assert.deepEqual(await bytes.list(new Date(Date.now() - 3600_000)), []);
      await bytes.remove(id);
      await bytes.remove(id);
      await assert.rejects(new Response(bytes.read(id)).bytes(), Deno.errors.NotFound);
    }));

  Deno.test(`all files are listed, also if there are many (${kind})`, () =>
    use(async (bytes) => {
      const ids: string[] = [];
      for (let index = 0; index < 5; index++) ids.push((await bytes.write(cut(new Uint8Array(1), 1), 1)).id);
      assert.deepEqual((await bytes.list()).sort(), ids.sort());
      assert.deepEqual((await bytes.list(new Date(Date.now() + 3600_000))).sort(), ids.sort());
    }));
}

for (const [what, limits] of [["a lock", { lockSeconds: 0.1 }], ["the server", { statementSeconds: 0.1 }]] as const) {
  Deno.test(`an upload that waits too long for ${what} can be repeated`, () =>
    withDatabase(async (bytes, schema) => {
      const other = await schema.open();
      await other.use(async (connection) => {
        await connection.run(`BEGIN; LOCK TABLE "filePieces"`);
        await assert.rejects(bytes.write(cut(new Uint8Array(10), 3), 10), StoreBusy);
      });
      await other.close();
    }, limits));
}

Deno.test("a large file is uploaded to a bucket in parts, and one that fails leaves no part", () =>
  withBucket(async (bytes, { uploads, requests }) => {
    for (const size of [8 * MIB, 8 * MIB + 1, 17 * MIB]) {
      const content = createContent(size);
      const { id } = await bytes.write(cut(content, 3 * MIB), size);
      assert.deepEqual(await new Response(bytes.read(id)).bytes(), content, `${size} bytes`);
    }
    assert.equal(requests.filter((one) => one.includes("partNumber=")).length, 2 + 3);
    await assert.rejects(bytes.write(cut(new Uint8Array(17 * MIB), MIB), 16 * MIB), TooManyBytes);
    assert.equal(uploads.size, 0);
  }));

Deno.test("interrupted uploads to a bucket are removed by age", () =>
  withBucket(async (bytes, server) => {
    const bucket = openBucket(server);
    for (let count = 0; count < 5; count++) await bucket.createUpload(crypto.randomUUID());
    await bucket.createUpload("of-another-program");
    await bytes.removeInterrupted?.(new Date(Date.now() - 3600_000));
    assert.equal(server.uploads.size, 6);
    await bytes.removeInterrupted?.(new Date(Date.now() + 3600_000));
    assert.deepEqual([...server.uploads.values()].map(({ name }) => name), ["permits/of-another-program"]);
  }));

Deno.test("a failed request to a bucket is repeated, and a bucket that stays down is unavailable", () =>
  withBucket(async (bytes, server) => {
    server.failures.push(503, 500);
    const { id } = await bytes.write(cut(new Uint8Array(10), 3), 10);
    assert.deepEqual(await bytes.list(), [id]);
    server.down = true;
    await assert.rejects(bytes.write(cut(new Uint8Array(10), 3), 10), BytesUnavailable);
    await assert.rejects(new Response(bytes.read(id)).bytes(), BytesUnavailable);
  }));

Deno.test("a wrong secret of a bucket is refused with the code of the service", () =>
  withBucket(async (_, server) => {
    const bytes = openBucketBytes(openBucket(server, { secretAccessKey: "wrong" }));
    await assert.rejects(bytes.list(), (error) => {
      return error instanceof BucketError && error.status === 403 && error.code === "SignatureDoesNotMatch";
    });
  }));

for (
  const [location, problem] of [
    ["s3://AKID:secret@files/permits", /contains credentials/],
    ["s3://f", /f is not a valid bucket name/],
    ["s3://files/a b", /The prefix a%20b/],
    ["s3://files?endpoint=http://10.0.0.1:9000", /must begin with https:\/\//],
    ["s3://files?endpoint=https://minio.example.org/files", /no path/],
    ["s3://files?key=secret", /key is not an option/],
  ] as const
) {
  Deno.test(`the location of a bucket ${location} is refused`, () => {
    assert.throws(() => parseS3Location(location), (error) => {
      assert.ok(error instanceof Error);
      assert.match(error.message, problem);
      assert.doesNotMatch(error.message, /AKID|:secret/);
      return true;
    });
  });
}

Deno.test("a location without an address is that of a region of AWS", () => {
  assert.deepEqual(parseS3Location("s3://city-files/a/b/", "eu-central-1"), {
    bucket: "city-files",
    prefix: "a/b/",
    endpoint: "https://s3.eu-central-1.amazonaws.com",
    region: "eu-central-1",
  });
});

Deno.test("credentials are read from a file each time, and an incomplete one is an error without its content", async () => {
  await using folder = await makeFolder({
    key: "[other]\naws_session_token = C\n[default]\naws_access_key_id = A\naws_secret_access_key=B+/=\n",
  });
  const file = `${folder.path}/key`;
  assert.deepEqual(await readS3Credentials(file), {
    accessKeyId: "A",
    secretAccessKey: "B+/=",
    sessionToken: undefined,
  });
  await Deno.writeTextFile(file, "aws_access_key_id = A\n");
  await assert.rejects(readS3Credentials(file), {
    code: "INVALID_CONFIG",
    message: `The file ${file} has no aws_secret_access_key.`,
  });
});
