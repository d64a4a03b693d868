/** Targets that a script must not reach: a service, a secret file, an environment variable, and a web server. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type Caller, createCaller } from "../../../lib/client/caller.ts";
import { createClient } from "../../../mod.ts";
import { startService } from "../../../service/mod.ts";
import { makeFolder } from "../../harness/svc.ts";

const VARIABLE = "SVC_ESCAPE_CANARY";

/** Tables of the service that no attempt may change. */
const TABLES = ["cases", "assignments", "events", "items", "records", "sequences"];

/** The targets. */
export interface World extends AsyncDisposable {
  /** Makes granted calls. */
  readonly caller: Caller;
  /** Replaces names in a text: `{outside}`, `{secret}`, `{web}`, `{socket}`, `{case}`, `{variable}`, `{pid}`. */
  fill(text: string): string;
  /** Fails if a target was reached or changed, or if the output of a script contains a secret. */
  checkUntouched(output: string): Promise<void>;
}

/** Creates the targets. */
export async function openWorld(): Promise<World> {
  const resources = new AsyncDisposableStack();
  const secret = `canary-${crypto.randomUUID()}`;
  const outside = resources.use(
    await makeFolder({
      "secret.txt": secret,
      "secret.json": JSON.stringify({ secret }),
      "secret.ts": `export const secret = "${secret}";`,
      "broken.ts": `export const secret = ${secret} no code;`,
    }),
  );
  const state = resources.use(await makeFolder());
  const service = resources.use(await startService({ data: state.path }));
  const credentials = await service.addClient("clerk@city");
  const created = await createClient({ baseUrl: service.url, ...credentials, noCache: true }).cases.create({
    type: "City-Permit-Work-Permit",
    data: { Applicant: "Ada" },
  });
  Deno.env.set(VARIABLE, secret);
  resources.defer(() => Deno.env.delete(VARIABLE));
  const requests: string[] = [];
  const web = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    requests.push(url);
    return new Response(`export default "${secret}";`, { headers: { "content-type": "text/javascript" } });
  });
  resources.defer(() => web.shutdown());
  const socket = `${outside.path}/socket`;
  const local = Deno.serve({ path: socket, onListen() {} }, () => {
    requests.push(socket);
    return new Response(secret);
  });
  resources.defer(() => local.shutdown());
  const names: Record<string, string> = {
    outside: outside.path,
    secret: `${outside.path}/secret.txt`,
    web: `127.0.0.1:${web.addr.port}`,
    port: String(web.addr.port),
    socket,
    case: created.id,
    variable: VARIABLE,
    pid: String(Deno.pid),
  };
  const readState =
    () => [readRows(`${state.path}/service.db`), [...Deno.readDirSync(outside.path)].map((one) => one.name)];
  const before = readState();
  return {
    caller: createCaller({ baseUrl: service.url, ...credentials, noCache: true }),
    fill: (text) => text.replace(/\{(\w+)\}/g, (whole, name) => names[name] ?? whole),
    async checkUntouched(output) {
      assert.deepEqual(requests, [], "the web server got a request");
      assert.ok(!output.includes(secret), `the output contains the secret: ${output}`);
      assert.ok(!output.includes(credentials.clientSecret), "the output contains the client secret");
      assert.equal(await Deno.readTextFile(`${outside.path}/secret.txt`), secret);
      assert.deepEqual(readState(), before, "the service or the other folder has changed");
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Reads all rows of the service from its database. */
function readRows(path: string): unknown[] {
  using database = new DatabaseSync(path, { readOnly: true });
  return TABLES.map((table) => database.prepare(`SELECT * FROM ${table}`).all());
}
