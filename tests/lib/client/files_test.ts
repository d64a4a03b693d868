/** Uploads and downloads, and what happens when a transfer stops in the middle. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { createContext } from "../../../cli/context.ts";
import { deliver } from "../../../cli/render/download.ts";
import { readGlobalFlags } from "../../../cli/args/read_values.ts";
import { watchUpload } from "../../../cli/render/transfer.ts";
import type { Content } from "../../../lib/operation/answer.ts";
import { createCaller } from "../../../lib/client/caller.ts";
import { createClient } from "../../../lib/client/client.ts";
import { base64Decoder, openContent } from "../../../lib/client/response/open_content.ts";
import { Deadline } from "../../../lib/http/limits.ts";
import { MultipartBody } from "../../../lib/client/request/multipart.ts";
import { type FileInput, isOfType, type OperationRef } from "../../../lib/operation/operation.ts";
import { readChunks } from "../../../utils/fs/chunks.ts";
import operations from "../../../lib/resources/attachments.ts";
import { receiveForm } from "../../../service/http/multipart.ts";
import { openBytes } from "../../../service/store/bytes_on_disk.ts";
import { createReceivedForm } from "../../harness/received_form.ts";
import { catchError, clientEnvironment, createSessionOptions, startFakeService } from "../../harness/fake_service.ts";
import { createCapturedIo } from "../../harness/captured_io.ts";
import { prepareCommandLines } from "../../harness/command_process.ts";
import { WireReader } from "../../harness/faults.ts";
import { makeFolder } from "../../harness/svc.ts";

const runCommandLine = prepareCommandLines();

const GET: OperationRef = { name: "attachments.get", operation: operations.get };

Deno.test("any name, text and bytes that the client sends reach the service as they were", async () => {
  const bytesOf = openBytes();
  const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((one) => one.isWellFormed());
  // The standard writes a quotation mark as %22 and a backslash as it is: neither can be told from what it looks like.
  const names = fc.oneof(text, fc.constantFrom('a"b.txt', "a\r\nb", "ü ;=\\.txt", "../x")).filter((one) => {
    return one !== "" && !/%|\\("|$)/.test(one);
  });
  await fc.assert(
    fc.asyncProperty(names, text, fc.uint8Array({ maxLength: 50 }), async (name, value, bytes) => {
      const body = new MultipartBody([["field", value], ["file", new File([bytes.slice()], name)]]);
      const sent = await new Response(body.stream()).bytes();
      assert.equal(sent.length, body.size);
      const form = await receiveForm(createReceivedForm(body.type, sent), { bytes: bytesOf, limit: 100 });
      const file = form.get("file");
      assert.ok(file instanceof Object);
      assert.deepEqual([file.name, file.size], [name, bytes.length]);
      assert.deepEqual(await new Response(file.stream()).bytes(), bytes);
      assert.equal(form.get("field"), value.replace(/\r\n?|\n/g, "\r\n"));
    }),
    { numRuns: 60 },
  );
  await bytesOf.close();
});

Deno.test("a file that changes while it is sent is an error, not a wrong upload", async () => {
  for (const size of [2, 4]) {
    const file: FileInput = { name: "a.txt", size, stream: () => new Blob(["abc"]).stream() };
    const body = new MultipartBody([["file", file]]);
    const error = await catchError(new Response(body.stream()).bytes());
    assert.match(error.message, /^a\.txt has changed while it was sent/);
  }
});

Deno.test("an upload whose file changes or cannot be read fails with a known outcome", async () => {
  await using service = startFakeService({
    api: async (request) => Response.json({ ID: await request.text().catch(String) }),
  });
  const svc = createClient({ ...await createSessionOptions(service), retries: 2 });
  const torn = new TypeError("the disk: is gone");
  const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(torn) });
  const gone = () => readChunks(() => Deno.open("/nowhere/a.txt"));
  const texts = new ReadableStream({ start: (controller) => controller.enqueue("abcd") });
  const sources: [stream: FileInput["stream"], message: string][] = [
    [() => new Blob(["abc"]).stream(), "a.txt has changed while it was sent: it had 4 bytes."],
    [() => new Blob(["abcde"]).stream(), "a.txt has changed while it was sent: it had 4 bytes."],
    [() => broken, "a.txt cannot be read: the disk: is gone."],
    [gone, "a.txt cannot be read: there is no such file."],
    [() => texts, "a.txt cannot be read: its stream gives no bytes."],
  ];
  for (const [stream, message] of sources) {
    const error = await catchError(svc.attachments.upload({ file: { name: "a.txt", size: 4, stream } }));
    assert.deepEqual([error.code, error.message, error.operation], [
      "INVALID_ARGS",
      `attachments.upload(): ${message}`,
      "attachments.upload",
    ]);
    assert.deepEqual([error.outcomeUnknown, error.attempts], [undefined, undefined]);
  }
});

Deno.test("the media type of an upload cannot begin a header or a part of its own", async () => {
  for (const type of ["text/x\r\nContent-Disposition: form-data; name=other", "text/\u00fc", "", undefined]) {
    const body = new MultipartBody([["file", {
      name: "a",
      size: 1,
      type,
      stream: () => new Blob(["a"]).stream(),
    }]]);
    const text = await new Response(body.stream()).text();
    assert.deepEqual(text.split("\r\n").slice(2, 5), ["Content-Type: application/octet-stream", "", "a"]);
  }
});

Deno.test("the media type of an upload without one comes from the name of its file", async () => {
  const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  const types = {
    "plan.pdf": "application/pdf",
    "Site photo.JPG": "image/jpeg",
    "letter.docx": docx,
    "old.doc": "application/msword",
    "mail.msg": "application/vnd.ms-outlook",
    "rows.csv": "text/csv",
    "plan.v2.dwg": "image/vnd.dwg",
    "pdf": "application/octet-stream",
    "a.unknown": "application/octet-stream",
  };
  await using folder = await makeFolder(Object.fromEntries(Object.keys(types).map((name) => [name, "x"])));
  const received: (string | undefined)[] = [];
  await using service = startFakeService({
    async api(request) {
      const file = (await request.formData()).get("file");
      received.push(file instanceof File ? file.type : undefined);
      return Response.json({ ID: "1" }, { status: 201 });
    },
  });
  const library = createClient(await createSessionOptions(service));
  for (const [name, type] of Object.entries(types)) {
    const args = ["attachments", "upload", "--file", `${folder.path}/${name}`];
    assert.equal((await runCommandLine(args, { env: clientEnvironment(service) })).code, 0);
    await library.attachments.upload({ file: new File(["x"], name) });
    await library.attachments.upload({ file: new File(["x"], name, { type: "text/x-own" }) });
    assert.deepEqual(received.splice(0), [type, type, "text/x-own"], name);
  }
});

Deno.test("a cancelled upload ends, whatever its file does", async () => {
  await using service = startFakeService({
    api: async (request) => Response.json({ ID: await request.text().catch(String) }),
  });
  const svc = createClient(await createSessionOptions(service));
  const controller = new AbortController();
  const { signal } = controller;
  const stream = () =>
    new ReadableStream<Uint8Array>({
      pull(source) {
        controller.abort();
        source.error(signal.reason);
      },
    });
  const error = await catchError(svc.attachments.upload({ file: { name: "a.txt", size: 4, stream } }, { signal }));
  assert.equal(error.code, "INTERRUPTED", error.message);
});

Deno.test("an upload that ends early releases its file", async () => {
  await using service = startFakeService({
    api: async (request) => Response.json({ ID: await request.text().catch(String) }),
  });
  const svc = createClient(await createSessionOptions(service));
  for (const code of ["INTERRUPTED", "TIMEOUT"]) {
    const controller = new AbortController();
    const { promise: letGo, resolve } = Promise.withResolvers<void>();
    const stream = () =>
      new ReadableStream<Uint8Array>({
        pull() {
          if (code === "INTERRUPTED") controller.abort();
          return new Promise(() => {});
        },
        cancel: () => resolve(),
      });
    const file = { name: "a.txt", size: 4, stream };
    const { signal } = controller;
    const error = await catchError(
      svc.attachments.upload({ file }, { signal, timeoutSeconds: code === "TIMEOUT" ? 0.1 : 30 }),
    );
    assert.deepEqual([error.code, error.outcomeUnknown], [code, true]);
    await letGo;
  }
});

Deno.test("an upload is sent again from the start if the cached token is rejected", async () => {
  const lengths: (string | null)[] = [];
  await using service = startFakeService({
    api: async (request) => {
      const form = await request.formData();
      lengths.push(request.headers.get("content-length"));
      const file = form.get("file");
      return Response.json({ id: file instanceof File ? await file.text() : "", ID: "x" }, { status: 201 });
    },
  });
  const svc = createClient(await createSessionOptions(service));
  const file = new File(["the whole text"], "a.txt");
  const upload = async () => Object(await svc.attachments.upload({ file })).id;
  assert.equal(await upload(), "the whole text");
  service.revoke();
  assert.equal(await upload(), "the whole text");
  assert.equal(service.exchanges, 2);
  assert.ok(lengths.every((length) => Number(length) > 100), `declared lengths: ${lengths}`);
});

async function read(response: () => Response): Promise<{ content: Content; text: () => Promise<string> }> {
  const service = startFakeService({ api: response });
  const { content } = await createCaller(await createSessionOptions(service)).call(GET, { id: "A" });
  assert.ok(content);
  return {
    content,
    async text() {
      await using _service = service;
      return await new Response(content.stream).text();
    },
  };
}

Deno.test("content has a type, a name, a size and its bytes", async () => {
  const headers = {
    "content-type": "text/css",
    "content-length": "3",
    "content-disposition": `attachment; filename="a b.css"; filename*=UTF-8''%C3%BC%2F..%2F.css`,
  };
  const { content, text } = await read(() => new Response("abc", { headers }));
  assert.deepEqual([content.type, content.name, content.size], ["text/css", "ü/../.css", 3]);
  assert.equal(await text(), "abc");
});

Deno.test("content in base64 is decoded on the way, in whatever pieces it comes", async () => {
  const { content, text } = await read(() =>
    new Response("YWJj\r\nZGVm\r\nZw==\r\n", { headers: { "content-transfer-encoding": "Base64" } })
  );
  assert.equal(content.size, undefined);
  assert.equal(await text(), "abcdefg");
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 9 }), async (bytes, n) => {
      const encoded = new TextEncoder().encode(bytes.slice().toBase64());
      const pieces = Array.from({ length: Math.ceil(encoded.length / n) }, (_, i) => encoded.slice(i * n, i * n + n));
      const decoded = ReadableStream.from(pieces).pipeThrough(base64Decoder());
      assert.deepEqual(await new Response(decoded).bytes(), bytes);
    }),
  );
  const bad = await read(() => new Response("?!", { headers: { "content-transfer-encoding": "base64" } }));
  const { code, operation } = await catchError(bad.text());
  assert.deepEqual([code, operation], ["INVALID_RESPONSE", "attachments.get"]);
});

/** A service that sends bytes and then closes the connection, or keeps it open. */
function rawService(answer: string, hangUp = true): Disposable & { baseUrl: string } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  (async () => {
    for await (const connection of listener) {
      open.add(connection);
      // Read the whole request: if a connection is closed with unread bytes, the client may lose the response.
      const request = await new WireReader(connection).read();
      const isToken = request?.head.startsWith("POST /oauth2/token");
      const token = '{"access_token":"t","token_type":"bearer","expires_in":3600}';
      const text = isToken
        ? `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${token.length}\r\n\r\n${token}`
        : answer;
      await connection.write(new TextEncoder().encode(text));
      if (isToken || hangUp) connection.close();
    }
  })();
  return {
    baseUrl: `http://127.0.0.1:${listener.addr.port}`,
    [Symbol.dispose]() {
      listener.close();
      for (const connection of open) {
        try {
          connection.close();
        } catch (error) {
          if (!(error instanceof Deno.errors.BadResource)) throw error; // It is closed already.
        }
      }
    },
  };
}

const CUT = {
  "a declared length": "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc",
  "chunks": "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n",
};

for (const [kind, answer] of Object.entries(CUT)) {
  Deno.test(`a download with ${kind} that is cut short is an error and leaves no file`, async () => {
    using service = rawService(answer);
    await using folder = await makeFolder();
    const { content } = await createCaller(await createSessionOptions(service)).call(GET, { id: "A" });
    assert.ok(content);
    const context = createContext(readGlobalFlags({}), createCapturedIo({ stdout: "", stderr: "" }));
    const error = await catchError(deliver(context, content, `${folder.path}/a.txt`));
    assert.deepEqual([error.code, error.operation], ["NETWORK_ERROR", "attachments.get"]);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder.path)), []);
  });
}

/** Content that stalls after three bytes. Only the deadline can end it. */
function stalled(deadline: Deadline): ReadableStreamDefaultReader<Uint8Array> {
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array(3)) });
  const explain = (error: unknown) => deadline.explain(error, "GET /attachments/A");
  return openContent(new Response(body), { deadline, explain }).stream.getReader();
}

Deno.test("a download that stalls ends in time, one that is read slowly does not", async () => {
  const deadline = new Deadline({ timeoutSeconds: 0.05 });
  const reader = stalled(deadline);
  assert.equal((await reader.read()).value?.length, 3);
  await new Promise((resolve) => AbortSignal.timeout(100).addEventListener("abort", resolve)); // The reader is idle.
  assert.equal(deadline.signal.aborted, false);
  assert.equal((await catchError(reader.read().then(() => {}))).code, "TIMEOUT");
});

Deno.test("a download that its caller cancels is INTERRUPTED", async () => {
  using service = rawService(CUT["a declared length"], false);
  const abort = new AbortController();
  const { content } = await createCaller(await createSessionOptions(service)).call(GET, { id: "A" }, {
    signal: abort.signal,
  });
  assert.ok(content);
  const all = new Response(content.stream).bytes();
  abort.abort();
  assert.equal((await catchError(all.then(() => {}))).code, "INTERRUPTED");
});

Deno.test("a download is cancelled even if the platform has lost its signal or the stream is not being read", async () => {
  for (const isRead of [true, false]) {
    const abort = new AbortController();
    const reader = stalled(new Deadline({ timeoutSeconds: 60 }, abort.signal));
    assert.equal((await reader.read()).value?.length, 3);
    const more = isRead ? reader.read() : undefined;
    abort.abort();
    assert.equal((await catchError((more ?? reader.read()).then(() => {}))).code, "INTERRUPTED");
  }
});

const CLOSED = { sanitizeResources: true }; // What is left open makes the test fail.

Deno.test("a download is cancelled if onReply throws, because its caller does not get it", CLOSED, async () => {
  await using service = startFakeService({ api: () => new Response("abc") });
  const onReply = () => {
    throw new Error("The log is full.");
  };
  const svc = createClient({ ...await createSessionOptions(service), onReply });
  assert.equal(
    (await catchError(svc.attachments.get("A"))).message,
    'attachments.get("A"): onReply threw: The log is full.',
  );
});

Deno.test("a text response may be plain or JSON", async () => {
  for (const [text, expected] of [["Done", "Done"], ['"Done"', "Done"], ["", ""], ['{"a":1}', '{"a":1}']]) {
    await using service = startFakeService({ api: () => new Response(text) });
    const svc = createClient(await createSessionOptions(service));
    assert.equal(await svc.attachments.patch("A", { name: "b" }), expected);
  }
});

function content(type: string, text: string): Content {
  return { type, size: text.length, stream: new Blob([text]).stream() };
}

Deno.test("a terminal shows text, escaped and to its last byte, and no other content", async () => {
  const captured = { stdout: "", stderr: "" };
  const context = createContext(readGlobalFlags({}), createCapturedIo(captured, { terminal: true }));
  await deliver(context, content("text/plain; charset=utf-8", "a\x1b[2Jb\n"));
  assert.equal(captured.stdout, "a\\u001b[2Jb\n");
  captured.stdout = "";
  const cut = new Blob(["a", new Uint8Array([0xe2, 0x82])]).stream(); // Two of the three bytes of a euro sign.
  await deliver(context, { type: "text/plain", stream: cut });
  assert.equal(captured.stdout, "a\ufffd");
  const error = await catchError(deliver(context, content("image/png", "\x89PNG")));
  assert.deepEqual([error.code, error.message], [
    "INVALID_ARGS",
    "The content is image/png, which a terminal cannot show.",
  ]);
  assert.match(error.hint ?? "", /-o <path>/);
  assert.equal(captured.stdout, "a\ufffd");
});

Deno.test("a carriage return in a text does not take a terminal back over what it has shown, in whatever pieces it comes", async () => {
  for (const pieces of [["REJECTED\rAPPROVED\r\nend\r"], ["REJECTED\r", "APPROVED\r", "\nend", "\r"]]) {
    const captured = { stdout: "", stderr: "" };
    const context = createContext(readGlobalFlags({}), createCapturedIo(captured, { terminal: true }));
    const encoder = new TextEncoder();
    const stream = ReadableStream.from(pieces.map((piece) => encoder.encode(piece)));
    await deliver(context, { type: "text/plain", stream });
    assert.equal(captured.stdout, "REJECTED\\rAPPROVED\nend\\r");
  }
});

Deno.test({
  name: "a replaced file keeps its permissions",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await makeFolder({ "plan.txt": "old" });
    const path = `${folder.path}/plan.txt`;
    for (const mode of [0o600, 0o640, 0o755]) {
      await Deno.chmod(path, mode);
      const context = createContext(readGlobalFlags({}), createCapturedIo({ stdout: "", stderr: "" }));
      await deliver(context, content("text/plain", "new"), path);
      const { mode: now } = await Deno.stat(path);
      assert.deepEqual([await Deno.readTextFile(path), (now ?? 0) & 0o777], ["new", mode]);
    }
  },
});

Deno.test("a file behind a link is written to the target of the link, even if the target does not exist", async () => {
  await using folder = await makeFolder({ "there/old.txt": "old" });
  const context = createContext(readGlobalFlags({}), createCapturedIo({ stdout: "", stderr: "" }));
  for (const name of ["old.txt", "none.txt"]) {
    const link = `${folder.path}/link-${name}`;
    await Deno.symlink(`there/${name}`, link);
    await deliver(context, content("text/plain", "new"), link);
    assert.equal(await Deno.readTextFile(`${folder.path}/there/${name}`), "new");
    assert.ok((await Deno.lstat(link)).isSymlink);
  }
});

Deno.test("a transfer shows its progress on a terminal, unless --quiet", async () => {
  await using folder = await makeFolder();
  for (const quiet of [false, true]) {
    const captured = { stdout: "", stderr: "" };
    const context = createContext({ ...readGlobalFlags({}), quiet }, createCapturedIo(captured, { terminal: true }));
    await deliver(context, content("image/png", "x".repeat(1e6)), `${folder.path}/a.png`);
    const file = new File(["y".repeat(2e6)], "b.png");
    await watchUpload(context, { file }, async (values) => {
      assert.ok(isOfType("file", values.file));
      await new Response(values.file.stream()).bytes();
    });
    if (quiet) assert.equal(captured.stderr, "");
    else {assert.match(
        captured.stderr.replaceAll("\r\x1b[K", "|"),
        /^\|\[[#-]+\] [\d.]+\/1\.0 MB · .*\|.*\/2\.0 MB.*\|$/,
      );}
  }
});
