import assert from "node:assert/strict";
import { login } from "../../../lib/auth/commands.ts";
import { diagnose, type DiagnosisResult, type DiagnosisStep } from "../../../lib/auth/diagnose.ts";
import type { SessionOptions } from "../../../lib/auth/settings.ts";
import {
  CLIENT,
  createSessionOptions,
  freshDirectory,
  NO_SERVICE,
  startFakeService,
} from "../../harness/fake_service.ts";
import { LimitedCommand, PROGRAM, runScript, svc } from "../../harness/svc.ts";
import { AUTHORITY, CERTIFICATE } from "../../harness/certificates.ts";
import { startConnectProxy } from "../../harness/connect_proxy.ts";

const STEPS = ["configuration", "dns", "tcp", "tls", "token", "api"];

/** Returns the step that failed. All before it must have worked, and all after it must have been skipped. */
function failedStep({ ok, steps }: DiagnosisResult): DiagnosisStep {
  assert.equal(ok, false);
  assert.deepEqual(steps.map(({ step }) => step), STEPS);
  const failed = steps.find((step) => !step.ok);
  assert(failed);
  const rest = steps.slice(steps.indexOf(failed) + 1);
  for (const { ok, result } of rest) assert.deepEqual([ok, result], [false, `skipped: ${failed.step} failed`]);
  assert(failed.hint, "a failure says what to do");
  assert(!JSON.stringify(steps).includes(CLIENT.clientSecret));
  return failed;
}

/** Diagnoses in a process with its own environment. */
async function diagnoseIn(env: Record<string, string>, options: SessionOptions): Promise<DiagnosisResult> {
  const { stdout } = await runScript("tests/lib/auth/_script.ts", ["diagnose", JSON.stringify(options)], {
    DENO_NO_UPDATE_CHECK: "1", // Deno's own request would use the proxy.
    ...env,
  });
  return JSON.parse(stdout);
}

/** Writes the certificate of the authority to a file. Returns its path. */
async function writeAuthority({ configDirectory }: SessionOptions): Promise<string> {
  const path = `${configDirectory}/authority.pem`;
  await Deno.writeTextFile(path, AUTHORITY);
  return path;
}

Deno.test("diagnose reports each layer of a working connection and does not use the cache", async () => {
  await using service = startFakeService();
  const options = await createSessionOptions(service);
  const { profile, ok, steps } = await diagnose(options);
  assert.deepEqual([profile, ok], ["default", true]);
  assert.deepEqual(steps.map(({ step }) => step), STEPS);
  const { host } = new URL(service.baseUrl);
  const results = steps.map(({ result }) => result);
  assert.equal(results[0], `client client one of ${service.baseUrl}, API at /dx-api/v2`);
  assert.equal(results[1], "127.0.0.1 is 127.0.0.1");
  assert.equal(results[2], `${host} accepts connections`);
  assert.equal(results[3], "not used: the address starts with http://");
  assert.match(
    results[4] ?? "",
    /\/oauth2\/token issued a token that expires 2\S+ \(clientAuth basic\)$/,
  );
  assert.equal(results[5], "GET /dx-api/v2/casetypes responded with 200; case types: 0");
  assert.deepEqual(Array.from(Deno.readDirSync(options.configDirectory ?? "")), []);
  assert(!JSON.stringify(steps).includes(service.issued[0] ?? "no token"));
});

Deno.test("a missing configuration fails with instructions to create one", async () => {
  const failed = failedStep(await diagnose({ configDirectory: await freshDirectory() }));
  assert.equal(failed.step, "configuration");
  assert.match(failed.result, /^There is no profile "default"/);
  assert.match(failed.hint ?? "", /SVC_BASE_URL/);
});

Deno.test("an unknown host fails at dns", async () => {
  const failed = failedStep(await diagnoseIn({}, await createSessionOptions({ baseUrl: "https://nowhere.invalid" })));
  assert.equal(failed.step, "dns");
  assert.match(failed.result, /^Looking up nowhere\.invalid failed: .*(ENOTFOUND|EAI_AGAIN)/);
  assert.match(failed.hint ?? "", /host name in baseUrl/);
});

Deno.test("a host that svc has no permission to reach fails at dns with PERMISSION_DENIED", async () => {
  const { code, stdout } = await new LimitedCommand(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-prompt", "--allow-env", "--allow-read", "--allow-net=127.0.0.1"],
      ...[PROGRAM, "auth", "diagnose"],
    ],
    env: {
      SVC_BASE_URL: "https://svc.example",
      SVC_CLIENT_ID: "id",
      SVC_CLIENT_SECRET: "secret",
      SVC_NO_CACHE: "true",
      NO_PROXY: "*",
    },
  }).output();
  const { steps }: DiagnosisResult = JSON.parse(new TextDecoder().decode(stdout));
  const failed = steps.find(({ ok }) => !ok);
  assert.deepEqual([failed?.step, failed?.code, failed?.hint], [
    "dns",
    "PERMISSION_DENIED",
    "Install svc with --allow-net=svc.example.",
  ]);
  assert.equal(code, 1);
});

Deno.test("a closed port fails at tcp", async () => {
  const failed = failedStep(await diagnose(await createSessionOptions(NO_SERVICE)));
  assert.equal(failed.step, "tcp");
  assert.equal(failed.result, `Connecting to ${new URL(NO_SERVICE.baseUrl).host} failed: Connection refused.`);
  assert.match(failed.hint ?? "", /the port in baseUrl/);
});

Deno.test("https to a port that speaks http fails at tls", async () => {
  await using service = startFakeService();
  const baseUrl = service.baseUrl.replace("http:", "https:");
  const failed = failedStep(await diagnose(await createSessionOptions({ baseUrl })));
  assert.equal(failed.step, "tls");
  assert.match(failed.hint ?? "", /speaks https/);
});

Deno.test("a certificate of an unknown authority fails at tls, and works with the variable that the hint names", async () => {
  await using service = startFakeService({ certificate: CERTIFICATE });
  const options = await createSessionOptions(service);
  const failed = failedStep(await diagnose(options));
  assert.equal(failed.step, "tls");
  assert.match(failed.result, /UnknownIssuer/);
  assert.match(failed.hint ?? "", /DENO_CERT=<file>/);

  const { ok, steps } = await diagnoseIn({ DENO_CERT: await writeAuthority(options) }, options);
  assert(ok, JSON.stringify(steps));
  assert.equal(steps[3]?.result, "the certificate is valid for 127.0.0.1");
});

Deno.test("after a rejected client, diagnose says how the server accepts it", async () => {
  const [id, secret] = [CLIENT.clientId, CLIENT.clientSecret];
  const servers: Record<string, (authorization: string | null, form: URLSearchParams) => boolean> = {
    post: (authorization, form) => authorization === null && form.get("client_secret") === secret,
    "basic-plain": (authorization) =>
      authorization === `Basic ${new TextEncoder().encode(`${id}:${secret}`).toBase64()}`,
  };
  for (const [method, accepts] of Object.entries(servers)) {
    await using service = startFakeService({
      async token(request) {
        const form = new URLSearchParams(await request.text());
        const isAccepted = accepts(request.headers.get("authorization"), form);
        if (!isAccepted) return Response.json({ error: "invalid_client" }, { status: 401 });
        return Response.json({ access_token: "tok-1", token_type: "Bearer" });
      },
    });
    const failed = failedStep(await diagnose(await createSessionOptions(service)));
    assert.equal(
      failed.hint,
      `The server accepts the client with clientAuth ${method}. To change the profile, run: ` +
        `svc profile set default --client-auth ${method}`,
    );
  }
  await using strict = startFakeService();
  const wrong = failedStep(await diagnose({ ...await createSessionOptions(strict), clientSecret: "wrong" }));
  assert.equal(
    wrong.hint,
    "Check the client ID and the client secret. The server also rejects them with clientAuth basic-plain and post.",
  );
  await using other = startFakeService({
    token: () => Response.json({ error: "unsupported_grant_type" }, { status: 400 }),
  });
  assert.match(failedStep(await diagnose(await createSessionOptions(other))).hint ?? "", /Check tokenPath/);
});

Deno.test("a wrong secret fails at token even if a token is cached", async () => {
  await using service = startFakeService();
  const options = await createSessionOptions(service);
  await login(options);
  const failed = failedStep(await diagnose({ ...options, clientSecret: "wrong" }));
  assert.equal(failed.step, "token");
  assert.match(failed.result, /401 Unauthorized: Unknown client$/);
  assert.match(failed.hint ?? "", /client secret/);
});

Deno.test("a token endpoint at another path fails at token with the member to correct", async () => {
  await using service = startFakeService({ token: () => new Response("<html>", { status: 404 }) });
  const failed = failedStep(await diagnose(await createSessionOptions(service)));
  assert.equal(failed.step, "token");
  assert.match(failed.hint ?? "", /tokenPath in the profile/);
});

Deno.test("a token endpoint that does not respond fails at token with a hint", async () => {
  const never = Promise.withResolvers<Response>();
  await using service = startFakeService({ token: () => never.promise });
  const failed = failedStep(await diagnose({ ...await createSessionOptions(service), timeoutSeconds: 1 }));
  never.resolve(new Response());
  assert.deepEqual([failed.step, failed.code], ["token", "TIMEOUT"]);
  assert.match(failed.hint ?? "", /^Check baseUrl and tokenPath in the profile, .*timeoutSeconds/);
});

Deno.test("a wrong API root and a response without case types fail at api", async () => {
  await using service = startFakeService();
  const wrongRoot = failedStep(await diagnose({ ...await createSessionOptions(service), apiRoot: "/api" }));
  assert.equal(wrongRoot.step, "api");
  assert.equal(wrongRoot.result, "The resource cannot be found.");
  assert.match(wrongRoot.hint ?? "", /apiRoot in the profile.*127\.0\.0\.1:\d+\/api\.$/);

  for (const api of [() => new Response("<html>"), () => Response.json("none"), () => Response.json({})]) {
    await using other = startFakeService({ api });
    const failed = failedStep(await diagnose(await createSessionOptions(other)));
    assert.equal(failed.step, "api");
    assert.match(failed.hint ?? "", /apiRoot in the profile/);
  }
});

Deno.test("an API that rejects the token fails at api with a hint", async () => {
  await using service = startFakeService({ grant: { access_token: "never-valid" } });
  const failed = failedStep(await diagnose(await createSessionOptions(service)));
  assert.equal(failed.step, "api");
  assert.equal(failed.result, "Invalid or expired token");
  assert.match(failed.hint ?? "", /refuses a token that its token endpoint has issued: check baseUrl, tokenPath/);

  await using closed = startFakeService({
    api: () => Response.json({ localizedValue: "Not for you" }, { status: 403 }),
  });
  const forbidden = failedStep(await diagnose(await createSessionOptions(closed)));
  assert.equal(forbidden.code, "FORBIDDEN");
  assert.deepEqual([forbidden.step, forbidden.result], ["api", "Not for you"]);
  assert.match(forbidden.hint ?? "", /operators of the service/);
});

Deno.test("behind a proxy only token and api are tested, through the proxy", async () => {
  await using service = startFakeService({ certificate: CERTIFICATE });
  await using proxy = startConnectProxy({ port: Number(new URL(service.baseUrl).port) });
  const { host } = new URL(proxy.url);
  const options = await createSessionOptions({ baseUrl: "https://svc.invalid" });
  const DENO_CERT = await writeAuthority(options);
  for (const variable of ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"]) {
    const env = { [variable]: `http://me:hidden@${host}`, NO_PROXY: "vc.invalid,127.0.0.0/8", DENO_CERT };
    const { ok, steps } = await diagnoseIn(env, options);
    assert.ok(ok, JSON.stringify(steps));
    const handled = `handled by the proxy ${host} from ${variable}`;
    assert.deepEqual(steps.slice(1, 4).map(({ result }) => result), [handled, handled, handled]);
    assert(!JSON.stringify(steps).includes("hidden"));
  }
  assert.equal(proxy.requests[0], "CONNECT svc.invalid:443 HTTP/1.1");
  for (const NO_PROXY of ["svc.invalid", ".invalid", "*"]) {
    const env = { HTTPS_PROXY: proxy.url, NO_PROXY, DENO_CERT };
    assert.equal(failedStep(await diagnoseIn(env, options)).step, "dns");
  }
});

Deno.test("a proxy that blocks all calls fails at token, with its variable in the hint", async () => {
  await using service = startFakeService({ certificate: CERTIFICATE });
  const options = await createSessionOptions(service);
  const DENO_CERT = await writeAuthority(options);
  const HTTPS_PROXY = NO_SERVICE.baseUrl;
  for (const NO_PROXY of ["", "127.0.0.2", "10.0.0.0/8", "0.0.0.0/99", "127.0.0.1.example"]) {
    const failed = failedStep(await diagnoseIn({ HTTPS_PROXY, NO_PROXY, DENO_CERT }, options));
    assert.deepEqual([failed.step, failed.code], ["token", "NETWORK_ERROR"]);
    assert.match(failed.hint ?? "", /^Check the address in HTTPS_PROXY .*127\.0\.0\.1 through\. .*DENO_CERT.*NO_PROXY/);
  }
  await using picky = startConnectProxy({ reject: "407 Proxy Authentication Required" });
  const refused = failedStep(await diagnoseIn({ HTTPS_PROXY: picky.url, DENO_CERT }, options));
  assert.match(refused.result, /proxy auth/);
  assert.match(refused.hint ?? "", /^Check the address in HTTPS_PROXY/);
  for (const NO_PROXY of ["127.0.0.1", "::1, 127.0.0.0/8"]) {
    assert.ok((await diagnoseIn({ HTTPS_PROXY, NO_PROXY, DENO_CERT }, options)).ok);
  }
});

Deno.test("no proxy sees the credentials of a call to an http address", async () => {
  await using service = startFakeService();
  await using proxy = startConnectProxy({ reject: "502 Bad Gateway" });
  const local = await createSessionOptions(service);
  const remote = { ...local, baseUrl: "http://svc.invalid", allowInsecureHttp: true };
  for (const variable of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) {
    const env = { [variable]: proxy.url };
    const { ok, steps } = await diagnoseIn(env, local);
    assert.ok(ok, JSON.stringify(steps));
    assert.equal(failedStep(await diagnoseIn(env, remote)).step, "dns");
  }
  assert.deepEqual(proxy.requests, []);
});

Deno.test("a diagnosis without permission to read the environment mentions proxies in its hint", async () => {
  const env = { SVC_BASE_URL: "https://nowhere.invalid", SVC_CLIENT_ID: "id", SVC_CLIENT_SECRET: "secret" };
  const { stdout } = await svc(["auth", "diagnose"], { env });
  const failed = failedStep(JSON.parse(stdout));
  assert.equal(failed.step, "dns");
  assert.match(failed.hint ?? "", /host name in baseUrl.*If nowhere\.invalid is behind a proxy, .*--allow-env/);
});

Deno.test("a server that accepts a connection and stays silent causes a timeout", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const baseUrl = `https://127.0.0.1:${listener.addr.port}`;
  const failed = failedStep(await diagnose({ ...await createSessionOptions({ baseUrl }), timeoutSeconds: 1 }));
  assert.equal(failed.step, "tls");
  assert.match(failed.result, /^TLS with 127\.0\.0\.1:\d+ did not respond within 1 s\.$/);
});

Deno.test("an interrupted diagnosis ends at once", async () => {
  const interrupt = new AbortController();
  await using service = startFakeService({
    token() {
      interrupt.abort();
      return new Response();
    },
  });
  const diagnosis = diagnose({ ...await createSessionOptions(service), signal: interrupt.signal });
  await assert.rejects(diagnosis, { code: "INTERRUPTED" });
});
