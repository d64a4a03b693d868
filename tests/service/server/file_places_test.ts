/** Uploaded files of services that share a PostgreSQL database: in a directory or in a bucket. */
import assert from "node:assert/strict";
import { copyService } from "../../../service/copy/copy.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { startS3 } from "../../harness/s3_server.ts";
import {
  type ApiCaller,
  openService,
  sendRequest,
  ServiceHome,
  START_ARGUMENTS,
  type TestService,
} from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";
import { makeFolder } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";

const TEXT = "The plan of the building";

/** Uploads a file. */
async function upload({ api, token }: ApiCaller, text = TEXT) {
  const body = new FormData();
  body.append("file", new File([text], "plan.txt", { type: "text/plain" }));
  return await sendRequest("POST", `${api}/attachments/upload`, {
    headers: { authorization: `Bearer ${token}` },
    body,
  });
}

/** Attaches a file to a new case, and returns the identifier of the attachment. */
async function attach(service: ApiCaller): Promise<string> {
  const { body } = await upload(service);
  const created = await service.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Permit" } });
  const path = `/cases/${encodeURIComponent(textAt(created.body, "id"))}/attachments`;
  const attachments = [{ type: "File", category: "File", ID: textAt(body, "ID") }];
  assert.equal((await service.call("POST", path, { body: { attachments } })).status, 201);
  const listed = await service.call("GET", path);
  return String(valueAt(listed.body, "attachments.0.ID"));
}

async function download({ api, token }: ApiCaller, id: string): Promise<Response> {
  return await fetch(`${api}/attachments/${encodeURIComponent(id)}`, { headers: { authorization: `Bearer ${token}` } });
}

async function assertDownload(service: ApiCaller, id: string): Promise<void> {
  const response = await download(service, id);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(text, btoa(TEXT));
}

Deno.test("services share the files in a directory, and refuse any other place", async () => {
  await using schema = useTestSchema();
  await using folder = await makeFolder();
  const files = `${folder.path}/mounted`;
  const open = (place?: string): Promise<TestService> =>
    openService({ store: schema.location, ...(place && { files: place }) });
  await using one = await open(files);
  await using other = await open(files);
  await assertDownload(other, await attach(one));
  await assert.rejects(open(), {
    code: "INVALID_CONFIG",
    message: "The uploaded files of this database are in a directory or a bucket.",
    hint: "Name it with --files.",
  });
  await assert.rejects(open(`${folder.path}/not-mounted`), {
    message: `${folder.path}/not-mounted does not contain the files of this database.`,
  });
  await using second = useTestSchema();
  await assert.rejects(openService({ store: second.location, files }), {
    message: `${files} contains the files of another database.`,
  });
  await Deno.mkdir(`${folder.path}/in-use`);
  await Deno.writeTextFile(`${folder.path}/in-use/${crypto.randomUUID()}`, "");
  await assert.rejects(openService({ store: second.location, files: `${folder.path}/in-use` }), {
    message: `${folder.path}/in-use contains files, but this database has none.`,
  });
});

Deno.test("a directory that is no longer mounted is a 503 that clients repeat", async () => {
  await using schema = useTestSchema();
  await using folder = await makeFolder();
  const [files, away] = [`${folder.path}/mounted`, `${folder.path}/away`];
  await using service = await openService({ store: schema.location, files });
  const id = await attach(service);
  await Deno.rename(files, away);
  const assertUnavailable = async () => {
    for (const response of [await upload(service), await download(service, id)]) {
      assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "1"]);
      if (response instanceof Response) await response.body?.cancel();
    }
  };
  await assertUnavailable();
  await Deno.writeTextFile(files, ""); // Reading the marker now fails with another error.
  await assertUnavailable();
  await Deno.remove(files);
  await Deno.rename(away, files);
  await assertDownload(service, id);
  assert.equal((await upload(service)).status, 201);
});

Deno.test("files are in a bucket, and a bucket that is down is a 503 that clients repeat", async () => {
  await using schema = useTestSchema();
  await using bucket = startS3();
  await using folder = await makeFolder({
    wrong: "aws_access_key_id=other\naws_secret_access_key=very-secret\n",
    key:
      `aws_access_key_id=${bucket.environment.AWS_ACCESS_KEY_ID}\naws_secret_access_key=${bucket.environment.AWS_SECRET_ACCESS_KEY}\n`,
  });
  await using service = await openService({
    store: schema.location,
    files: bucket.location,
    filesCredentials: `${folder.path}/key`,
  });
  const id = await attach(service);
  await assertDownload(service, id);
  bucket.down = true;
  for (const response of [await upload(service), await download(service, id)]) {
    assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "1"]);
    if (response instanceof Response) await response.body?.cancel();
  }
  bucket.down = false;
  await assertDownload(service, id);
  assert.equal((await service.call("DELETE", `/attachments/${encodeURIComponent(id)}`)).status, 200);
  // The marker of the place stays.
  await eventually("the object is deleted", () => bucket.objects.size === 1);
});

Deno.test("a service with an embedded database, a wrong bucket or a wrong key does not start", async () => {
  await using schema = useTestSchema();
  await using bucket = startS3();
  await using folder = await makeFolder({ key: "aws_access_key_id=other\naws_secret_access_key=very-secret\n" });
  const filesCredentials = `${folder.path}/key`;
  await assert.rejects(openService({ store: "sqlite", files: "/mnt" }), {
    code: "INVALID_ARGS",
    message: "--files needs a PostgreSQL database.",
  });
  const { location: store } = schema;
  const unreachable = "postgres://svc@127.0.0.1:1/city";
  await assert.rejects(openService({ store: unreachable, files: "s3://AKID:secret@files" }), (error) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, /^Location of files: It contains credentials/);
    return !error.message.includes("secret");
  });
  await assert.rejects(openService({ store, files: bucket.location, filesCredentials }), (error) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, /^--files: s3:.* cannot be used\. The bucket responded with 403 InvalidAccessKeyId\.$/);
    assert.doesNotMatch(error.message, /very-secret/);
    return true;
  });
  bucket.down = true;
  await assert.rejects(openService({ store, files: bucket.location, filesCredentials }), { code: "NETWORK_ERROR" });
});

Deno.test("a detached service keeps its files in a bucket, also when it starts again", async () => {
  await using schema = useTestSchema();
  await using bucket = startS3();
  await using home = await ServiceHome.open();
  Object.assign(home.variables, bucket.environment);
  const first = await home.svc(...START_ARGUMENTS, "--store", schema.location, "--files", bucket.location);
  assert.equal(first.code, 0, JSON.stringify(first.error));
  assert.equal((await home.svc("service", "stop")).code, 0);
  const second = await home.svc(...START_ARGUMENTS);
  assert.equal(second.code, 0, JSON.stringify(second.error));
  assert.equal(bucket.objects.size, 1);
  const state = await Deno.readTextFile(`${home.directory}/service/service.json`);
  assert.ok(!state.includes(String(bucket.environment.AWS_SECRET_ACCESS_KEY)));
});

Deno.test("copies move files between a data directory, a bucket, a shared directory and a database", async () => {
  await using bucket = startS3();
  await using one = useTestSchema();
  await using two = useTestSchema();
  await using three = useTestSchema();
  await using folder = await makeFolder({
    wrong: "aws_access_key_id=other\naws_secret_access_key=very-secret\n",
    key:
      `aws_access_key_id=${bucket.environment.AWS_ACCESS_KEY_ID}\naws_secret_access_key=${bucket.environment.AWS_SECRET_ACCESS_KEY}\n`,
  });
  const filesCredentials = `${folder.path}/key`;
  const [data, shared] = [`${folder.path}/data`, `${folder.path}/shared`];
  const first = await openService({ data, store: "sqlite" });
  const id = await attach(first);
  await first[Symbol.asyncDispose]();
  const inBucket = { store: one.location, files: bucket.location, filesCredentials };
  const wrong = { from: data, to: one.location, toFiles: bucket.location, filesCredentials: `${folder.path}/wrong` };
  await assert.rejects(copyService(wrong), {
    code: "INVALID_CONFIG",
    message: `--to-files: ${bucket.location} cannot be used. The bucket responded with 403 InvalidAccessKeyId.`,
  });
  const copied = await copyService({ from: data, to: one.location, toFiles: bucket.location, filesCredentials });
  assert.equal(copied.files, 1);
  await assert.rejects(openService({ store: one.location, files: shared }), { code: "INVALID_CONFIG" });
  const second = await openService(inBucket);
  await assertDownload(second, id);
  await second[Symbol.asyncDispose]();
  const fromBucket = { from: one.location, filesCredentials };
  await assert.rejects(copyService({ ...fromBucket, to: two.location }), {
    message: "The files of the source are missing.",
  });
  await assert.rejects(
    copyService({ ...fromBucket, fromFiles: bucket.location, to: `${data}-2`, toFiles: shared }),
    { message: `--to-files needs a PostgreSQL database, but ${data}-2 is a data directory.` },
  );
  await copyService({ ...fromBucket, fromFiles: bucket.location, to: two.location, toFiles: shared });
  const third = await openService({ store: two.location, files: shared });
  await assertDownload(third, id);
  await third[Symbol.asyncDispose]();
  await assert.rejects(copyService({ from: data, to: three.location, toFiles: shared }), {
    message: "The target already contains other files.",
  });
});
