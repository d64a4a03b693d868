/** Uploads over HTTP as any client sends them, and what is left of them on the disk. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { readChunks } from "../../../utils/fs/chunks.ts";
import { restrict } from "../../../service/access/caller_transaction.ts";
import { findUpload, removeExpired, removeOrphans, storeUpload } from "../../../service/attachments/files.ts";
import { loadServedApplication } from "../../../service/sample/served_application.ts";
import { Invalid, ServiceError } from "../../../service/errors.ts";

import { createBase64Encoder, getBase64Length } from "../../../service/http/responses.ts";
import { receiveForm } from "../../../service/http/multipart.ts";
import { resetService } from "../../../service/admin/control.ts";
import { startService } from "../../../service/mod.ts";
import { openBytes } from "../../../service/store/bytes_on_disk.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import {
  type ApiAnswer,
  type ApiCaller,
  openService,
  openServiceOn,
  readErrorDetails,
  sendRequest,
  type TestService,
} from "../../harness/service.ts";
import { createReceivedForm } from "../../harness/received_form.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";
import { type Folder, makeFolder } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";

const PERMIT = "City-Permit-Work-Permit";

async function openOn(folder: Folder): Promise<TestService> {
  return await openService({ data: `${folder.path}/data`, store: "sqlite", maxFile: 1 });
}

async function filesIn(folder: Folder): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(`${folder.path}/data/files`))).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

async function post(svc: ApiCaller, body: BodyInit, type?: string): Promise<ApiAnswer> {
  const headers = { authorization: `Bearer ${svc.token}`, ...(type !== undefined && { "content-type": type }) };
  return await sendRequest("POST", `${svc.api}/attachments/upload`, { body, headers });
}

function form(...parts: [string, string | File][]): FormData {
  const data = new FormData();
  for (const [name, value] of parts) data.append(name, value);
  return data;
}

async function link(svc: ApiCaller, ID: string): Promise<{ caseId: string; id: string; fileName: string }> {
  const created = await svc.call("POST", "/cases", { body: { caseTypeID: PERMIT } });
  const caseId = textAt(created.body, "id");
  const attachments = [{ type: "File", category: "File", ID }];
  assert.equal(
    (await svc.call("POST", `/cases/${encodeURIComponent(caseId)}/attachments`, { body: { attachments } })).status,
    201,
  );
  const list = await svc.call("GET", `/cases/${encodeURIComponent(caseId)}/attachments`);
  return { caseId, id: textAt(list.body, "attachments.0.ID"), fileName: textAt(list.body, "attachments.0.fileName") };
}

function content(svc: TestService, id: string, query: string): Promise<Response> {
  const headers = { authorization: `Bearer ${svc.token}` };
  return fetch(`${svc.api}/attachments/${encodeURIComponent(id)}${query}`, { headers });
}

Deno.test("the file part may be named file or File, and fields may come before or after it", async () => {
  await using folder = await makeFolder();
  await using svc = await openOn(folder);
  const file = new File(["abc"], "a.txt", { type: "text/plain" });
  const unique: [string, string] = ["appendUniqueIdToFileName", "true"];
  const forms = [form(["File", file]), form(unique, ["file", file]), form(["file", file], unique, ["contextID", "x"])];
  for (const [index, body] of forms.entries()) {
    const { status, body: answer, headers } = await post(svc, body);
    assert.equal(status, 201);
    const left = Date.parse(headers.get("expires") ?? "") - Date.now();
    assert.ok(left > 7_100_000 && left <= 7_200_000, `expires in ${left} ms`);
    const ID = textAt(answer, "ID");
    assert.match((await link(svc, ID)).fileName, index === 0 ? /^a\.txt$/ : /^a-[0-9a-f-]{36}\.txt$/);
  }
});

Deno.test("a text in a field named file does not count as a file, and does not replace one", async () => {
  await using folder = await makeFolder();
  await using svc = await openOn(folder);
  const text: [string, string] = ["file", "a text"];
  const { status, body } = await post(svc, form(text));
  assert.deepEqual([status, readErrorDetails(body)[0]?.message], [400, "file: must be a file."]);
  assert.deepEqual(await filesIn(folder), []);
  const file: [string, File] = ["file", new File(["abc"], "a.txt")];
  for (const parts of [[text, file], [file, text]]) {
    const uploaded = await post(svc, form(...parts));
    const { id, fileName } = await link(svc, textAt(uploaded.body, "ID"));
    assert.deepEqual([fileName, atob(await (await content(svc, id, "")).text())], ["a.txt", "abc"]);
  }
});

Deno.test("a file that is too large is refused, with or without a declared length, and nothing is stored", async () => {
  await using folder = await makeFolder();
  await using svc = await openOn(folder);
  const declared = await post(svc, form(["file", new File([new Uint8Array(3_000_000)], "a.bin")]));
  const body = new Response(form(["file", new File([new Uint8Array(1_050_000)], "a.bin")]));
  const chunked = await post(svc, body.body ?? "", body.headers.get("content-type") ?? "");
  for (const { status, body } of [declared, chunked]) {
    assert.equal(status, 413);
    assert.equal(readErrorDetails(body)[0]?.message, "Error_Too_Large_To_Upload");
  }
  assert.deepEqual(await filesIn(folder), []);
  const largest = await post(svc, form(["file", new File([new Uint8Array(1024 * 1024)], "a.bin")]));
  assert.equal(largest.status, 201);
});

Deno.test("an upload with an invalid query is refused, and nothing is stored", async () => {
  await using folder = await makeFolder();
  await using svc = await openOn(folder);
  const headers = { authorization: `Bearer ${svc.token}` };
  const body = form(["file", new File(["abc"], "a.txt")]);
  const { status } = await sendRequest("POST", `${svc.api}/attachments/upload?x=1&x=2`, { body, headers });
  assert.equal(status, 400);
  assert.deepEqual(await filesIn(folder), []);
});

Deno.test("an incomplete form and a form without a file are refused, and nothing is stored", async () => {
  await using folder = await makeFolder();
  await using svc = await openOn(folder);
  const type = "multipart/form-data; boundary=b";
  const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`;
  const bodies: [body: string, contentType: string, expected?: number][] = [
    [`${head}abc`, type],
    [head, type],
    ["--b\r\nContent-", type],
    ["nothing", type],
    ["", type],
    [`${head}abc\r\n--b--\r\n`, "multipart/form-data", 415],
    [`${head}abc\r\n--b--\r\n`, "text/plain", 415],
    ["{}", "application/json", 415],
    [`--b\r\nContent-Disposition: form-data; name="other"; filename="a.txt"\r\n\r\nabc\r\n--b--\r\n`, type],
    [`--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc\r\n--b--\r\n`, type],
  ];
  for (const [body, contentType, expected = 400] of bodies) {
    const { status } = await post(svc, body, contentType);
    assert.equal(status, expected, body);
  }
  const empty = await post(svc, form(["file", new File([], "a.txt")]));
  assert.equal(readErrorDetails(empty.body)[0]?.message, "Empty file can't be uploaded");
  assert.deepEqual(await filesIn(folder), []);
});

Deno.test("a form that is truncated at any byte is refused, stores nothing, and does not end the process", async () => {
  await using folder = await makeFolder();
  const bytes = openBytes(folder.path);
  const whole = new Response(form(["appendUniqueIdToFileName", "true"], ["file", new File(["abc"], "a.txt")]));
  const type = whole.headers.get("content-type") ?? "";
  const body = await whole.bytes();
  // The last line may lack its end.
  for (let length = 0; length < body.length - 4; length++) {
    const request = createReceivedForm(type, body.subarray(0, length));
    await assert.rejects(receiveForm(request, { bytes, limit: 10 }), ServiceError, `${length} bytes`);
    assert.deepEqual(await bytes.list(), []);
  }
});

Deno.test("a form that is truncated after its file stores nothing", async () => {
  await using folder = await makeFolder();
  const bytes = openBytes(folder.path);
  const kept = Promise.withResolvers<void>();
  const write: typeof bytes.write = async (pieces, limit) => {
    const written = await bytes.write(pieces, limit);
    kept.resolve();
    return written;
  };
  const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"`;
  const body = new ReadableStream({
    async pull(controller) {
      controller.enqueue(new TextEncoder().encode(`${part("file")}; filename="a.txt"\r\n\r\nabc\r\n${part("other")}`));
      await kept.promise;
      assert.equal((await bytes.list()).length, 1);
      controller.close();
    },
  });
  const request = createReceivedForm("multipart/form-data; boundary=b", body);
  await assert.rejects(receiveForm(request, { bytes: { ...bytes, write }, limit: 10 }), Invalid);
  assert.deepEqual(await bytes.list(), []);
});

Deno.test("a full disk is a failure of the service, not of the caller", async () => {
  await using folder = await makeFolder();
  await using svc = await openOn(folder);
  await Deno.writeTextFile(`${folder.path}/data/files`, "no folder can be made here");
  const { status } = await post(svc, form(["file", new File(["abc"], "a.txt")]));
  assert.equal(status, 500);
  assert.match(svc.log.join(), /File exists/);
});

Deno.test("an upload stores nothing if the client disconnects", async () => {
  await using folder = await makeFolder();
  await using svc = await openOn(folder);
  const { hostname, port } = new URL(svc.service.url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const head =
    `POST ${
      new URL(svc.api).pathname
    }/attachments/upload HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${svc.token}` +
    "\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 900000\r\n\r\n" +
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc';
  await connection.write(new TextEncoder().encode(head));
  await eventually("the upload is written to a file", async () => (await filesIn(folder)).length > 0);
  connection.close();
  await eventually("the file is removed", async () => (await filesIn(folder)).length === 0);
  assert.deepEqual(svc.log, []);
});

Deno.test("an upload without a token is refused before it is read", async () => {
  await using svc = await openService();
  const body = form(["file", new File([new Uint8Array(20_000_000)], "a.bin")]);
  const { status } = await sendRequest("POST", `${svc.api}/attachments/upload`, { body });
  assert.equal(status, 401);
});

Deno.test("attachments survive a restart, orphaned files do not, and the last link deletes the bytes", async () => {
  await using folder = await makeFolder();
  let linked = { caseId: "", id: "" };
  {
    await using svc = await openOn(folder);
    linked = await link(svc, textAt((await post(svc, form(["file", new File(["abc"], "5% (ä).txt")]))).body, "ID"));
  }
  await Deno.writeTextFile(`${folder.path}/data/files/${crypto.randomUUID()}`, "of a process that was killed");
  await using svc = await openOn(folder);
  assert.equal((await filesIn(folder)).length, 1);
  const response = await content(svc, linked.id, "?mode=stream");
  assert.equal(await response.text(), "abc");
  const names = `filename="5_ (_).txt"; filename*=UTF-8''5%25%20%28%C3%A4%29.txt`;
  assert.equal(response.headers.get("content-disposition"), `attachment; ${names}`);
  assert.equal(response.headers.get("content-transfer-encoding"), "binary");
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  assert.equal((await svc.call("DELETE", `/cases/${encodeURIComponent(linked.caseId)}`)).status, 200);
  await svc.service.close(); // It finishes what it does after its answers.
  assert.deepEqual(await filesIn(folder), []);
});

Deno.test("files of others in the data directory survive the service and its reset, whatever their names", async () => {
  const others = ["holiday.jpg", crypto.randomUUID(), "album/one.jpg", "0/two.jpg"];
  await using folder = await makeFolder(Object.fromEntries(others.map((name) => [`data/files/${name}`, name])));
  const before = (await filesIn(folder)).sort();
  await using refused = await makeFolder({ "app.yaml": "application: 3" });
  await assert.rejects(openService({ data: `${folder.path}/data`, store: "sqlite", app: `${refused.path}/app.yaml` }));
  {
    await using svc = await openOn(folder);
    await link(svc, textAt((await post(svc, form(["file", new File(["abc"], "a.txt")]))).body, "ID"));
  }
  await Deno.remove(`${folder.path}/data/files/${others[1]}`); // Only a database that was there knows what is not its own.
  await resetService({ data: `${folder.path}/data` });
  assert.deepEqual((await filesIn(folder)).sort(), before.filter((name) => name !== others[1]));
});

Deno.test("only the user who runs a service can read its data", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using folder = await makeFolder({ "data/mine.txt": "" });
  await using svc = await openOn(folder);
  await link(svc, textAt((await post(svc, form(["file", new File(["abc"], "a.txt")]))).body, "ID"));
  for (const { name, isFile } of Deno.readDirSync(`${folder.path}/data`)) {
    const mode = (await Deno.stat(`${folder.path}/data/${name}`)).mode ?? 0;
    if (name !== "mine.txt") assert.equal(mode & 0o777, isFile ? 0o600 : 0o700, name);
  }
});

Deno.test("an empty path is refused as a data directory, because it would be the root of the file system", async () => {
  await assert.rejects(startService({ data: "" }), {
    code: "INVALID_ARGS",
    message: /^The data directory is an empty path/,
  });
});

Deno.test("a file is sent as base64 unless bytes are requested, and other modes are refused", async () => {
  await using folder = await makeFolder();
  await using svc = await openOn(folder);
  const bytes = crypto.getRandomValues(new Uint8Array(60_000)).map((byte, i) => byte ^ i);
  const { id } = await link(svc, textAt((await post(svc, form(["file", new File([bytes], "a.bin")]))).body, "ID"));
  for (const query of ["", "?mode=string"]) {
    const text = await content(svc, id, query);
    assert.equal(text.headers.get("content-transfer-encoding"), "base64");
    assert.equal(text.headers.get("content-length"), "80000");
    assert.equal(await text.text(), bytes.toBase64());
  }
  assert.deepEqual(await (await content(svc, id, "?mode=stream")).bytes(), bytes);
  const refused = await content(svc, id, "?mode=text");
  assert.deepEqual([refused.status, /mode must be string or stream/.test(await refused.text())], [400, true]);
});

Deno.test("bytes have the same base64 text regardless of their chunks", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 20 })), async (pieces) => {
      const sent = await new Response(ReadableStream.from(pieces).pipeThrough(createBase64Encoder())).text();
      const whole = new Uint8Array(pieces.flatMap((piece) => [...piece]));
      assert.equal(sent, whole.toBase64());
      assert.equal(sent.length, getBase64Length(whole.length));
    }),
  ));

Deno.test("an upload that is not linked expires after two hours, with its bytes", async () => {
  const [store, bytes] = [openSqliteStore(":memory:"), openBytes()];
  const app = await loadServedApplication(undefined);
  const caller = app.operators.get("clerk@city");
  assert.ok(caller);
  const start = new Date("2026-01-02T03:04:05.678Z");
  const { id, size } = await bytes.write(
    (async function* () {
      yield await Promise.resolve(new Uint8Array(3));
    })(),
    10,
  );
  const expires = await store.transact((tx) => {
    return storeUpload({ app, tx: restrict(tx, app, { caller, now: start }), caller, now: start }, {
      id,
      size,
      name: "a.txt",
      type: "text/plain",
    });
  });
  assert.equal(expires.toISOString(), "2026-01-02T05:04:05.678Z");
  const found = (now: Date) =>
    store.read((tx) => findUpload({ app, tx: restrict(tx, app, { caller, now }), caller, now }, id));
  assert.equal((await found(new Date(expires.getTime() - 1)))?.name, "a.txt");
  assert.equal(await found(expires), undefined);
  const lifetime = expires.getTime() - start.getTime();
  const afterExpiry = new Date(expires.getTime() + 1);
  await removeExpired(store, bytes, { now: expires, uptime: lifetime });
  await removeExpired(store, bytes, { now: afterExpiry, uptime: lifetime - 1 });
  assert.deepEqual(await bytes.list(), [id]);
  await removeExpired(store, bytes, { now: afterExpiry, uptime: lifetime });
  assert.deepEqual(await bytes.list(), []);
  await Promise.all([store.close(), bytes.close()]);
});

Deno.test("an upload that another process receives is not an orphan, and its remains are one after a day", async () => {
  await using folder = await makeFolder();
  const [store, bytes] = [openSqliteStore(":memory:"), openBytes(folder.path)];
  const begun = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  const upload = bytes.write(
    (async function* () {
      yield new Uint8Array(3);
      begun.resolve();
      await rest.promise;
    })(),
    10,
  );
  await begun.promise;
  const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000);
  await removeOrphans(store, bytes, yesterday);
  rest.resolve();
  const { id } = await upload;
  assert.deepEqual(await bytes.list(), [id]);
  const old = new Date(yesterday.getTime() - 1000);
  await Deno.utime(`${folder.path}/${id}`, old, old);
  await removeOrphans(store, bytes, yesterday);
  assert.deepEqual(await bytes.list(), []);
  await store.close();
});

Deno.test("the thumbnail flag is also accepted as other clients write it", async () => {
  await using svc = await openService();
  const png = await Deno.readFile(new URL("../../../service/sample/static/files/logo.png", import.meta.url));
  const { caseId } = await link(svc, textAt((await post(svc, form(["file", new File([png], "a.png")]))).body, "ID"));
  const { body } = await svc.call("GET", `/cases/${encodeURIComponent(caseId)}/attachments?includeThumbnail=true`);
  assert.equal(valueAt(body, "attachments.0.thumbnail"), png.toBase64());
});

Deno.test("an image that is deleted during a list has no thumbnail, and the list succeeds", async () => {
  await using folder = await makeFolder();
  await using svc = await openOn(folder);
  const png = await Deno.readFile(new URL("../../../service/sample/static/files/logo.png", import.meta.url));
  const { caseId } = await link(svc, textAt((await post(svc, form(["file", new File([png], "a.png")]))).body, "ID"));
  for (const name of await filesIn(folder)) await Deno.remove(`${folder.path}/data/files/${name}`);
  const { status, body } = await svc.call(
    "GET",
    `/cases/${encodeURIComponent(caseId)}/attachments?includeThumbnails=true`,
  );
  assert.deepEqual([status, valueAt(body, "attachments.0.fileName"), svc.log], [200, "a.png", []]);
  assert.equal(valueAt(body, "attachments.0.thumbnail"), undefined);
});

Deno.test("a slow deletion of a file does not delay other calls", async () => {
  const asked = Promise.withResolvers<void>();
  const removed = Promise.withResolvers<void>();
  const bytes = openBytes();
  const remove = async (id: string) => {
    asked.resolve();
    await removed.promise;
    await bytes.remove(id);
  };
  await using svc = await openServiceOn({ bytes: { ...bytes, remove } });
  const { id } = await link(svc, textAt((await post(svc, form(["file", new File(["a"], "a.txt")]))).body, "ID"));
  assert.equal((await svc.call("DELETE", `/attachments/${encodeURIComponent(id)}`)).status, 200);
  await asked.promise;
  const other = svc.call("GET", "/casetypes");
  assert.equal((await other.finally(removed.resolve)).status, 200);
});

Deno.test("a file is closed if its reader cancels while it is opened", async () => {
  await using folder = await makeFolder({ a: "abc" });
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<Deno.FsFile>();
  const stream = readChunks(async () => {
    asked.resolve();
    await left.promise;
    const file = await Deno.open(`${folder.path}/a`);
    opened.resolve(file);
    return file;
  });
  const reader = stream.getReader();
  const first = reader.read();
  await asked.promise;
  await reader.cancel();
  left.resolve();
  const file = await opened.promise;
  await first;
  await new Promise((resolve) => setTimeout(resolve));
  assert.throws(() => file.statSync(), Deno.errors.BadResource);
});

Deno.test({
  name: "a directory that is read as a file is closed",
  ignore: Deno.build.os === "windows", // It does not open a directory.
  async fn() {
    await using folder = await makeFolder();
    const file = await Deno.open(folder.path);
    await assert.rejects(readChunks(() => Promise.resolve(file)).getReader().read(), Deno.errors.IsADirectory);
    assert.throws(() => file.statSync(), Deno.errors.BadResource);
  },
});
