import assert from "node:assert/strict";
import configuration from "../../../deno.json" with { type: "json" };
import { status } from "../../../lib/auth/commands.ts";
import { saveProfile } from "../../../lib/auth/profiles.ts";
import { openSession } from "../../../lib/auth/session.ts";
import type { SessionOptions } from "../../../lib/auth/settings.ts";
import { createClient } from "../../../lib/client/client.ts";
import type { ClientOptions } from "../../../lib/client/client_options.ts";
import type { SvcError } from "../../../lib/errors.ts";
import {
  callApi,
  catchError,
  CLIENT,
  createSessionOptions,
  type FakeServiceOptions,
  NO_SERVICE,
  startFakeService,
} from "../../harness/fake_service.ts";
import { holdResponse } from "../../harness/faults.ts";

/** Returns the error of a first call to a service with these differences. */
async function failureWith(differs: FakeServiceOptions, changes: SessionOptions = {}): Promise<SvcError> {
  await using service = startFakeService(differs);
  const options = { ...await createSessionOptions(service), ...changes };
  const error = await catchError(async () => await callApi(openSession(options)));
  const shown = Deno.inspect(error) + JSON.stringify(error);
  for (const secret of [CLIENT.clientSecret, encodeURIComponent(CLIENT.clientSecret), "tok-"]) {
    assert(!shown.includes(secret), shown);
  }
  assert.deepEqual(tokenFiles(options), [], "a failed exchange leaves no token");
  return error;
}

function tokenFiles({ configDirectory = "" }: SessionOptions): string[] {
  return Array.from(Deno.readDirSync(configDirectory), ({ name }) => name).filter((name) => !name.endsWith(".lock"));
}

Deno.test("a call carries a token from a token exchange", async () => {
  await using service = startFakeService();
  const summaries: string[] = [];
  const session = openSession({
    ...await createSessionOptions(service),
    onExchange: ({ method, path, status, reason }) => summaries.push([method, path, status, reason].join(" ")),
  });
  assert.equal(service.exchanges, 0);
  assert.equal(await callApi(session), 200);
  assert.equal(await callApi(session), 200);
  assert.equal(service.exchanges, 1);
  assert.deepEqual(summaries, ["POST /oauth2/token 200 OK"]);
});

Deno.test("the duration of a call is that of its last request, without the token exchange", async () => {
  let granted = 0;
  const token = () => {
    granted = performance.now();
    return Response.json({ access_token: `tok-${granted}`, expires_in: 3600, token_type: "Bearer" });
  };
  let calls = 0;
  const api = ({ url }: Request) => {
    if (new URL(url).pathname === "/oauth2/token") return token();
    return Response.json({ caseTypes: [] }, { status: ++calls === 2 ? 401 : 200 });
  };
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, api);
  const baseUrl = `http://127.0.0.1:${server.addr.port}`;
  const times: boolean[] = [];
  const onReply: ClientOptions["onReply"] = ({ milliseconds }) => {
    times.push(milliseconds < performance.now() - granted);
  };
  const svc = createClient({ ...CLIENT, baseUrl, noCache: true, onReply });
  await svc.caseTypes.list();
  await svc.caseTypes.list(); // Its token is refused, so that there is another one first.
  assert.deepEqual([times, calls], [[true, true], 3]);
});

Deno.test("an exception of onExchange or warn is not reported as a network error or a bug", async () => {
  await using service = startFakeService();
  const options = await createSessionOptions(service);
  const fault = new Error("The log is full.");
  const thrower = () => {
    throw fault;
  };
  const told = async (more: SessionOptions) => {
    const { code, message, cause, hint } = await catchError(createClient({ ...options, ...more }).caseTypes.list());
    assert.deepEqual([code, cause], ["INVALID_ARGS", fault]);
    return [message, hint];
  };
  const expected = (
    name: string,
  ) => [`caseTypes.list(): ${name} threw: The log is full.`, `Catch errors inside ${name}.`];
  assert.deepEqual(await told({ onExchange: thrower }), expected("onExchange"));
  assert.deepEqual(await told({ ...NO_SERVICE, onFailure: thrower }), expected("onFailure"));
  if (Deno.build.os === "windows") return;
  await callApi(openSession(options));
  await Deno.chmod(`${options.configDirectory}/token.default.json`, 0o644);
  assert.deepEqual(await told({ warn: thrower }), expected("warn"));
});

Deno.test("every request has a User-Agent with the version, including the token exchange", async () => {
  const agents: (string | null)[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ headers }) => {
    agents.push(headers.get("user-agent"));
    return Response.json({ access_token: "tok-1", caseTypes: [] });
  });
  const baseUrl = `http://127.0.0.1:${server.addr.port}`;
  await createClient({ ...CLIENT, baseUrl, noCache: true }).caseTypes.list();
  assert.deepEqual(agents, Array(2).fill(`svc/${configuration.version}`));
});

Deno.test("a wrong secret is UNAUTHORIZED with the server's description", async () => {
  const error = await failureWith({}, { clientSecret: "wrong" });
  assert.equal(error.code, "UNAUTHORIZED");
  assert.equal(error.status, 401);
  assert.match(error.message, /\/oauth2\/token responded with 401 Unauthorized: Unknown client$/);
  assert.equal(
    error.hint,
    "Check the client ID and the client secret. Run 'svc auth diagnose' to see how the server expects them.",
  );
});

Deno.test("a rejection in any form is UNAUTHORIZED", async () => {
  const answers = [
    Response.json({ error: "unauthorized_client" }, { status: 400 }),
    Response.json({ errorDetails: [], localizedValue: "No access" }, { status: 403 }),
    new Response("who are you?", { status: 401, headers: { "www-authenticate": "Basic" } }),
  ];
  const messages = [/400 Bad Request: unauthorized_client$/, /403 Forbidden: No access$/, /401 Unauthorized\.$/];
  for (const [i, answer] of answers.entries()) {
    const error = await failureWith({ token: () => answer });
    assert.equal(error.code, "UNAUTHORIZED");
    assert.match(error.message, messages[i] ?? /never/);
  }
});

Deno.test("the error has the server's own reason, in whatever member it is, and advice on the codes of OAuth", async () => {
  const reasons: [body: unknown, reason: string, hint: RegExp][] = [
    [{ errors: [{ ID: "AUTH_17", message: "Client is locked" }] }, "Client is locked", /^Check the client ID/],
    [{ errors: [{ ID: "AUTH_17" }, { message: "second" }] }, "AUTH_17; second", /^Check the client ID/],
    [{ errorDetails: [{ localizedValue: "No access" }] }, "No access", /^Check the client ID/],
    [{ error: { message: "nested" } }, "nested", /^Check the client ID/],
    [{ error: "unsupported_grant_type" }, "unsupported_grant_type", /Check tokenPath in the profile\.$/],
    [
      { error: "unauthorized_client", error_description: "Not for you" },
      "Not for you",
      /use the grant type client_credentials/,
    ],
    [{ error: "invalid_scope" }, "invalid_scope", /^Check scope in the profile\.$/],
    [{ error: "invalid_target" }, "invalid_target", /^Check audience in the profile\.$/],
  ];
  for (const [body, reason, hint] of reasons) {
    const error = await failureWith({ token: () => Response.json(body, { status: 400 }) });
    assert.equal(error.code, "UNAUTHORIZED");
    assert.ok(error.message.endsWith(`responded with 400 Bad Request: ${reason}`), error.message);
    assert.match(error.hint ?? "", hint);
  }
});

Deno.test("the error of a token response names the member that does not fit", async () => {
  const issues: [body: unknown, problem: string][] = [
    [{ access_token: "tok-1", token_type: "BearerToken" }, 'token_type is "BearerToken", not "Bearer"'],
    [{ access_token: "tok-1", token_type: "tok-1 x" }, 'token_type has an unexpected value, not "Bearer"'],
    [{ access_token: "tok-1", expires_in: "soon" }, 'expires_in is "soon", not a number of seconds'],
    [{ token: "tok-1" }, "access_token is missing"],
    [{ access_token: 17 }, "access_token is missing"],
    [{ error: "invalid_client", error_description: "Client is locked" }, "Client is locked"],
    [["tok-1"], "it is not a JSON object"],
  ];
  for (const [body, problem] of issues) {
    const error = await failureWith({ token: () => Response.json(body) });
    assert.equal(error.code, "INVALID_RESPONSE");
    assert.ok(error.message.endsWith(`is not a token response: ${problem}.`), error.message);
  }
});

Deno.test("the client authenticates as its profile says, and asks for scope and audience", async () => {
  const id = encodeURIComponent(CLIENT.clientId);
  const encoded = `${id}:${
    new URLSearchParams({ "": CLIENT.clientSecret }).toString().slice(1).replaceAll("+", "%20")
  }`;
  const expected = {
    basic: [`Basic ${new TextEncoder().encode(encoded).toBase64()}`, null],
    "basic-plain": [
      `Basic ${new TextEncoder().encode(`${CLIENT.clientId}:${CLIENT.clientSecret}`).toBase64()}`,
      null,
    ],
    post: [null, CLIENT.clientSecret],
  } as const;
  for (const clientAuth of ["basic", "basic-plain", "post"] as const) {
    const sent: unknown[] = [];
    await using service = startFakeService({
      async token(request) {
        const form = new URLSearchParams(await request.text());
        sent.push([request.headers.get("authorization"), form.get("client_secret")]);
        sent.push([form.get("grant_type"), form.get("scope"), form.get("audience")]);
        return Response.json({ access_token: "tok-1", token_type: "Bearer" });
      },
    });
    const { configDirectory = "" } = await createSessionOptions(service);
    const grant = { scope: "read write", audience: "https://api.example" };
    await saveProfile("default", { ...CLIENT, baseUrl: service.baseUrl, clientAuth, ...grant }, configDirectory);
    await callApi(openSession({ configDirectory }));
    assert.deepEqual(sent, [expected[clientAuth], ["client_credentials", grant.scope, grant.audience]]);
    assert.equal((await status({ configDirectory })).tokenCached, true);
    assert.equal((await status({ configDirectory, scope: "read" })).tokenCached, false, "a token has its scope");
  }
});

Deno.test("a secret that the server repeats is redacted", async () => {
  const repeat = `bad: ${CLIENT.clientSecret} ${encodeURIComponent(CLIENT.clientSecret)}`;
  const token = () => Response.json({ error: "invalid_client", error_description: repeat }, { status: 400 });
  assert.match((await failureWith({ token })).message, /bad: \[REDACTED\] \[REDACTED\]$/);
});

Deno.test("an Authorization header that the server repeats is redacted", async () => {
  let sent = "";
  const repeats = (answer: (header: string) => Response): FakeServiceOptions => ({
    token(request) {
      sent = request.headers.get("authorization") ?? "";
      return answer(sent);
    },
  });
  const refused = await failureWith(repeats((header) => {
    const error = `bad: ${header}, which is ${atob(header.replace("Basic ", ""))}`;
    return Response.json({ error }, { status: 401 });
  }));
  assert.match(refused.message, /: bad: Basic \[REDACTED\], which is client%20one:\[REDACTED\]$/);
  const moved = await failureWith(repeats((header) => {
    const location = `https://elsewhere.example/?for=${encodeURIComponent(header)}`;
    return new Response(null, { status: 302, headers: { location } });
  }));
  assert.match(moved.hint ?? "", /\?for=Basic%20\[REDACTED\]: the base URL may be wrong/);
  assert(sent.length > "Basic ".length);
});

Deno.test("other statuses keep their codes", async () => {
  const wrong = /^Check baseUrl, and tokenPath in the profile\.$/;
  const cases: [status: number, code: string, hint: RegExp][] = [
    [404, "NOT_FOUND", wrong],
    [405, "HTTP_ERROR", wrong],
    [407, "HTTP_ERROR", wrong],
    [410, "HTTP_ERROR", wrong],
    [415, "HTTP_ERROR", wrong],
    [408, "TIMEOUT", /Wait a few seconds/],
    [429, "RATE_LIMITED", /Wait a few seconds/],
    [500, "INTERNAL_SERVER_ERROR", /Wait a few seconds/],
    [503, "SERVER_ERROR", /Wait a few seconds/],
  ];
  for (const [status, code, hint] of cases) {
    const error = await failureWith({ token: () => new Response("<html>", { status }) });
    assert.equal(error.code, code);
    assert.equal(error.status, status);
    assert.match(error.hint ?? "", hint);
  }
});

Deno.test("Retry-After of the token endpoint is passed on, and the hint contains it if it is valid", async () => {
  const waits = {
    "7": "7 seconds",
    "3.5": "4 seconds",
    "0.2": "1 second",
    "Fri, 02 Jan 2026 03:04:15 GMT": "until Fri, 02 Jan 2026 03:04:15 GMT",
    "abc": "a few seconds",
    "-5": "a few seconds",
  };
  for (const [retryAfter, wait] of Object.entries(waits)) {
    const token = () => new Response("busy", { status: 429, headers: { "retry-after": retryAfter } });
    const error = await failureWith({ token });
    assert.deepEqual([error.retryAfter, error.hint], [retryAfter, `Wait ${wait}, then try again.`]);
  }
});

Deno.test("a redirect is not followed", async () => {
  await using other = startFakeService();
  const wrong = "the base URL may be wrong, or a login page may be in front of the service.";
  const hints = {
    [`${other.baseUrl}/oauth2/token`]: `set the base URL to ${other.baseUrl}.`,
    [`${other.baseUrl}/login`]: wrong,
    [`${other.baseUrl}/login?to=/oauth2/token`]: wrong,
  };
  for (const [location, hint] of Object.entries(hints)) {
    const error = await failureWith({ token: () => new Response(null, { status: 307, headers: { location } }) });
    assert.equal(error.code, "INVALID_RESPONSE");
    assert.equal(error.hint, `It redirects to ${location}: ${hint}`);
  }
  const nowhere = await failureWith({ token: () => new Response(null, { status: 307 }) });
  assert.equal(nowhere.hint, "Check baseUrl, and tokenPath in the profile.");
  assert.equal(other.exchanges, 0);
});

Deno.test("a successful status other than 200 is INVALID_RESPONSE", async () => {
  for (const status of [201, 204]) {
    const error = await failureWith({ token: () => new Response(null, { status }) });
    assert.equal(error.code, "INVALID_RESPONSE");
    assert.match(error.message, new RegExp(`is not a token response: it has status ${status} instead of 200\\.$`));
    assert.equal(error.hint, "Check baseUrl, and tokenPath in the profile.");
  }
});

Deno.test("a malformed token response is INVALID_RESPONSE and its text is not shown", async () => {
  const bodies = [
    "<html>tok-1</html>",
    '{"access_token":"tok-1","token_type":"Be',
    "[]",
    '{"token_type":"Bearer","other":"tok-1"}',
    '{"access_token":"tok-1","token_type":"mac"}',
    '{"access_token":"tok-1","token_type":"Bearer","expires_in":-1}',
    '{"access_token":"tok-1","token_type":"Bearer","expires_in":"soon"}',
    '{"access_token":"tok-1\\r\\nx: y","token_type":"Bearer"}',
    '{"access_token":"tok-1 é","token_type":"Bearer"}',
  ];
  for (const body of bodies) {
    const token = () => new Response(body, { headers: { "content-type": "application/json" } });
    const error = await failureWith({ token });
    assert.equal(error.code, "INVALID_RESPONSE", body);
    assert.match(error.message, /^The response of the token endpoint http.*oauth2\/token (is not a|contains a) token/);
  }
});

Deno.test("additional members, missing optional ones, and null for optional ones are accepted", async () => {
  const part = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, "");
  const claims = { iss: "https://identity.example", sub: "me", aud: "another client", iat: 0, exp: 1 };
  const grants = [
    { id_token: `${part({ alg: "RS256" })}.${part(claims)}.c2ln` },
    { refresh_token: null, scope: null, expires_in: null },
    { token_type: undefined },
    { token_type: null },
    { scope: ["read", "write"] },
  ];
  for (const grant of grants) {
    await using service = startFakeService({ grant });
    assert.equal(await callApi(openSession(await createSessionOptions(service))), 200);
  }
});

Deno.test("an endless response is rejected before it fills the memory, whatever its status", async () => {
  for (const status of [200, 400]) {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(sent++ < 64 ? 1024 * 1024 : 1).fill(0x20)),
    });
    const error = await failureWith({ token: () => new Response(body, { status }) }, { timeoutSeconds: 20 });
    assert.match(error.message, /^The response of the token endpoint http.* is longer than 1048576 bytes\.$/);
    assert.equal(error.code, "INVALID_RESPONSE");
    assert(sent < 64, `${sent} MiB were read`);
  }
});

Deno.test("a token without expires_in lives an hour, and the longest life is a year", async () => {
  for (const [claim, seconds] of [[undefined, 3600], ["120", 120], [1e300, 31_536_000]] as const) {
    await using service = startFakeService({ grant: { expires_in: claim } });
    const options = await createSessionOptions(service);
    const before = Date.now();
    await callApi(openSession(options));
    const { expiresAt } = JSON.parse(await Deno.readTextFile(`${options.configDirectory}/token.default.json`));
    const life = (Date.parse(expiresAt) - before) / 1000;
    assert(life >= seconds && life < seconds + 10, `${claim}: ${life}`);
  }
});

Deno.test("a closed port is NETWORK_ERROR with the reason", async () => {
  const error = await catchError(async () => await callApi(openSession(await createSessionOptions(NO_SERVICE))));
  assert.equal(error.code, "NETWORK_ERROR");
  assert.equal(error.message, `POST ${NO_SERVICE.baseUrl}/oauth2/token failed: Connection refused.`);
});

Deno.test("a token endpoint that does not respond is TIMEOUT", async () => {
  const done = Promise.withResolvers<Response>();
  await using service = startFakeService({ token: () => done.promise });
  const options = await createSessionOptions(service);
  const error = await catchError(async () => await callApi(openSession({ ...options, timeoutSeconds: 0.05 })));
  assert.equal(error.code, "TIMEOUT");
  assert.match(error.message, /oauth2\/token did not respond within 0\.05 s\.$/);
  done.resolve(new Response());
});

Deno.test("a cancelled call cancels the exchange unless another call waits for it", async () => {
  const held = holdResponse();
  await using service = startFakeService({
    token: held.answer,
    api: () => Response.json({}),
  });
  const session = openSession(await createSessionOptions(service));
  const leaver = new AbortController();
  const first = callApi(session, leaver.signal);
  const second = callApi(session);
  await held.requested();
  leaver.abort();
  await assert.rejects(first, { name: "AbortError" });
  held.release(Response.json({ access_token: "unknown", token_type: "Bearer" }));
  assert.equal(await second, 401);
  assert.equal(service.exchanges, 1);
});

Deno.test("inspecting a session shows neither the secret nor a token", async () => {
  await using service = startFakeService();
  const session = openSession(await createSessionOptions(service));
  await callApi(session);
  const shown = Deno.inspect(session, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(session) +
    Object.values(Object.getOwnPropertyDescriptors(session)).map((property) => Deno.inspect(property.value)).join();
  assert(!shown.includes(CLIENT.clientSecret), shown);
  assert(!shown.includes(service.issued[0] ?? "no token"), shown);
});

Deno.test("a token is sent only to its own service, and not returned to the caller", async () => {
  await using service = startFakeService();
  await using other = startFakeService();
  const session = openSession(await createSessionOptions(service));
  const { signal } = new AbortController();
  const headers = { accept: "text/plain" };
  const urls = [`${other.baseUrl}/x`, `${service.baseUrl}.example/x`, `${service.baseUrl}@other.example/`, "no url"];
  for (const url of urls) {
    assert.equal((await catchError(session.fetch({ method: "GET", url, headers, signal }))).code, "INVALID_ARGS");
  }
  assert.equal(other.calls + service.exchanges, 0);
  const response = await session.fetch({ method: "GET", url: `${service.baseUrl}/x`, headers, signal });
  await response.body?.cancel();
  assert.deepEqual(headers, { accept: "text/plain" });
});

Deno.test("a redirect of the API is returned to the caller, not followed", async () => {
  await using other = startFakeService();
  await using service = startFakeService({ api: () => Response.redirect(`${other.baseUrl}/x`) });
  assert.equal(await callApi(openSession(await createSessionOptions(service))), 302);
  assert.equal(other.calls, 0);
});
