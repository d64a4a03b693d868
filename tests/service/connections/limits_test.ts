/** Slow clients, too many connections, and the memory of requests. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { startService } from "../../../service/mod.ts";
import { INSTALLED_PERMISSIONS } from "../../../tasks/support/installed_permissions.ts";
import { measureMemory } from "../../harness/memory.ts";
import { openService, openServiceOn, requestToken } from "../../harness/service.ts";
import { CHECKOUT, LimitedCommand } from "../../harness/svc.ts";
import { eventually, within } from "../../harness/wait.ts";
import { createText, readHeader, request, startServer, Wire } from "./_wire.ts";

const HOST = "Host: localhost\r\n";
const GET = `GET / HTTP/1.1\r\n${HOST}\r\n`;

Deno.test("a request that does not arrive in time is a 408, and a connection without a request is closed", async () => {
  // A connection must send something within `headTimeout`, also on a busy machine.
  await using server = startServer({ headTimeout: 500, bodyTimeout: 50 });
  const parts = ["GET /", `GET / HTTP/1.1\r\n${HOST}`, `POST / HTTP/1.1\r\n${HOST}Content-Length: 9\r\n\r\nabc`];
  for (const part of [...parts, `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nab`]) {
    using wire = await Wire.open(server.port);
    await wire.send(part);
    const response = await wire.receive();
    assert.equal(response?.status, 408, part);
    assert.equal(JSON.parse(response.body).errorClassification, "Request timeout");
    await wire.closed();
  }
  using silent = await Wire.open(server.port);
  assert.equal(await silent.receive(), undefined);
  assert.deepEqual(server.log, []);
});

Deno.test("a connection that is idle after a request is closed", async () => {
  await using server = startServer({ idleTimeout: 1000 });
  using idle = await Wire.open(server.port);
  await idle.send(GET);
  assert.equal((await idle.receive())?.status, 200);
  assert.equal(await idle.receive(), undefined);
  assert.deepEqual(server.log, []);
});

Deno.test("a body that arrives steadily may take longer than the time limit of a body", async () => {
  await using server = startServer({ bodyTimeout: 1000, bodyRate: 1 }); // Each part extends the limit by 10 s.
  using wire = await Wire.open(server.port);
  const part = "x".repeat(10);
  const started = performance.now();
  await wire.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: 100\r\n\r\n${part}`);
  for (let sent = 10; sent < 100; sent += 10) {
    await within("the next part is due", new Promise((resolve) => setTimeout(resolve, 120)));
    await wire.send(part);
  }
  assert.equal((await wire.receive())?.status, 200);
  assert.ok(performance.now() - started > 1000);
});

Deno.test("a body that stops arriving is a 408, however much of it has arrived", async () => {
  await using server = startServer({ bodyRate: 0.001, stallTimeout: 50 });
  using wire = await Wire.open(server.port);
  await wire.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: 9\r\nExpect: 100-continue\r\n\r\n`);
  assert.equal((await wire.receive())?.status, 100);
  await wire.send("abc");
  assert.equal((await wire.receive())?.status, 408);
});

Deno.test("a client that does not read its response loses the connection", async () => {
  await using server = startServer({ stallTimeout: 50 }, () => createText("x".repeat(50_000_000)));
  using wire = await Wire.open(server.port);
  await wire.send(GET);
  await eventually("the server closes the connection", () => server.server.connections === 0);
  assert.deepEqual(server.log, []);
});

Deno.test("a connection ends although its handler still waits for the body", async () => {
  const reads: Promise<unknown>[] = [];
  await using server = startServer({ lingerTimeout: 50 }, async (request) => {
    const reader = request.body?.getReader();
    await reader?.read();
    reads.push(assert.rejects(async () => await reader?.read()));
    await new Promise((resolve) => setTimeout(resolve));
    return createText("no", 413);
  });
  using wire = await Wire.open(server.port);
  await wire.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: 9\r\n\r\na`);
  assert.equal((await wire.receive())?.status, 413);
  await wire.send("b");
  await eventually("the server closes the connection", () => server.server.connections === 0);
  await Promise.all(reads);
  assert.deepEqual(server.log, []);
});

Deno.test("a request on a connection above the maximum is a 503 that can be repeated, and the others continue", async () => {
  await using server = startServer({ maxConnections: 3, minIdle: 60_000 });
  const open = await Promise.all([1, 2, 3].map(() => Wire.open(server.port)));
  for (const wire of open) {
    await wire.send(GET);
    assert.equal((await wire.receive())?.status, 200);
  }
  const refused = await request(server.port, GET);
  assert.equal(refused?.status, 503);
  assert.equal(readHeader(refused.head, "retry-after"), "1");
  assert.equal(JSON.parse(refused.body).errorClassification, "Service unavailable");
  for (const wire of open) {
    await wire.send(GET);
    assert.equal((await wire.receive())?.status, 200);
    wire[Symbol.dispose]();
  }
  await eventually("a new connection is served", async () => (await request(server.port, GET))?.status === 200);
});

Deno.test("a connection that waits for a request makes room for a new one", async () => {
  await using server = startServer({ maxConnections: 2, minIdle: 0 });
  using busy = await Wire.open(server.port);
  await busy.send("GET /");
  using idle = await Wire.open(server.port);
  await idle.send(GET);
  assert.equal((await idle.receive())?.status, 200);
  assert.equal((await request(server.port, GET))?.status, 200);
  assert.equal(await idle.receive(), undefined);
  await busy.send(` HTTP/1.1\r\n${HOST}\r\n`);
  assert.equal((await busy.receive())?.status, 200);
});

Deno.test("clients that read too slowly do not fill the memory of the service", async () => {
  await using server = startServer({ maxUnsentBytes: 20_000_000 }, () => createText("x".repeat(30_000_000)));
  using slow = await Wire.open(server.port);
  await slow.send(GET);
  await eventually("the response is being sent", () => server.server.connections > 0);
  await eventually("a request is refused", async () => (await request(server.port, GET))?.status === 503);
});

Deno.test("a declared length takes no memory, and half a request delays no other", async () => {
  await using svc = await openService();
  const { port, pathname } = new URL(svc.api);
  const before = measureMemory();
  const open = await Promise.all(Array.from({ length: 250 }, async (_, index) => {
    const wire = await Wire.open(Number(port));
    const path = index % 2 === 0 ? `${pathname}/cases` : svc.service.tokenPath;
    const length = index % 2 === 0 ? 4_000_000 : 16_000;
    const head = `POST ${path} HTTP/1.1\r\n${HOST}Authorization: Bearer ${svc.token}\r\nContent-Length: ${length}`;
    await wire.send(`${head}\r\n\r\n{`);
    return wire;
  }));
  assert.equal((await svc.call("GET", "/casetypes")).status, 200);
  const grown = (measureMemory() - before) / 1024 / 1024;
  assert.ok(grown < 150, `${grown} MiB`);
  open.forEach((wire) => wire[Symbol.dispose]());
});

Deno.test("a token request above 16 KiB is a 413, whether or not it declares its length", async () => {
  await using service = await startService();
  const port = Number(new URL(service.url).port);
  const form = `grant_type=client_credentials&x=${"y".repeat(16_384)}`;
  const head = `POST ${service.tokenPath} HTTP/1.1\r\n${HOST}Content-Type: application/x-www-form-urlencoded\r\n`;
  const chunk = form.length.toString(16);
  for (
    const rest of [
      `Content-Length: ${form.length}\r\n\r\n`,
      `Transfer-Encoding: chunked\r\n\r\n${chunk}\r\n${form}\r\n0\r\n\r\n`,
    ]
  ) {
    const response = await request(port, head + rest);
    assert.equal(response?.status, 413, rest);
    assert.equal(JSON.parse(response.body).errorDetails[0].message, "A body may have at most 16384 bytes.");
  }
});

/** Runs a program that prints the port of its server, with at most 100 open files. */
async function startWithFewFiles(program: string) {
  // Without access to /proc, it does not know its limit.
  const args = ["run", "--quiet", "--allow-net", "--allow-read", "--allow-env", "--config", `${CHECKOUT}/deno.json`];
  // Deno prepares its handling of signals late, and panics if it can open no file then. `svc service start` listens, too.
  const listening = 'Deno.addSignalListener("SIGTERM", () => Deno.exit());\n';
  const code = `data:text/javascript,${encodeURIComponent(listening + program)}`;
  const child = new LimitedCommand("sh", {
    args: ["-c", 'ulimit -n 100; exec "$0" "$@"', Deno.execPath(), ...args, code],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await within("the server starts", reader.read());
  return { child, reader, port: Number(JSON.parse(value).port) };
}

Deno.test({
  name: "a server that has reached its limit of open files accepts more connections again later",
  ignore: Deno.build.os === "windows",
  async fn() {
    const { child, reader, port } = await startWithFewFiles(`
      import { HttpServer } from ${JSON.stringify(import.meta.resolve("../../../service/connections/http_server.ts"))};
      import { DEFAULT_LIMITS } from ${JSON.stringify(import.meta.resolve("../../../service/connections/limits.ts"))};
      const limits = { ...DEFAULT_LIMITS, maxConnections: 500, maxAnonymous: 500, reserved: 0, minIdle: 600_000, recoveryTime: 500 };
      const respond = () => ({ status: 200, headers: {}, body: "ok" });
      const { port } = new HttpServer({ hostname: "127.0.0.1", port: 0, limits, respond, log: console.error });
      console.log(JSON.stringify({ port }));`);
    const log = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
    let lowered = 0;
    {
      using full = new DisposableStack();
      for (let count = 0; count < 120; count++) full.use(await within("a connection opens", Wire.open(port)));
      const { value: line = "" } = await within("the limit is reached", log.read());
      lowered = Number(/limit of open files is reached. The service accepts (\d+) connections/.exec(line)?.[1]);
    }
    assert.ok(lowered > 0);
    const wanted = lowered + 3;
    const acceptsMore = async () => {
      using open = new DisposableStack();
      for (let count = 0; count < wanted; count++) {
        const wire = open.use(await within("a connection opens", Wire.open(port)));
        await wire.send(GET);
        if ((await wire.receive())?.status !== 200) return false;
      }
      return true;
    };
    await eventually(`${wanted} connections are accepted`, acceptsMore);
    child.kill("SIGKILL");
    await within("the server ends", child.status);
    await reader.cancel();
    await log.cancel();
  },
});

Deno.test({
  name: "a service whose limit of open files is reached refuses requests, and continues when connections are closed",
  ignore: Deno.build.os === "windows",
  async fn() {
    const { child, reader, port } = await startWithFewFiles(`
      import { startService } from ${JSON.stringify(import.meta.resolve("../../../service/mod.ts"))};
      const service = await startService();
      console.log(JSON.stringify({ port: Number(new URL(service.url).port) }));`);
    const open: Wire[] = [];
    for (let count = 0; count < 300; count++) open.push(await within("a connection opens", Wire.open(port)));
    for (const wire of open.slice(0, 200)) wire[Symbol.dispose]();
    const answers = await within(
      "requests are answered",
      (async () => {
        for (;;) {
          const answer = await request(port, `GET /health HTTP/1.1\r\n${HOST}\r\n`);
          if (answer?.status === 200) return answer;
          assert.equal(answer?.status ?? 503, 503);
        }
      })(),
    );
    assert.equal(answers.status, 200);
    for (const wire of open.slice(200)) wire[Symbol.dispose]();
    child.kill("SIGTERM");
    await within("the service ends", child.status);
    await reader.cancel();
    assert.match(await new Response(child.stderr).text(), /limit of open files is reached.*ulimit -n/s);
  },
});

Deno.test("a request that arrives while the service stops is completed, and others receive a 503 to repeat", async () => {
  const svc = await openServiceOn({});
  const { port, pathname } = new URL(svc.api);
  const content = JSON.stringify({ caseTypeID: "City-Permit-Work-Permit", content: { Applicant: "Ada" } });
  const head = `POST ${pathname}/cases HTTP/1.1\r\n${HOST}Authorization: Bearer ${svc.token}\r\n`;
  const length = `Content-Length: ${content.length}\r\n\r\n`;
  using arriving = await Wire.open(Number(port));
  using begun = await Wire.open(Number(port));
  using idle = await Wire.open(Number(port));
  await idle.send(`GET /health HTTP/1.1\r\n${HOST}\r\n`);
  assert.equal((await idle.receive())?.status, 200);
  await arriving.send(`${head}${length}${content.slice(0, 20)}`);
  await begun.send(head.slice(0, 30));
  assert.equal((await request(Number(port), `GET /health HTTP/1.1\r\n${HOST}\r\n`))?.status, 200); // Both have arrived.
  const closed = svc[Symbol.asyncDispose]();
  await idle.send(`${head}${length}${content}`);
  const refused = await idle.receive();
  assert.deepEqual([refused?.status, readHeader(refused?.head ?? "", "retry-after")], [503, "1"]);
  const late = await request(Number(port), `${head}${length}${content}`);
  assert.deepEqual([late?.status, readHeader(late?.head ?? "", "retry-after")], [503, "1"]);
  await begun.send(`${head.slice(30)}${length}${content}`);
  await arriving.send(content.slice(20));
  const answers = [await arriving.receive(), await begun.receive()];
  assert.deepEqual(answers.map((answer) => answer?.status), [201, 201]);
  await closed;
});

Deno.test("a request that does not arrive before the service has stopped is a 503 to repeat", async () => {
  const server = startServer();
  using half = await Wire.open(server.port);
  using body = await Wire.open(server.port);
  await half.send("GET /");
  await body.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: 9\r\n\r\nabc`);
  assert.equal((await request(server.port, GET))?.status, 200);
  await Promise.all([
    server.server.stop(100),
    ...[half, body].map(async (wire) => assert.equal((await wire.receive())?.status, 503)),
  ]);
});

/** Opens connections that have sent half a request, and waits until the service has accepted as many as it will. */
async function openHalf(port: number, count: number): Promise<DisposableStack> {
  const open = new DisposableStack();
  for (let n = 0; n < count; n++) {
    const wire = open.use(await within("a connection opens", Wire.open(port)));
    await wire.send("GET / HTTP/1.1\r\nHost: loc");
  }
  return open;
}

Deno.test("clients with half requests do not keep callers with a token, token requests and health checks out", async () => {
  await using svc = await openService({ maxConnections: 40, maxAnonymous: 20 });
  const { port, pathname } = new URL(svc.api);
  const authorized = `GET ${pathname}/casetypes HTTP/1.1\r\n${HOST}Authorization: Bearer ${svc.token}\r\n\r\n`;
  using earlier = await Wire.open(Number(port));
  await earlier.send(authorized);
  assert.equal((await earlier.receive())?.status, 200);
  using _half = await openHalf(Number(port), 120);
  for (let attempt = 0; attempt < 3; attempt++) {
    assert.equal((await request(Number(port), `GET /health HTTP/1.1\r\n${HOST}\r\n`))?.status, 200);
    assert.equal((await request(Number(port), authorized))?.status, 200);
    const credentials = await svc.service.addClient("clerk@city");
    assert.match(await requestToken(svc.service, credentials), /^\S+$/);
  }
  using lasting = await Wire.open(Number(port));
  for (const wire of [earlier, lasting, lasting, earlier]) {
    await wire.send(authorized);
    assert.equal((await wire.receive())?.status, 200);
  }
});

/** Sends a request from another address of this machine, and returns the first bytes of the response. */
async function requestFrom(localAddress: string, port: number, text: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port, localAddress });
  try {
    socket.write(text);
    const [bytes] = await within("a response arrives", once(socket, "data"));
    return String(bytes);
  } finally {
    socket.destroy();
  }
}

Deno.test({
  name: "an address that has as many connections without a token as it may does not keep out another address",
  ignore: Deno.build.os !== "linux", // Others have only one address for loopback.
  async fn() {
    await using server = startServer({ maxConnections: 40, maxAnonymous: 4, minIdle: 60_000 });
    using _half = await openHalf(server.port, 4);
    await eventually("the first address is refused", async () => (await request(server.port, GET))?.status === 503);
    for (const address of ["127.0.0.2", "127.0.0.3"]) {
      assert.match(await requestFrom(address, server.port, GET), /^HTTP\/1\.1 200 /, address);
    }
    assert.equal((await request(server.port, GET))?.status, 503);
  },
});

Deno.test("the unauthenticated connection that has waited longest is closed first", async () => {
  await using server = startServer({ maxAnonymous: 3, minIdle: 0 });
  const open: Wire[] = [];
  for (let n = 0; n < 5; n++) {
    const wire = await Wire.open(server.port);
    open.push(wire);
    await wire.send(GET);
    assert.equal((await wire.receive())?.status, 200, `connection ${n}`);
  }
  const [first, second, ...others] = open;
  await first?.closed();
  await second?.closed();
  for (const wire of others) {
    await wire.send(GET);
    assert.equal((await wire.receive())?.status, 200);
  }
  open.forEach((wire) => wire[Symbol.dispose]());
});

Deno.test("authenticated connections do not count as unauthenticated ones", async () => {
  await using server = startServer({ maxAnonymous: 2, minIdle: 60_000 }, (received) => {
    if (received.header("authorization") !== undefined) received.trust();
    return createText("ok");
  });
  const open = await Promise.all(Array.from({ length: 10 }, () => Wire.open(server.port)));
  for (const wire of open.slice(0, 2)) {
    await wire.send(`GET / HTTP/1.1\r\n${HOST}Authorization: x\r\n\r\n`);
    assert.equal((await wire.receive())?.status, 200);
  }
  const refused = await request(server.port, GET);
  assert.match(refused?.body ?? "", /too many unauthenticated connections/);
  open.forEach((wire) => wire[Symbol.dispose]());
});

Deno.test({
  name: "the maximum number of connections follows the limit of open files, with the permissions of the README",
  ignore: Deno.build.os === "windows",
  async fn() {
    const code = `import { findMaxConnections } from ${
      JSON.stringify(import.meta.resolve("../../../service/connections/limits.ts"))
    };
      console.log(await findMaxConnections());`;
    const find = async (limit: number, permissions: readonly string[]) => {
      const program = `data:text/javascript,${encodeURIComponent(code)}`;
      const args = ["run", "--quiet", ...permissions, "--config", `${CHECKOUT}/deno.json`, program];
      const shell = [`ulimit -n ${limit}; exec "$0" "$@"`, Deno.execPath(), ...args];
      return Number(
        new TextDecoder().decode((await new LimitedCommand("sh", { args: ["-c", ...shell] }).output()).stdout),
      );
    };
    assert.deepEqual(await Promise.all([4000, 1000].map((limit) => find(limit, INSTALLED_PERMISSIONS))), [2048, 750]);
    assert.equal(await find(4000, ["--no-prompt", "--allow-read"]), 768);
  },
});

Deno.test("a start with an invalid number of connections is refused", async () => {
  for (const maxConnections of [0, 1.5, NaN]) {
    await assert.rejects(startService({ maxConnections }), { code: "INVALID_ARGS", hint: /--max-connections/ });
    const maxAnonymous = maxConnections;
    await assert.rejects(startService({ maxAnonymous }), { code: "INVALID_ARGS", hint: /--max-anonymous/ });
  }
});
