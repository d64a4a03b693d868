/** Promises of calls: access to the response, and iteration over the items of all pages. */
import assert from "node:assert/strict";
import { createClient } from "../../../mod.ts";
import { startService } from "../../../service/mod.ts";
import { catchError, CLIENT, startFakeService } from "../../harness/fake_service.ts";

const PERMIT = "City-Permit-Work-Permit";

Deno.test("withResponse returns the answer with status and headers, and fails as the call does", async () => {
  await using service = await startService();
  const svc = createClient({ baseUrl: service.url, ...await service.addClient("clerk@city"), noCache: true });
  const creating = svc.cases.create({ type: PERMIT });
  const { data, response: { status, headers, etag, requestId } } = await creating.withResponse();
  assert.equal(data, await creating);
  assert.deepEqual([status, etag, headers.get("content-type")], [201, data.etag, "application/json"]);
  assert.match(String(requestId), /^\S+$/);
  assert.deepEqual(Object.keys(creating), []);
  const error = await catchError(svc.cases.get("none").withResponse());
  assert.deepEqual([error.code, error.operation], ["NOT_FOUND", "cases.get"]);
});

Deno.test("a list can be awaited for its first page, and iterated over for the items of all pages", async () => {
  await using service = await startService();
  const svc = createClient({ baseUrl: service.url, ...await service.addClient("clerk@city"), noCache: true });
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push((await svc.cases.create({ type: PERMIT })).id);
  const [context = ""] = ids;

  const first = svc.data.query<{ pyID: string }>("D_Permits", { max: 2 });
  assert.equal((await first).data?.length, 2);
  const expected = ["P-1", "P-2", "P-3", "P-4", "P-5"];
  assert.deepEqual((await Array.fromAsync(first, ({ pyID }) => pyID)).toSorted(), expected);
  const pages = [
    svc.data.query("D_Permits"),
    svc.data.query("D_Permits", { max: 5 }),
    svc.data.query("D_Permits", { pageSize: 2 }),
    svc.data.query("D_Permits", { data: { paging: { maxResultsToFetch: 2 } } }),
    svc.data.query("D_Permits", { data: { paging: { pageNumber: 1, pageSize: 2 } } }),
  ];
  for (const page of pages) {
    assert.deepEqual((await Array.fromAsync(page, (row) => String(row.pyID))).toSorted(), expected);
  }
  const shown = svc.data.queryView("D_Permits", { view: "pyDetails", max: 3 });
  assert.equal((await Array.fromAsync(shown)).length, 5);
  const fromSecond = svc.data.query("D_Permits", { page: 2, max: 2 });
  assert.equal((await Array.fromAsync(fromSecond)).length, 3);

  const texts = ["one", "two", "three"];
  for (const message of texts) await svc.social.postMessage({ context, message });
  const filter = { filterFor: context, filterBy: "messages", pageSize: 2 };
  assert.deepEqual(
    await Array.fromAsync(svc.social.listMessages(filter), ({ message }) => message),
    texts.toReversed(),
  );
  const feed = svc.social.getFeed("pyCaseFeed", filter);
  assert.deepEqual(await Array.fromAsync(feed, ({ pyMessage }) => pyMessage), texts.toReversed());

  const agent = "@baseclass!PermitGuide";
  for (let i = 0; i < 3; i++) await svc.aiAgents.startConversation(agent, { contextId: context });
  const conversations = svc.aiAgents.listConversations(agent, { contextId: context, pageSize: 1 });
  assert.equal(new Set(await Array.fromAsync(conversations, ({ id }) => id)).size, 3);
});

Deno.test("the iteration ends with an empty page, with a cursor that stays, and with the failure of a page", async () => {
  const bodies: unknown[] = [
    { conversations: [{ id: "A" }, { id: "B" }] },
    { conversations: [{ id: "C" }] },
    { messages: [{ id: "M", message: "m", postedTime: "1" }], hasMoreResults: true },
    { messages: [{ id: "M", message: "m", postedTime: "1" }], hasMoreResults: true },
    { data: [{}], hasMoreResults: true },
    { localizedValue: "Gone." },
  ];
  const paths: string[] = [];
  const svc = createClient({
    baseUrl: "https://svc.example",
    clientId: "id",
    clientSecret: "secret",
    noCache: true,
    fetch: (url) => {
      const { pathname, search } = new URL(url);
      if (pathname.endsWith("/token")) {
        return Promise.resolve(Response.json({ access_token: "t", token_type: "bearer" }));
      }
      paths.push(search);
      return Promise.resolve(Response.json(bodies.shift(), { status: bodies.length === 0 ? 404 : 200 }));
    },
  });
  const conversations = svc.assistants.listConversations("A", { contextId: "C" });
  assert.deepEqual(await Array.fromAsync(conversations, ({ id }) => id), ["A", "B", "C"]);
  const messages = svc.social.listMessages({ filterFor: "C", filterBy: "All" });
  assert.equal((await Array.fromAsync(messages)).length, 2);
  const error = await catchError(Array.fromAsync(svc.data.query("D")));
  assert.deepEqual([error.code, error.operation], ["NOT_FOUND", "data.query"]);
  assert.deepEqual(paths, [
    "?contextID=C",
    "?contextID=C&pageSize=2&pageIndex=1",
    "?filterBy=All&filterFor=C",
    "?filterBy=All&filterFor=C&olderThan=1",
    "",
    "",
  ]);
});

Deno.test("no page after the first is limited by maxResultsToFetch, which servers refuse with a page number", async () => {
  const received: unknown[] = [];
  await using service = startFakeService({
    async api(request) {
      const { paging = {} } = await request.json();
      received.push(paging);
      const isLast = paging.pageNumber === 3;
      if (paging.pageNumber > 1 && paging.maxResultsToFetch !== undefined) return new Response("{}", { status: 400 });
      return Response.json({ data: isLast ? [{ n: 0 }] : [{ n: 0 }, { n: 1 }], hasMoreResults: !isLast });
    },
  });
  const svc = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
  const calls = [
    { call: () => svc.data.query("D", { max: 2 }), first: { maxResultsToFetch: 2 } },
    { call: () => svc.data.query("D", {}), first: {} },
    { call: () => svc.data.query("D", { pageSize: 2 }), first: { pageNumber: 1, pageSize: 2 } },
    {
      call: () => svc.data.query("D", { data: { paging: { maxResultsToFetch: 2 } } }),
      first: { maxResultsToFetch: 2 },
    },
    { call: () => svc.data.queryView("D", { view: "V", max: 2 }), first: { maxResultsToFetch: 2 } },
  ];
  for (const { call, first } of calls) {
    assert.equal((await Array.fromAsync(call())).length, 5);
    assert.deepEqual(received.splice(0), [first, { pageNumber: 2, pageSize: 2 }, { pageNumber: 3, pageSize: 2 }]);
  }
});

Deno.test("another fetch sends the requests for tokens and to the API, with credentials, timeouts and retries", async () => {
  const sent: string[] = [];
  const svc = createClient({
    baseUrl: "https://svc.example",
    clientId: "id",
    clientSecret: "secret",
    noCache: true,
    retries: 1,
    timeoutSeconds: 1,
    fetch: (url, { method, headers, signal }) => {
      sent.push(`${method} ${new URL(url).pathname} ${new Headers(headers).get("authorization")}`);
      if (url.endsWith("/token")) return Promise.resolve(Response.json({ access_token: "t", token_type: "bearer" }));
      if (url.endsWith("/casetypes")) return Promise.resolve(Response.json({ caseTypes: [] }));
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  assert.deepEqual((await svc.caseTypes.list()).caseTypes, []);
  assert.deepEqual(sent, [
    `POST /oauth2/token Basic ${btoa("id:secret")}`,
    "GET /dx-api/v2/casetypes Bearer t",
  ]);
  const error = await catchError(svc.cases.get("C-1"));
  assert.deepEqual([error.code, error.attempts?.length], ["TIMEOUT", 2]);
});
