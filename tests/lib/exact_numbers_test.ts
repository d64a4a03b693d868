/** Numbers that a `number` cannot represent, in the functions of the library. */
import assert from "node:assert/strict";
import { createClient, ExactNumber } from "../../mod.ts";
import { CLIENT, startFakeService } from "../harness/fake_service.ts";

Deno.test("an answer has exact numbers only where a number would differ, and they can be sent again", async () => {
  const sent: string[] = [];
  await using service = startFakeService({
    api: async (request) => {
      sent.push(new URL(request.url).search + await request.text());
      return new Response(
        '{"data":[{"account":12345678901234567890,"fee":1.10,"count":9007199254740991}],"resultCount":1.0}',
      );
    },
  });
  const svc = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
  const answer = await svc.data.query("D", { params: { limit: new ExactNumber("1e400") } });
  const account = new ExactNumber("12345678901234567890");
  const row = { account, fee: 1.1, count: 9007199254740991 };
  assert.deepEqual(answer.data, [row]);
  assert.equal(answer.resultCount, 1);
  await svc.data.create("D", { data: row });
  await svc.data.delete("D", { params: { account } });
  assert.deepEqual(sent, [
    '{"dataViewParameters":{"limit":1e400}}',
    '{"data":{"account":12345678901234567890,"fee":1.1,"count":9007199254740991}}',
    "?account=12345678901234567890",
  ]);
});

Deno.test("the pages of a query repeat exact numbers in its body", async () => {
  const sent: string[] = [];
  await using service = startFakeService({
    api: async (request) => {
      sent.push(await request.text());
      const data = sent.length === 1 ? [{ n: 1 }] : [];
      return Response.json({ data, hasMoreResults: data.length > 0, resultCount: data.length });
    },
  });
  const svc = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
  const data = {
    dataViewParameters: { account: new ExactNumber("9007199254740993") },
    paging: { pageNumber: 1, pageSize: 1 },
  };
  for await (const _ of svc.data.query("D", { data }));
  const texts = [1, 2].map((pageNumber) => JSON.stringify({ ...data, paging: { pageNumber, pageSize: 1 } }));
  assert.deepEqual(sent, texts);
});
