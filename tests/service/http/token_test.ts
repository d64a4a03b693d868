/** The token endpoint, and the lifetime of tokens. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { isJsonObject, type JsonValue } from "../../../utils/json.ts";
import { addClient } from "../../../service/access/clients.ts";
import { hashSecret, matchesHash } from "../../../service/access/secrets.ts";
import { Tokens } from "../../../service/access/tokens.ts";
import { startService } from "../../../service/mod.ts";
import { loadServedApplication } from "../../../service/sample/served_application.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { type Store, StoreFull } from "../../../service/store/store.ts";
import { openService, requestToken, sendRequest } from "../../harness/service.ts";
import { StoppedClock } from "./_stopped_clock.ts";

const FORM = { grant_type: "client_credentials" };

function member(body: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(body) ? body[name] : undefined;
}

async function openTokens() {
  const store = openSqliteStore(":memory:");
  const client = { id: "c", secretHash: "", operator: "clerk@city", createdAt: "" };
  await store.transact((tx) => tx.putClient(client));
  const tokens = new Tokens(store, 60);
  return { store, tokens, client, [Symbol.asyncDispose]: () => store.close() };
}

Deno.test("credentials are accepted by HTTP Basic and in the body", async () => {
  await using svc = await openService();
  const { service: { url, addClient } } = svc;
  const { clientId, clientSecret } = await addClient("decider@city");
  const basic = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
  const byBasic = await sendRequest("POST", `${url}/oauth2/token`, { headers: basic, body: new URLSearchParams(FORM) });
  const inBody = new URLSearchParams({ ...FORM, client_id: clientId, client_secret: clientSecret });
  for (const answer of [byBasic, await sendRequest("POST", `${url}/oauth2/token`, { body: inBody })]) {
    assert.equal(answer.status, 200);
    assert.equal(member(answer.body, "token_type"), "Bearer");
    assert.equal(member(answer.body, "expires_in"), 3600);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const authorization = `Bearer ${member(answer.body, "access_token")}`;
    assert.equal((await sendRequest("GET", `${svc.api}/casetypes`, { headers: { authorization } })).status, 200);
  }
});

Deno.test("an invalid token lifetime is refused at the start", async () => {
  for (const tokenLifetimeSeconds of [0, NaN, Infinity, 40_000_000]) {
    await assert.rejects(startService({ tokenLifetimeSeconds }), /A token must live for 1 to 31536000 seconds/);
  }
});

Deno.test("wrong credentials are an invalid_client, whether the ID or the secret is wrong", async () => {
  await using svc = await openService();
  const { clientId, clientSecret } = await svc.service.addClient("clerk@city");
  const wrong: Record<string, string>[] = [
    { authorization: `Basic ${btoa(`${clientId}:${clientSecret}x`)}` },
    { authorization: `Basic ${btoa(`${clientId}x:${clientSecret}`)}` },
    { authorization: `Basic ${btoa(`${clientId}:${clientSecret}&x`)}` },
    { authorization: `Basic ${btoa(clientId)}` },
    { authorization: "Basic !!!" },
    { authorization: "Basic AAAAA" },
    { authorization: `Bearer ${clientSecret}` },
    {},
  ];
  for (const headers of wrong) {
    const { status, body, headers: got } = await sendRequest("POST", `${svc.service.url}/oauth2/token`, {
      headers,
      body: new URLSearchParams(FORM),
    });
    assert.equal(status, 401, JSON.stringify(headers));
    assert.equal(member(body, "error"), "invalid_client");
    assert.match(got.get("www-authenticate") ?? "", /^Basic/);
  }
});

Deno.test("an unsupported or missing grant is refused as OAuth specifies", async () => {
  await using svc = await openService();
  const post = (body: Record<string, string>) =>
    sendRequest("POST", `${svc.service.url}/oauth2/token`, { body: new URLSearchParams(body) });
  const password = await post({ grant_type: "password" });
  assert.deepEqual([password.status, member(password.body, "error")], [400, "unsupported_grant_type"]);
  const none = await post({});
  assert.deepEqual([none.status, member(none.body, "error")], [400, "invalid_request"]);
});

Deno.test("a call without a valid token is a 401 in both shapes of an error", async () => {
  await using svc = await openService();
  const none = await sendRequest("GET", `${svc.api}/casetypes`);
  const wrong = await sendRequest("GET", `${svc.api}/casetypes`, { headers: { authorization: "Bearer nonsense" } });
  for (const { status, body } of [none, wrong]) {
    assert.equal(status, 401);
    assert.equal(member(body, "errorClassification"), "Unauthorized");
    const errors = member(body, "errors");
    assert.ok(Array.isArray(errors) && isJsonObject(errors[0]) && typeof errors[0].message === "string");
  }
  assert.match(wrong.headers.get("www-authenticate") ?? "", /invalid_token/);
  const schemes = [[`Basic ${btoa(svc.token)}`, 401], [`bearer  ${svc.token}`, 200]] as const;
  for (const [authorization, status] of schemes) {
    assert.equal((await sendRequest("GET", `${svc.api}/casetypes`, { headers: { authorization } })).status, status);
  }
});

Deno.test("a token expires, whether or not it is cached", async () => {
  await using opened = await openTokens();
  const { store, client } = opened;
  const short = new Tokens(store, 0);
  const token = await short.issue(client);
  assert.equal(await short.findOperator(token), undefined);
  assert.equal(await new Tokens(store, 60).findOperator(token), undefined);
  const year = 365 * 24 * 60 * 60;
  const start = Date.now();
  const long = await new Tokens(store, year).issue(client);
  assert.equal(await short.findOperator(long), "clerk@city");
  const stored = await store.read((tx) => tx.getToken(hashSecret(long)));
  const expires = Date.parse(stored?.token.expiresAt ?? "") - year * 1000;
  assert.ok(start <= expires && expires <= Date.now());
});

Deno.test("up to 10,000 tokens are found without the store, the others by looking them up if they are stored", async () => {
  using _clock = new StoppedClock();
  await using opened = await openTokens();
  const { store, client } = opened;
  let isFull = true;
  const transact: Store["transact"] = (work) => isFull ? Promise.reject(new StoreFull()) : store.transact(work);
  const tokens = new Tokens({ ...store, transact }, 60);
  const unstored = await tokens.issue(client);
  isFull = false;
  const first = await tokens.issue(client);
  await Promise.all(Array.from({ length: 9_999 }, () => tokens.issue(client)));
  assert.equal(tokens.findOperator(first), "clerk@city");
  await tokens.issue(client);
  const found = tokens.findOperator(first);
  assert.ok(found instanceof Promise);
  assert.equal(await found, "clerk@city");
  assert.equal(tokens.findOperator(first), "clerk@city");
  assert.equal(tokens.findOperator(unstored), "clerk@city");
  isFull = true;
  const later = await Promise.all(Array.from({ length: 10_000 }, () => tokens.issue(client)));
  assert.equal(await tokens.findOperator(unstored), undefined);
  assert.deepEqual(
    [later[0], later.at(-1)].map((token = "") => tokens.findOperator(token)),
    Array(2).fill("clerk@city"),
  );
  await tokens.revoke(later[0] ?? "", client);
  assert.equal(await tokens.findOperator(later[0] ?? ""), undefined);
});

Deno.test("a token is refused two seconds after another process has removed its client, and not before", async () => {
  using clock = new StoppedClock();
  await using opened = await openTokens();
  const { store, tokens, client } = opened;
  const token = await tokens.issue(client);
  await store.transact((tx) => tx.deleteClient(client.id));
  clock.time = 1999;
  assert.equal(tokens.findOperator(token), "clerk@city");
  clock.time = 2000;
  assert.equal(await tokens.findOperator(token), undefined);
  assert.equal(await tokens.findOperator(token), undefined);
  await store.transact((tx) => tx.putClient(client));
  const other = await tokens.issue(client);
  clock.time = 4000;
  assert.equal(await tokens.findOperator(other), "clerk@city");
  await store.transact((tx) => tx.deleteClient(client.id));
  clock.time = 6000;
  assert.equal(await tokens.findOperator(other), undefined, "also after it was looked up");
});

Deno.test("a client revokes its own tokens, and no others", async () => {
  await using opened = await openTokens();
  const { tokens, client } = opened;
  const token = await tokens.issue(client);
  await tokens.revoke(token, { ...client, id: "other" });
  assert.equal(await tokens.findOperator(token), "clerk@city");
  await tokens.revoke(token, client);
  assert.equal(await tokens.findOperator(token), undefined);
});

Deno.test("secrets have 256 random bits", async () => {
  await using opened = await openTokens();
  const { clientId, clientSecret } = await addClient(
    opened.store,
    await loadServedApplication(undefined),
    "clerk@city",
  );
  assert.match(clientId, /^client-[\w-]{12}$/);
  assert.match(clientSecret, /^[\w-]{43}$/);
  const hash = hashSecret(clientSecret);
  assert.deepEqual([hash, hash.slice(1), "", hashSecret("x")].map((one) => matchesHash(clientSecret, one)), [
    ...[true, false, false, false],
  ]);
  assert.match(await opened.tokens.issue(opened.client), /^[\w-]{43}$/);
});

Deno.test("a token survives a restart, and the files of the service contain no secrets", async () => {
  const data = await Deno.makeTempDir();
  let token: string;
  let secret: string;
  {
    await using service = await startService({ data });
    const credentials = await service.addClient("clerk@city");
    secret = credentials.clientSecret;
    token = await requestToken(service, credentials);
  }
  {
    await using service = await startService({ data });
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await sendRequest("GET", `${service.url}/dx-api/v2/casetypes`, { headers })).status, 200);
  }
  const db = new DatabaseSync(`${data}/service.db`);
  const dump = JSON.stringify([db.prepare("SELECT * FROM clients").all(), db.prepare("SELECT * FROM tokens").all()]);
  db.close();
  assert.equal(dump.includes(secret), false);
  assert.equal(dump.includes(token), false);
  await Deno.remove(data, { recursive: true });
});

Deno.test("a client of an operator that the application does not have is refused", async () => {
  await using svc = await openService();
  await assert.rejects(svc.service.addClient("unknown@city"), { code: "INVALID_ARGS", hint: /clerk@city/ });
});
