/** Responses of several connections that are ready at the same time, and are sent together. */
import assert from "node:assert/strict";
import type { ServiceResponse } from "../../../service/connections/service_response.ts";
import { eventually } from "../../harness/wait.ts";
import { createText, startServer, Wire } from "./_wire.ts";

const HOST = "Host: localhost\r\n";

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\n${HOST}\r\n`;
}

/** Responses that a test gives, by the target of their requests. */
class Handlers {
  readonly #waiting = new Map<string, PromiseWithResolvers<ServiceResponse>>();

  /** Waits for the response to a request. */
  respond = ({ target }: { readonly target: string }): Promise<ServiceResponse> => {
    const response = Promise.withResolvers<ServiceResponse>();
    this.#waiting.set(target, response);
    return response.promise;
  };

  /** Returns the handler of a request, as soon as it has arrived. */
  async find(target: string): Promise<PromiseWithResolvers<ServiceResponse>> {
    return await eventually(`${target} arrives`, () => this.#waiting.get(target));
  }
}

Deno.test("responses that are ready together arrive, and do not wait for one that is not", async () => {
  const handlers = new Handlers();
  await using server = startServer({}, handlers.respond);
  using resources = new DisposableStack();
  const wires = await Promise.all(["/a", "/b", "/slow"].map(async (path) => {
    const wire = resources.use(await Wire.open(server.port));
    await wire.send(get(path));
    return { path, wire, handler: await handlers.find(path) };
  }));
  const [a, b, slow] = wires;
  for (const one of [b, a]) one?.handler.resolve(createText(one.path));
  assert.deepEqual([(await a?.wire.receive())?.body, (await b?.wire.receive())?.body], ["/a", "/b"]);
  slow?.handler.resolve(createText("late"));
  assert.equal((await slow?.wire.receive())?.body, "late");
  assert.deepEqual(server.log, []);
});

Deno.test("the responses of one turn are sent together, unless there is only one connection", async () => {
  await using server = startServer();
  using first = await Wire.open(server.port);
  await first.send(get("/"));
  await first.receive();
  assert.equal(server.server.joinNextSending(), undefined);
  using second = await Wire.open(server.port);
  await second.send(get("/"));
  await second.receive();
  const sending = server.server.joinNextSending();
  assert.ok(sending !== undefined && sending === server.server.joinNextSending());
  await sending;
  assert.notEqual(server.server.joinNextSending(), sending);
});

Deno.test("the second of two pipelined requests is handled after the first, beside other connections", async () => {
  const handlers = new Handlers();
  const started: string[] = [];
  await using server = startServer({}, (request) => {
    started.push(request.target);
    return handlers.respond(request);
  });
  using pipelined = await Wire.open(server.port);
  using other = await Wire.open(server.port);
  await pipelined.send(get("/first") + get("/second"));
  const first = await handlers.find("/first");
  await other.send(get("/other"));
  (await handlers.find("/other")).resolve(createText("other"));
  assert.equal((await other.receive())?.body, "other");
  assert.deepEqual(started, ["/first", "/other"]);
  first.resolve(createText("1"));
  (await handlers.find("/second")).resolve(createText("2"));
  assert.deepEqual([(await pipelined.receive())?.body, (await pipelined.receive())?.body], ["1", "2"]);
});

Deno.test("a failed, a broken and a closed connection do not keep back the others that are sent together", async () => {
  const handlers = new Handlers();
  await using server = startServer({}, handlers.respond);
  using resources = new DisposableStack();
  const open = async (path: string) => {
    const wire = await Wire.open(server.port);
    await wire.send(get(path));
    return { wire, handler: await handlers.find(path) };
  };
  const [failed, broken, closed, good] = [await open("/1"), await open("/2"), await open("/3"), await open("/4")];
  for (const { wire } of [failed, broken, good]) resources.use(wire);
  closed.wire[Symbol.dispose]();
  failed.handler.reject(new TypeError("The handler has a fault."));
  const body = ReadableStream.from([new Uint8Array(3)]); // Fewer bytes than its length.
  broken.handler.resolve({ status: 200, headers: { "content-length": "9" }, body });
  closed.handler.resolve(createText("closed"));
  good.handler.resolve(createText("good"));
  assert.equal((await good.wire.receive())?.body, "good");
  assert.equal(await failed.wire.receive(), undefined);
  await broken.wire.closed();
  await eventually("the connections have ended", () => server.server.connections === 1);
  assert.deepEqual(server.log.map((line) => /^A connection failed: TypeError: .*/.exec(line)?.[0]).sort(), [
    "A connection failed: TypeError: A response had 3 bytes instead of 9.",
    "A connection failed: TypeError: The handler has a fault.",
  ]);
});
