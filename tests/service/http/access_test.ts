/** Host names, origins of web pages, conditional reads, media types, and what ends a token. */
import assert from "node:assert/strict";
import { addClient } from "../../../service/access/clients.ts";
import { Tokens } from "../../../service/access/tokens.ts";
import { removeClient } from "../../../service/admin/control.ts";
import { RateLimit } from "../../../service/http/rate_limit.ts";
import { startService } from "../../../service/mod.ts";
import { loadServedApplication } from "../../../service/sample/served_application.ts";
import { type Store, StoreFull } from "../../../service/store/store.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { openService, readErrorDetails, requestToken, sendRequest } from "../../harness/service.ts";
import { textAt } from "../../harness/service_engine.ts";
import { makeFolder } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";
import { request } from "../connections/_wire.ts";
import { StoppedClock } from "./_stopped_clock.ts";

const PERMIT = { caseTypeID: "City-Permit-Work-Permit", content: { Applicant: "Ada" } };

Deno.test("only loopback addresses and allowed names are accepted as the host", async () => {
  await using service = await startService({ allowHost: ["Permits.example"] });
  const port = Number(new URL(service.url).port);
  const status = async (host: string) => {
    return (await request(port, `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`))?.status;
  };
  for (const host of ["localhost", `127.0.0.1:${port}`, "[::1]:80", "a.localhost", "permits.example:443"]) {
    assert.equal(await status(host), 200, host);
  }
  for (
    const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "other.permits.example"]
  ) {
    assert.equal(await status(host), 403, host);
  }
});

Deno.test("a page of an allowed origin may call the service, and no other page", async () => {
  await using svc = await openService({ cors: ["https://desk.example"] });
  const preflight = (origin: string) =>
    sendRequest("OPTIONS", `${svc.api}/cases/C-1`, {
      headers: { origin, "access-control-request-method": "GET", "access-control-request-headers": "authorization" },
    });
  const allowed = await preflight("https://desk.example");
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers.get("access-control-allow-origin"), "https://desk.example");
  assert.equal(allowed.headers.get("access-control-allow-methods"), "DELETE, GET, HEAD, OPTIONS");
  assert.match(allowed.headers.get("access-control-allow-headers") ?? "", /Authorization/);
  const other = await preflight("https://evil.example");
  assert.deepEqual([other.status, other.headers.get("access-control-allow-origin")], [204, null]);
  assert.equal(other.headers.get("access-control-allow-methods"), null);
  const read = await svc.call("GET", "/casetypes", { headers: { origin: "https://desk.example" } });
  assert.equal(read.headers.get("access-control-allow-origin"), "https://desk.example");
  assert.equal(read.headers.get("vary"), "Origin");
  const refused = await svc.call("GET", "/nothing", { headers: { origin: "https://desk.example" } });
  assert.equal(refused.headers.get("access-control-allow-origin"), "https://desk.example");
  await using closed = await openService();
  const none = await closed.call("GET", "/casetypes", { headers: { origin: "https://desk.example" } });
  assert.equal(none.headers.get("access-control-allow-origin"), null);
  await assert.rejects(startService({ cors: ["desk.example"] }), { code: "INVALID_ARGS" });
});

Deno.test("OPTIONS lists the methods of a path without a token", async () => {
  await using svc = await openService();
  const path = await sendRequest("OPTIONS", `${svc.api}/cases/C-1`);
  assert.deepEqual([path.status, path.headers.get("allow")], [204, "DELETE, GET, HEAD, OPTIONS"]);
  assert.equal((await sendRequest("OPTIONS", `${svc.api}/nothing/here`)).status, 404);
});

Deno.test("a read with the current entity tag is a 304 without a body", async () => {
  await using svc = await openService();
  const created = await svc.call("POST", "/cases", { body: PERMIT });
  const path = `/cases/${encodeURIComponent(textAt(created.body, "id"))}`;
  const tag = (await svc.call("GET", path)).headers.get("etag") ?? "";
  for (const value of [tag, `"${tag}"`, `W/"${tag}"`, `"other", "${tag}"`, "*"]) {
    for (const method of ["GET", "HEAD"]) {
      const read = await svc.call(method, path, { headers: { "if-none-match": value } });
      assert.deepEqual([read.status, read.body, read.headers.get("etag")], [304, undefined, tag], value);
    }
  }
  assert.equal((await svc.call("GET", path, { headers: { "if-none-match": "other" } })).status, 200);
  const stages = await svc.call("POST", `${path}/stages/next`, { headers: { "if-none-match": "*" } });
  assert.equal(stages.status, 200);
});

Deno.test("a body of another media type is a 415", async () => {
  await using svc = await openService();
  const text = JSON.stringify(PERMIT);
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data"]) {
    const answer = await svc.call("POST", "/cases", { text, headers: { "content-type": type } });
    assert.equal(answer.status, 415, type);
    assert.equal(readErrorDetails(answer.body)[0]?.message, `The body must be application/json, not ${type}.`);
  }
  for (const type of ["application/json; charset=utf-8", "Application/JSON", "application/merge-patch+json"]) {
    assert.equal((await svc.call("POST", "/cases", { text, headers: { "content-type": type } })).status, 201, type);
  }
  assert.equal((await svc.call("POST", "/attachments/upload", { text })).status, 415);
});

Deno.test("a body in another charset or with a content encoding is a 415", async () => {
  await using svc = await openService();
  const text = JSON.stringify(PERMIT);
  const send = async (headers: Record<string, string>) => {
    const { status, body } = await svc.call("POST", "/cases", { text, headers });
    return [status, readErrorDetails(body)[0]?.message];
  };
  for (const charset of ["iso-8859-1", "UTF-16", "windows-1252"]) {
    for (const value of [charset, `"${charset}"`]) {
      const answer = await send({ "content-type": `application/json; charset=${value}` });
      assert.deepEqual(answer, [415, `The body must be encoded as UTF-8, not ${charset}.`]);
    }
  }
  for (const encoding of ["gzip", "br", "gzip, identity"]) {
    const answer = await send({ "content-type": "application/json", "content-encoding": encoding });
    assert.deepEqual(answer, [415, `The body must be sent without Content-Encoding, not as ${encoding}.`]);
  }
  const accepted = { "content-type": 'application/json;charset="UTF-8"', "content-encoding": "identity" };
  assert.deepEqual(await send(accepted), [201, undefined]);
  const { url, tokenPath } = svc.service;
  const form = { body: new URLSearchParams({ grant_type: "x" }), headers: { "content-encoding": "gzip" } };
  assert.equal((await sendRequest("POST", url + tokenPath, form)).status, 415);
  const upload = new FormData();
  upload.append("file", new File(["abc"], "a.txt"));
  const compressed = { authorization: `Bearer ${svc.token}`, "content-encoding": "gzip" };
  const { status } = await sendRequest("POST", `${svc.api}/attachments/upload`, { body: upload, headers: compressed });
  assert.equal(status, 415);
});

Deno.test("a client revokes its own tokens and no others", async () => {
  await using svc = await openService();
  const [one, other] = [await svc.service.addClient("clerk@city"), await svc.service.addClient("clerk@city")];
  const token = await requestToken(svc.service, one);
  const revoke = async ({ clientId, clientSecret }: typeof one, value: string) => {
    const headers = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
    return (await sendRequest("POST", `${svc.service.url}/oauth2/revoke`, {
      headers,
      body: new URLSearchParams({ token: value }),
    })).status;
  };
  const status = async () => {
    return (await svc.call("GET", "/casetypes", { headers: { authorization: `Bearer ${token}` } })).status;
  };
  assert.deepEqual([await revoke(other, token), await status()], [200, 200]);
  assert.deepEqual([await revoke({ ...one, clientSecret: "wrong" }, token), await status()], [401, 200]);
  assert.deepEqual([await revoke(one, "unknown"), await status()], [200, 200]);
  assert.deepEqual([await revoke(one, token), await status()], [200, 401]);
});

Deno.test("a removed client is refused, and so are its tokens", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  await using svc = await openService({ data });
  const client = await svc.service.addClient("decider@city");
  const token = await requestToken(svc.service, client);
  assert.deepEqual(await removeClient({ data, client: client.clientId }), { client: client.clientId, removed: true });
  await assert.rejects(requestToken(svc.service, client), /invalid_client/);
  await eventually("the token is refused", async () => {
    return (await svc.call("GET", "/casetypes", { headers: { authorization: `Bearer ${token}` } })).status === 401;
  });
  await assert.rejects(removeClient({ data, client: client.clientId }), { code: "INVALID_ARGS" });
});

Deno.test("a client that sends too many token requests receives a 429, and others do not", async () => {
  await using svc = await openService();
  const [busy, other] = [await svc.service.addClient("clerk@city"), await svc.service.addClient("clerk@city")];
  const findRefusal = async (client_secret: string) => {
    const body = { grant_type: "client_credentials", client_id: busy.clientId, client_secret };
    const post = () => sendRequest("POST", `${svc.service.url}/oauth2/token`, { body: new URLSearchParams(body) });
    const answers = await Promise.all(Array.from({ length: 330 }, post));
    const refused = answers.find(({ status }) => status === 429);
    assert.ok(refused);
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
    assert.equal(textAt(refused.body, "error"), "slow_down");
  };
  await findRefusal("wrong");
  assert.ok(await requestToken(svc.service, busy), "wrong secrets do not lock out the client");
  await findRefusal(busy.clientSecret);
  assert.ok(await requestToken(svc.service, other));
});

Deno.test("a rate limit allows a burst per name, and further events at a steady rate", () => {
  using clock = new StoppedClock();
  const limit = new RateLimit(2, 1500);
  const count = (time: number, name = "a") => {
    clock.time = time;
    return limit.count(name);
  };
  assert.deepEqual([count(0), count(0), count(0, "b")], [0, 0, 0]);
  assert.deepEqual([count(0), count(499), count(500), count(1499)], [2, 2, 1, 1]);
  assert.deepEqual([count(1500), count(1500), count(9000), count(9000), count(9000)], [0, 2, 0, 0, 2]);
});

Deno.test("a rate limit remembers 10,000 names, and forgets unused ones first", () => {
  using clock = new StoppedClock();
  const limit = new RateLimit(1, 1000);
  const fill = (from: number, to: number) => {
    for (let n = from; n < to; n++) limit.count(`name ${n}`);
  };
  limit.count("old");
  clock.time = 900;
  limit.count("busy");
  fill(0, 9_998);
  clock.time = 1000;
  limit.count("new");
  assert.equal(limit.count("busy"), 1);
  assert.equal(limit.count("old"), 0);
  assert.equal(limit.count("old"), 1, "the limits that are in use were forgotten to make room");
  assert.equal(limit.count("busy"), 0);
});

Deno.test("a token that a full disk cannot store is valid in this process", async () => {
  using clock = new StoppedClock();
  const real = openSqliteStore(":memory:");
  const { clientId } = await addClient(real, await loadServedApplication(undefined), "clerk@city");
  const full: Store = { ...real, transact: () => Promise.reject(new StoreFull("The disk is full.")) };
  const tokens = new Tokens(full, 60);
  const client = await real.read((tx) => tx.getClient(clientId));
  assert.ok(client);
  const token = await tokens.issue(client);
  assert.equal(await tokens.findOperator(token), "clerk@city");
  clock.time = 2000;
  assert.equal(await tokens.findOperator(token), "clerk@city");
  await tokens.revoke(token, { ...client, id: "other" });
  assert.equal(await tokens.findOperator(token), "clerk@city");
  await tokens.revoke(token, client);
  assert.equal(await tokens.findOperator(token), undefined);
  const failing: Store = { ...real, transact: () => Promise.reject(new Error("The store fails.")) };
  await assert.rejects(new Tokens(failing, 60).issue(client), /The store fails/);
  await real.close();
});
