/** Responses to changes that differ from the published API, in the library and on the command line. */
import assert from "node:assert/strict";
import { isRead, listExamples, type Operation, permissionName, toKebab } from "../../../lib/operation/operation.ts";
import { loadResources } from "../../../lib/resources/mod.ts";
import { createClient } from "../../../mod.ts";
import { prepareCommandLines } from "../../harness/command_process.ts";
import { catchError, CLIENT, clientEnvironment, startFakeService } from "../../harness/fake_service.ts";
import { makeFolder, splitWords } from "../../harness/svc.ts";
import { createValues } from "./_operation.ts";

const runCommandLine = prepareCommandLines();

/** Changes whose response must have members: the ID of what was created, or the reply of an agent. */
const WITH_REQUIRED_MEMBERS: readonly string[] = [
  "cases.create",
  "attachments.upload",
  "social.post-message",
  "ai-agents.start-conversation",
  "ai-agents.send-message",
  "assistants.start-conversation",
  "assistants.send-message",
];

/** Successful responses that are empty or have an unexpected shape. */
const RESPONSES: readonly (() => Response)[] = [
  () => new Response(null, { status: 204 }),
  () => new Response("", { status: 200 }),
  () => new Response("", { status: 201 }),
  () => Response.json({}),
  () => Response.json({ data: {} }),
  () => Response.json({ data: { caseInfo: {} } }),
  () => Response.json({ responseData: { result: { ID: "X" } } }),
];

const changes = Object.entries(await loadResources()).flatMap(([group, operations]) =>
  Object.entries<Operation>(operations)
    .filter(([, operation]) => !isRead(operation))
    .map(([name, operation]) => ({ group, name, operation, permission: permissionName(group, name) }))
);

/** Calls the function of an operation with a value for each required parameter. */
async function callLibrary(baseUrl: string, { group, name, operation }: typeof changes[number]): Promise<unknown> {
  const client: object = createClient({ ...CLIENT, baseUrl, noCache: true });
  const call: unknown = Reflect.get(Reflect.get(client, group), name);
  assert(typeof call === "function");
  const values = createValues(operation);
  const positional = (operation.args ?? []).map(({ name }) => name);
  const params = Object.entries(values).filter(([name]) => !positional.some((other) => other === name));
  const first = positional.map((name) => values[name]);
  return await call(...first, ...(operation.flags === undefined ? [] : [Object.fromEntries(params)]));
}

Deno.test("a change succeeds with an empty or unexpected response, unless its answer has required members", async () => {
  let respond = RESPONSES[0];
  await using service = startFakeService({
    async api(request) {
      await request.bytes();
      if (request.method === "GET") return Response.json({}, { headers: { etag: "1" } });
      return respond?.() ?? new Response();
    },
  });
  await using folder = await makeFolder({ "photo.jpg": "", "plan.pdf": "" });
  for (respond of RESPONSES) {
    for (const change of changes) {
      const { group, name, operation, permission } = change;
      const body = await respond().text();
      const label = `${permission}: ${body}`;
      const line = [toKebab(group), toKebab(name), ...splitWords(listExamples(operation)[0])];
      const { code, stderr } = await runCommandLine(line, { env: clientEnvironment(service), cwd: folder.path });
      if (!WITH_REQUIRED_MEMBERS.includes(permission)) {
        const result = await callLibrary(service.baseUrl, change);
        if (body !== "" && result instanceof Object) {
          assert.equal(JSON.stringify(Reflect.get(result, "raw")), body, label);
        }
        assert.deepEqual([code, stderr], [0, ""], label);
        continue;
      }
      const error = await catchError(callLibrary(service.baseUrl, change));
      assert.deepEqual([error.code, error.outcomeUnknown], ["INVALID_RESPONSE", true], label);
      assert.deepEqual(JSON.stringify(error.raw), body === "" ? '""' : body, label);
      assert.equal(code, body === "" ? 1 : 0, label); // The command line prints any JSON.
    }
  }
});

Deno.test("JSON in another charset is decoded", async () => {
  const text = '{"caseTypes":[{"ID":"C","name":"Genehmigung für Straße – 許可"}]}';
  const latin = Uint8Array.from('{"caseTypes":[{"ID":"C","name":"für"}]}', (character) => character.charCodeAt(0));
  const wide = Uint8Array.from(new Uint8Array(Uint16Array.from(text, (character) => character.charCodeAt(0)).buffer));
  const marked = new Uint8Array([0xff, 0xfe, ...wide]);
  const bodies: [body: BodyInit, type: string, name: string][] = [
    [text, "application/json", "Genehmigung für Straße – 許可"],
    ["\ufeff" + text, "application/json;charset=UTF-8", "Genehmigung für Straße – 許可"],
    [latin, "application/json; charset=iso-8859-1", "für"],
    [latin, 'application/json; version=2; charset="windows-1252"', "für"],
    [wide, "application/json; charset=utf-16le", "Genehmigung für Straße – 許可"],
    [marked, "application/json", "Genehmigung für Straße – 許可"],
  ];
  for (const [body, type, name] of bodies) {
    await using service = startFakeService({ api: () => new Response(body, { headers: { "content-type": type } }) });
    const svc = createClient({ baseUrl: service.baseUrl, ...CLIENT, noCache: true });
    const { caseTypes } = await svc.caseTypes.list();
    assert.deepEqual(caseTypes.map((one) => one.name), [name], type);
  }
});

Deno.test("invalid UTF-8 in a result is an error, and in an error page it hides nothing", async () => {
  const invalid = new Uint8Array([...new TextEncoder().encode('{"caseTypes":[{"ID":"'), 0xfc, 0x22, 0x7d, 0x5d, 0x7d]);
  const list = async (answer: () => Response) => {
    await using service = startFakeService({ api: answer });
    return await catchError(createClient({ baseUrl: service.baseUrl, ...CLIENT, noCache: true }).caseTypes.list());
  };
  const json = { "content-type": "application/json" };
  const chunked = () => new Blob([invalid]).stream();
  for (const body of [() => invalid, chunked]) {
    const error = await list(() => new Response(body(), { headers: json }));
    assert.equal(error.code, "INVALID_RESPONSE");
    assert.equal(error.message, "caseTypes.list(): The response of the service is not valid UTF-8.");
  }
  const unknown = await list(() =>
    new Response("{}", { headers: { "content-type": "application/json; charset=x-none" } })
  );
  assert.equal(
    unknown.message,
    "caseTypes.list(): The response of the service is not valid text in the charset x-none.",
  );
  const page = new Uint8Array([0x66, 0xfc, 0x72]);
  const refused = await list(() => new Response(page, { status: 502, headers: { "content-type": "text/plain" } }));
  assert.deepEqual([refused.status, refused.message], [
    502,
    "caseTypes.list(): The service responded with 502 Bad Gateway: für",
  ]);
});
