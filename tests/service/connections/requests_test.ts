/** Requests as bytes: what is accepted, and what is refused. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { createText, readHeader, request, startServer, Wire } from "./_wire.ts";

const HOST = "Host: x\r\n";

Deno.test("requests on one connection receive their responses, however their bytes arrive", async () => {
  await using server = startServer();
  const requests: [text: string, response: string][] = [
    [`GET /a?b=c HTTP/1.1\r\n${HOST}\r\n`, "GET /a?b=c "],
    [`POST /%2F/../x HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhello`, "POST /%2F/../x hello"],
    [
      `PUT / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nT: x\r\n\r\n`,
      "PUT / abc0123456789",
    ],
    [`\r\nDELETE http://x:1/y HTTP/1.1\r\n${HOST}\r\n`, "DELETE /y "],
    [`POST / HTTP/1.1\r\n${HOST}Content-Length: 70000\r\n\r\n${"x".repeat(70_000)}`, `POST / ${"x".repeat(70_000)}`],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...requests), { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 40 }),
      async (sent, sizes) => {
        using wire = await Wire.open(server.port);
        const bytes = sent.map(([text]) => text).join("");
        const sending = (async () => {
          let place = 0;
          for (const size of sizes) await wire.send(bytes.slice(place, place += size));
          await wire.send(bytes.slice(place));
        })();
        for (const [, response] of sent) assert.equal((await wire.receive())?.body, response);
        await sending;
      },
    ),
    { numRuns: 40 },
  );
  assert.deepEqual(server.log, []);
});

Deno.test("a malformed request is a 400 with the shape of an error, and ends the connection", async () => {
  await using server = startServer();
  const malformed = [
    "GET / HTTP/2.0\r\nHost: x\r\n\r\n",
    "GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET x HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    "G(T / HTTP/1.1\r\nHost: x\r\n\r\n",
    `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`,
    `GET / HTTP/1.1\r\n${HOST}A : b\r\n\r\n`,
    `GET / HTTP/1.1\r\n${HOST}A: b\r\n c\r\n\r\n`,
    `GET / HTTP/1.1\r\n${HOST}A: b\nB: c\r\n\r\n`,
    `GET / HTTP/1.1\r\n${HOST}A: b\0\r\n\r\n`,
    `GET / HTTP/1.1\r\n${HOST}A\r\n\r\n`,
    `POST / HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`,
    `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 1\r\n\r\nx`,
    `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  ];
  for (const text of malformed) {
    using wire = await Wire.open(server.port);
    await wire.send(text);
    const response = await wire.receive();
    assert.equal(response?.status, 400, text);
    assert.equal(JSON.parse(response.body).errorClassification, "Invalid inputs", text);
    assert.equal(readHeader(response.head, "connection"), "close");
    await wire.closed();
  }
});

Deno.test("a malformed chunk of a body is an error of the request", async () => {
  await using server = startServer();
  for (
    const chunks of ["x\r\n", "1\r\nab\r\n0\r\n\r\n", "-1\r\n", "1\nx", "1\r\n\r\n0\r\n\r\n", `${"0".repeat(13)}1\r\nx`]
  ) {
    const text = `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${chunks}`;
    const response = await request(server.port, text);
    assert.equal(response?.status, 400, chunks);
    assert.equal(JSON.parse(response.body).errorDetails[0].message, "A chunk of the body is malformed.");
  }
});

Deno.test("headers above 32 KiB are a 431", async () => {
  await using server = startServer();
  const answer = await request(server.port, `GET / HTTP/1.1\r\n${HOST}A: ${"x".repeat(40_000)}\r\n\r\n`);
  assert.equal(answer?.status, 431);
});

Deno.test("a client that waits for permission to send its body receives it, unless the body is not needed", async () => {
  await using server = startServer({}, async (request) => {
    return createText(request.target.endsWith("/read") ? new TextDecoder().decode(await request.bytes()) : "unread");
  });
  const head = (path: string) => `POST ${path} HTTP/1.1\r\n${HOST}Content-Length: 3\r\nExpect: 100-continue\r\n\r\n`;
  using wire = await Wire.open(server.port);
  await wire.send(head("/read"));
  assert.equal((await wire.receive())?.status, 100);
  await wire.send("abc");
  assert.equal((await wire.receive())?.body, "abc");
  await wire.send(head("/"));
  assert.equal((await wire.receive())?.body, "unread");
});

Deno.test("a response to HEAD has the length of the body without the body", async () => {
  await using server = startServer();
  using wire = await Wire.open(server.port);
  await wire.send(`HEAD /x HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
  const response = await wire.receive();
  assert.equal(readHeader(response?.head ?? "", "content-length"), "8");
  assert.equal(response?.body, "");
});

Deno.test("a response to a body that was not read completely arrives, and ends the connection", async () => {
  await using server = startServer({}, () => createText("no", 413));
  using wire = await Wire.open(server.port);
  const sending = wire.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: 3000000\r\n\r\n${"x".repeat(3_000_000)}`);
  const response = await wire.receive();
  assert.deepEqual([response?.status, response?.body], [413, "no"]);
  await sending.catch(() => {}); // The server may have closed the connection.
});
