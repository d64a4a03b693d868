/** Complete calls: the request, stdout, stderr and the exit code. */
import assert from "node:assert/strict";
import { createClient } from "../../lib/client/client.ts";
import { AUTHORITY, CERTIFICATE } from "../harness/certificates.ts";
import { prepareCommandLines } from "../harness/command_process.ts";
import { startConnectProxy } from "../harness/connect_proxy.ts";
import {
  callFakeService,
  CLIENT,
  clientEnvironment,
  NO_SERVICE,
  OUTCOME_UNKNOWN_HINT,
  startAnswering,
  startFakeService,
} from "../harness/fake_service.ts";
import { holdResponse, runOnFullDisk, runWithUnreadPipe } from "../harness/faults.ts";
import {
  CHECKOUT,
  type CommandResult,
  LimitedCommand,
  makeFolder,
  parseErrorRecord,
  spawnSvc,
  svc,
  svcCommand,
  svcInProcess,
} from "../harness/svc.ts";
import { waitForOutput } from "../harness/workflow.ts";

const CONFIG = `${CHECKOUT}/deno.json`;

const CASE = { id: "C 1", type: "T", status: "Op\x1b[2Jen\u202e", urgency: 10, data: { caseInfo: {} } };
const SHOWN = JSON.stringify(CASE, null, 2).replace("\u202e", "\\u202e") + "\n";

const runCommandLine = prepareCommandLines();

Deno.test("a response is printed as JSON on stdout, and nothing else is printed", async () => {
  await using service = startAnswering(CASE);
  assert.deepEqual(await callFakeService(service, "cases get C"), { code: 0, stdout: SHOWN, stderr: "" });
});

Deno.test("identifier, status and entity tag are printed if the response contains them", async () => {
  const headers = { etag: '"tag 1"' };
  const caseInfo = { ID: "C-1", caseTypeID: "T", status: "Open", urgency: "10" };
  const shown = async (line: string, body: unknown) => {
    await using service = startAnswering(body, { headers });
    const { stdout, stderr } = await callFakeService(service, `${line} --format compact`);
    assert.equal(stderr, "");
    return stdout.trimEnd();
  };
  const fields = "--fields id,type,status,urgency,etag";
  const found = JSON.stringify({ id: "C-1", type: "T", status: "Open", urgency: "10", etag: '"tag 1"' });
  assert.equal(await shown(`cases get C-1 ${fields}`, { data: { caseInfo } }), found);
  const whole = { id: "own", ID: "own", type: "own", status: "own", urgency: 1, etag: "own", data: { caseInfo } };
  assert.equal(await shown("cases get C-1", whole), JSON.stringify(whole));
  const two = {
    data: { caseInfo: { assignments: [{ ID: "A", canPerform: "false" }, { ID: "B", canPerform: "true" }] } },
  };
  assert.equal(await shown("assignments get A --fields id", two), '{"id":"A"}');
  assert.equal(await shown("assignments get-next --fields id", two), '{"id":"B"}');
  const list = { tagsList: [{ tagName: "a" }] };
  assert.equal(await shown("tags list C-1", list), JSON.stringify(list), "a list has no tag, and stays a table");
  const said = { id: "M-1", messageID: "M-1", response: "Yes" };
  const sending = "ai-agents send-message A --conversation C --request hi";
  assert.equal(await shown(sending, said), JSON.stringify(said), "the tag is that of the conversation");
  const caseType = { ID: "T", name: "Type" };
  assert.equal(await shown("case-types get T", { caseTypes: [caseType] }), JSON.stringify(caseType));
});

Deno.test("identifiers and values reach the service as they were written", async () => {
  const seen: unknown[] = [];
  await using service = startFakeService({
    api: async (request) => {
      const { pathname } = new URL(request.url);
      const segments = pathname.split("/").map(decodeURIComponent);
      seen.push(request.method, segments.slice(3), request.headers.get("if-match"), await request.json());
      return Response.json(CASE);
    },
  });
  const id = "ASSIGN A/B C-1!Ü%#?&日";
  const args = ["assignments", "perform", id, "--action", "Do it", "--data", '{"a":" "}', "--if-match", '"t 1"'];
  assert.equal((await svc(args, { env: clientEnvironment(service) })).code, 0);
  assert.deepEqual(seen, ["PATCH", ["assignments", id, "actions", "Do it"], '"t 1"', { content: { a: " " } }]);
});

Deno.test("the proxy of the environment is used for https, without a permission for it", async () => {
  await using service = startFakeService({ certificate: CERTIFICATE, api: () => Response.json(CASE) });
  await using proxy = startConnectProxy({ port: Number(new URL(service.baseUrl).port) });
  await using folder = await makeFolder({ "authority.pem": AUTHORITY });
  const DENO_CERT = `${folder.path}/authority.pem`;
  const call = async (baseUrl: string, env: Record<string, string>) => {
    const line = svcCommand(["cases", "stage-next", "C", "--if-match", "t", "--no-cache"], folder.path);
    const [command = "", ...args] = line.map((arg) =>
      arg === "--allow-net" ? `${arg}=${new URL(baseUrl).hostname}:${new URL(baseUrl).port || 443}` : arg
    );
    const { code, stderr } = await new LimitedCommand(command, {
      args,
      env: {
        DENO_NO_UPDATE_CHECK: "1", // Deno's own request would use the proxy.
        DENO_CERT,
        NO_PROXY: "",
        no_proxy: "",
        ...clientEnvironment({ baseUrl }),
        ...env,
      },
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  };
  await call("https://svc.invalid", { HTTPS_PROXY: proxy.url });
  assert.deepEqual(new Set(proxy.requests), new Set(["CONNECT svc.invalid:443 HTTP/1.1"]));
  await using open = startAnswering(CASE);
  for (const variable of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) {
    await call(open.baseUrl, { [variable]: proxy.url });
  }
  await call(service.baseUrl, { HTTPS_PROXY: proxy.url, NO_PROXY: "127.0.0.1" });
  assert.deepEqual(new Set(proxy.requests), new Set(["CONNECT svc.invalid:443 HTTP/1.1"]));
});

Deno.test("a table hides nested fields and lists them on stderr, unless --quiet is set", async () => {
  await using service = startAnswering(CASE);
  const stdout = "id   type  status               urgency\nC 1  T     Op\\u001b[2Jen\\u202e       10\n";
  const stderr = "Nested fields hidden: data.\n";
  assert.deepEqual(await callFakeService(service, "cases get C --format table"), { code: 0, stdout, stderr });
  assert.deepEqual(await callFakeService(service, "cases get C --format table --quiet"), {
    code: 0,
    stdout,
    stderr: "",
  });
});

Deno.test("--verbose prints two lines for each exchange, without the credentials", async () => {
  await using service = startAnswering(CASE);
  const { code, stdout, stderr } = await callFakeService(service, "--verbose cases get C");
  assert.equal(code, 0);
  assert.equal(stdout, SHOWN);
  const [exchange = "", line = "", response = "", ...rest] = stderr.split("\n");
  assert.match(exchange, /^\[HTTP\] POST \/oauth2\/token 200 OK \(\d+ms\)$/);
  assert.match(line, /^\[HTTP\] GET \/dx-api\/v2\/cases\/C 200 OK \(\d+ms\)$/);
  assert.equal(response, `[HTTP] Response: ${JSON.stringify(CASE).replace("\u202e", "\\u202e")}`);
  assert.deepEqual(rest, [""]);
  for (const secret of [CLIENT.clientSecret, ...service.issued]) assert.equal(stderr.includes(secret), false);
});

Deno.test("SVC_DEBUG=http also prints the headers and the body of each request, without the credentials", async () => {
  await using service = startFakeService({ api: () => Response.json({ ID: "C-1" }) });
  const line = "cases create --type T --set Applicant=Ada";
  const { code, stderr } = await callFakeService(service, line, { env: { SVC_DEBUG: "http" } });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^\[HTTP\] POST \/dx-api\/v2\/cases\n/m);
  assert.match(stderr, /^\[HTTP\] authorization: Bearer \[REDACTED\]\n/m);
  assert.match(stderr, /^\[HTTP\] content-type: application\/json\n/m);
  assert.match(stderr, /^\[HTTP\] Request: \{.*"caseTypeID":"T".*"Applicant":"Ada".*\}\n/m);
  assert.match(stderr, /^\[HTTP\] POST \/dx-api\/v2\/cases 200 /m);
  assert.ok(!stderr.includes("Bearer t"), stderr);
});

Deno.test("SVC_DEBUG=http prints the token exchange and the headers of responses, without secrets and tokens", async () => {
  const accessToken = "tok-1234567890";
  const headers = { "set-cookie": `session=${CLIENT.clientSecret}`, "x-echo": `a ${CLIENT.clientSecret} b` };
  const token = () => Response.json({ access_token: accessToken, token_type: "Bearer", expires_in: 60 }, { headers });
  await using service = startFakeService({ token, api: () => Response.json({}, { status: 401 }) });
  for (const clientAuth of ["basic", "post"]) {
    const profile = { baseUrl: service.baseUrl, ...CLIENT, clientAuth, scope: "cases read" };
    await using folder = await makeFolder({ "config.json": JSON.stringify({ profiles: { default: profile } }) });
    const env = { SVC_CONFIG_DIR: folder.path, SVC_DEBUG: "http" };
    const { stderr } = await runCommandLine(["auth", "ping"], { env });
    const [exchange = ""] = stderr.split("[HTTP] GET ");
    const sent = clientAuth === "basic"
      ? ["authorization: Basic [REDACTED]", "Request: grant_type=client_credentials&scope=cases%20read"]
      : [
        "Request: grant_type=client_credentials&scope=cases%20read&client_id=client%20one&client_secret=[REDACTED]",
      ];
    for (
      const line of [
        "POST /oauth2/token",
        "accept: application/json",
        ...sent,
        "content-type: application/json",
        "set-cookie: [REDACTED]",
        "x-echo: a [REDACTED] b",
      ]
    ) assert.ok(exchange.includes(`[HTTP] ${line}\n`), `${line}\n${exchange}`);
    assert.match(exchange, /\n\[HTTP\] POST \/oauth2\/token 200 OK \(/);
    assert.match(stderr, /GET \/dx-api\/v2\/casetypes\n(?:.*\n)+\[HTTP\] authorization: Bearer \[REDACTED\]\n/);
    for (const secret of [CLIENT.clientSecret, accessToken]) assert.ok(!stderr.includes(secret), stderr);
  }
});

Deno.test("--verbose prints the response that rejects a token, and the call that is repeated with a new one", async () => {
  await using folder = await makeFolder();
  await using service = startAnswering(CASE);
  const env = { SVC_CONFIG_DIR: folder.path };
  assert.equal((await callFakeService(service, "cases get C", { env })).code, 0);
  service.revoke();
  const { code, stderr } = await callFakeService(service, "cases get C --verbose", { env });
  assert.equal(code, 0);
  assert.deepEqual(stderr.split("\n").map((line) => line.replace(/\(\d+ms\)|\{"id".*/, "…")), [
    "[HTTP] GET /dx-api/v2/cases/C 401 Unauthorized …",
    '[HTTP] Response: {"localizedValue":"Invalid or expired token"}',
    "[HTTP] POST /oauth2/token 200 OK …",
    "[HTTP] GET /dx-api/v2/cases/C 200 OK …",
    "[HTTP] Response: …",
    "",
  ]);
  for (const token of service.issued) assert.ok(!stderr.includes(token));
});

Deno.test("--verbose prints a line for a request that gets no response", async () => {
  await using folder = await makeFolder();
  const exchange = await callFakeService(NO_SERVICE, "cases get C --verbose", { env: { SVC_CONFIG_DIR: folder.path } });
  assert.match(exchange.stderr, /^\[HTTP\] POST \/oauth2\/token failed: Connection refused \(\d+ms\)\n\{/);
  const service = startAnswering(CASE);
  const env = { SVC_CONFIG_DIR: folder.path };
  assert.equal((await callFakeService(service, "cases get C", { env })).code, 0);
  await service[Symbol.asyncDispose]();
  const { code, stderr } = await callFakeService(service, "cases get C --verbose --retries 1", { env });
  assert.equal(code, 1);
  const line = /^\[HTTP\] GET \/dx-api\/v2\/cases\/C failed: Connection refused \(\d+ms\)$/;
  const [first = "", second = ""] = stderr.split("\n");
  assert.match(first, line);
  assert.match(second, line);
  const held = Promise.withResolvers<Response>();
  let isSilent = false;
  await using silent = startFakeService({ api: () => isSilent ? held.promise : Response.json(CASE) });
  assert.equal((await callFakeService(silent, "cases get C", { env })).code, 0);
  isSilent = true;
  const late = await callFakeService(silent, "cases get C --verbose --timeout 0.05", { env });
  held.resolve(new Response());
  assert.match(late.stderr, /^\[HTTP\] GET \/dx-api\/v2\/cases\/C did not respond within 0\.05 s \(\d+ms\)\n\{/);
});

Deno.test("--verbose prints type and size of content instead of its bytes", async () => {
  const bytes = new Uint8Array([0x25, 0x50, 0x00, 0xff]);
  const print = async (line: string, body: BodyInit, headers: HeadersInit) => {
    await using service = startFakeService({ api: () => new Response(body, { headers }) });
    const { stderr } = await callFakeService(service, `${line} --verbose`);
    return /\[HTTP\] Response: (.*)/.exec(stderr)?.[1];
  };
  const pdf = { "content-type": "application/pdf" };
  const get = "attachments get A";
  assert.equal(await print(get, bytes, { ...pdf, "content-length": "4" }), "(application/pdf, 4 bytes)");
  const base64 = { ...pdf, "content-transfer-encoding": "base64", "content-length": "8" };
  assert.equal(await print(get, "JVAA/w==", base64), "(application/pdf, 8 bytes of base64)");
  assert.equal(await print(get, new Blob([bytes]).stream(), pdf), "(application/pdf, size unknown)");
  const image = { "content-type": "image/png", "content-length": "4" };
  assert.equal(await print("cases get C", bytes, image), "(image/png, 4 bytes)");
});

Deno.test("--verbose and --dry-run print the full path, including that of the base URL", async () => {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    const isToken = pathname === "/below/oauth2/token";
    return Response.json(isToken ? { access_token: "t", token_type: "Bearer" } : { sent: pathname + search });
  });
  const baseUrl = `http://127.0.0.1:${server.addr.port}/below/`;
  const { stdout, stderr } = await callFakeService({ baseUrl }, "data list-pages --verbose");
  const { sent } = JSON.parse(stdout);
  assert.equal(sent, "/below/dx-api/v2/data_pages?type=all");
  assert.ok(stderr.includes(`[HTTP] GET ${sent} 200 OK (`), stderr);
  assert.ok((await callFakeService({ baseUrl }, "data list-pages --dry-run")).stdout.startsWith(`GET ${sent}\n`));
  await server.shutdown();
});

Deno.test("--verbose prints a response that is not JSON on one line, escaped", async () => {
  await using service = startFakeService({ api: () => new Response("<b>\r\n\x1b]0;evil\x07</b>", { status: 502 }) });
  const { code, stderr } = await callFakeService(service, "cases get C --verbose");
  assert.equal(code, 1);
  assert.ok(stderr.includes("\n[HTTP] Response: <b>\\r\\n\\u001b]0;evil\\u0007</b>\n"), stderr);
});

Deno.test("the read of a record's entity tag sends values that can be keys, and no long text", async () => {
  const seen: (string | null)[] = [];
  await using service = startFakeService({
    api: ({ url, method }) => {
      if (method === "GET") seen.push(new URL(url).searchParams.get("dataViewParameters"));
      return Response.json({ data: {} }, { headers: { etag: "1" } });
    },
  });
  const library = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
  const data = { ID: "D-1", Number: 7, Body: "x".repeat(60_000), Parts: [] };
  await library.data.update("D_Docs", { data });
  assert.deepEqual(seen, ['{"ID":"D-1","Number":7}']);
});

Deno.test("--quiet never hides an error", async () => {
  await using service = startAnswering({ localizedValue: "Gone" }, { status: 404 });
  assert.equal(parseErrorRecord(await callFakeService(service, "cases get C --quiet")).code, "NOT_FOUND");
});

Deno.test("exit codes distinguish failures: 1 service or network, 2 arguments or configuration, 4 not authenticated", async () => {
  await using service = startFakeService({ api: () => Response.json({}, { status: 500 }) });
  const expected: [Promise<CommandResult>, number, string][] = [
    [callFakeService(service, "cases get C"), 1, "INTERNAL_SERVER_ERROR"],
    [callFakeService(NO_SERVICE, "cases get C"), 1, "NETWORK_ERROR"],
    [callFakeService(service, "cases get"), 2, "INVALID_ARGS"],
    [svc(["cases", "get", "C"]), 2, "INVALID_CONFIG"],
    [callFakeService(service, "cases get C", { env: { SVC_CLIENT_SECRET: "wrong" } }), 4, "UNAUTHORIZED"],
  ];
  for (const [result, code, name] of expected) {
    assert.equal((await result).code, code);
    assert.equal(parseErrorRecord(await result).code, name);
  }
});

Deno.test("svc ends silently if the reader closes the output", async () => {
  await using service = startAnswering({ rows: "x".repeat(10_000_000) });
  await using folder = await makeFolder();
  const process = spawnSvc(["cases", "list-stages", "C"], {
    env: { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path },
  });
  await process.stdin.close();
  const reader = process.stdout.getReader();
  await reader.read();
  await reader.cancel();
  const [{ code }, stderr] = await Promise.all([process.status, new Response(process.stderr).text()]);
  assert.deepEqual([code, stderr], [0, ""]);
});

Deno.test({
  name: "after a command line, an embedding program handles Ctrl-C itself again",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using service = startAnswering({ caseTypes: [] });
    const code = `import { main } from ${JSON.stringify(new URL("../../cli.ts", import.meta.url).href)};
      await main(["case-types", "list"]);
      setInterval(() => {}, 1000);
      console.error("ready");`;
    await using folder = await makeFolder({ "program.ts": code });
    const args = ["run", "--quiet", "--allow-all", "--config", CONFIG, `${folder.path}/program.ts`];
    const env = { ...clientEnvironment(service), SVC_NO_CACHE: "true" };
    const process = new LimitedCommand(Deno.execPath(), { args, env, stdout: "null", stderr: "piped" }).spawn();
    const { rest } = await waitForOutput(process, "ready");
    process.kill("SIGINT");
    assert.equal((await process.status).signal, "SIGINT");
    await rest;
  },
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test({
    name: `${signal} aborts the call in flight, which is said, and ends with 130`,
    ignore: Deno.build.os === "windows",
    async fn() {
      for (
        const [line, hint] of [["cases get C", undefined], ["cases create --type T", OUTCOME_UNKNOWN_HINT]] as const
      ) {
        const held = holdResponse();
        await using service = startFakeService({ api: held.answer });
        await using folder = await makeFolder();
        const env = { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path };
        const process = spawnSvc(line.split(" "), { env });
        await process.stdin.close();
        await held.requested();
        process.kill(signal);
        const { code, stdout, stderr } = await process.output();
        held.release(Response.json({}));
        const error = parseErrorRecord({ code, stdout: "", stderr: new TextDecoder().decode(stderr) });
        assert.deepEqual([code, stdout.length, error.code, error.hint], [130, 0, "INTERRUPTED", hint]);
        assert.equal(error.operation, line.split(" ", 2).join("."));
      }
    },
  });
}

Deno.test("a call succeeds even if stderr is closed", async () => {
  await using service = startAnswering(CASE);
  assert.deepEqual(await runWithUnreadPipe(service, "stderr", "cases get C --verbose"), [SHOWN, 0]);
});

Deno.test({
  name: "an output that cannot be written is reported as such, not as an internal error",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = startAnswering(CASE);
    for (const line of ["cases get C", "--help", "--version"]) {
      const result = await runOnFullDisk(service, line);
      const { message } = parseErrorRecord(result);
      assert.deepEqual([result.code, message], [1, "Standard output cannot be written: No space left on device."]);
    }
  },
});

Deno.test({
  name: "if the result of a change cannot be written, the error says that the change was made and contains the result",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = startFakeService({
      api: () => Response.json({ ID: "C-7", data: { caseInfo: { ID: "C-7" } } }, { status: 201 }),
    });
    const lines = ["cases create --type T", "cases create --type T --format table", "cases create --type T --quiet"];
    for (const line of lines) {
      const result = await runOnFullDisk(service, line);
      const { code, message, details, hint } = parseErrorRecord(result);
      assert.deepEqual([result.code, code], [1, "OUTPUT_FAILED"], result.stderr);
      assert.match(String(message), /^The change was made\. .*No space left on device\.$/);
      assert.deepEqual(details, [{ id: "C-7", ID: "C-7" }]);
      assert.match(String(hint), /^Do not repeat the command/);
    }
  },
});

Deno.test("--retries repeats a failed read but not a change, and --timeout limits each request", async () => {
  let failures = 0;
  await using service = startFakeService({
    api: ({ method }) =>
      failures++ === 0 || method === "POST" ? Response.json({}, { status: 502 }) : Response.json(CASE),
  });
  const read = await callFakeService(service, "cases get C --retries 1");
  assert.deepEqual([read.code, read.stderr, service.calls], [0, "", 2]);
  const changed = await callFakeService(service, "cases create --type T --retries 5");
  assert.deepEqual([changed.code, service.calls], [1, 3]);
  const held = holdResponse();
  await using slow = startFakeService({ api: held.answer });
  const late = await callFakeService(slow, "--timeout 0.2 cases get C");
  const { code, message } = parseErrorRecord(late);
  assert.equal(code, "TIMEOUT");
  assert.match(String(message), /did not respond within 0\.2 s/);
  held.release(Response.json(CASE));
});

Deno.test("values of --retries and --timeout are checked", async () => {
  await using service = startAnswering(CASE);
  for (
    const [flag, value] of [["retries", "-1"], ["retries", "101"], ["retries", "x"], ["timeout", "0"], [
      "timeout",
      "1e3",
    ]]
  ) {
    const result = await svcInProcess(["cases", "get", "C", `--${flag}=${value}`]);
    const { code, message } = parseErrorRecord(result);
    assert.deepEqual([result.code, code], [2, "INVALID_ARGS"]);
    assert.match(String(message), new RegExp(`^--${flag} must be a .*, not "${value}"\\.$`));
  }
  assert.equal(service.calls, 0);
});
