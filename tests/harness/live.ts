/** `svc` as a process of its own, against the embedded service over loopback. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { startService } from "../../service/mod.ts";
import { type CliOptions, type CliResult, errorOf, svc, words } from "./cli.ts";
import { makeFolder } from "./workflow.ts";

/** A running service, and `svc` as operators of it. */
export interface Live extends AsyncDisposable {
  /** A folder that commands of `clerk@city` may write. */
  readonly folder: string;
  /** Runs a command line, as `clerk@city` unless another operator is named; `'` quotes words. */
  run(line: string, operator?: string, options?: CliOptions): Promise<CliResult>;
  /** The JSON that a command line must answer. */
  json(line: string, operator?: string): Promise<JsonValue>;
  /** The JSON object that a command line must answer. */
  object(line: string, operator?: string): Promise<JsonObject>;
  /** The error of which a command line must fail. */
  refused(line: string, operator?: string): Promise<Record<string, unknown>>;
  /** Creates a permit and answers its handle. */
  createPermit(data?: JsonObject): Promise<string>;
}

/** Starts a service for all tests of a file, which closes after them. */
export async function openLiveForAll(): Promise<Live> {
  const live = await openLive();
  Deno.test.afterAll(async () => await live[Symbol.asyncDispose]());
  return live;
}

/** Starts a service of the sample application. */
export async function openLive(): Promise<Live> {
  const service = await startService();
  const folder = await makeFolder();
  const clients = new Map<string, Promise<Record<string, string>>>();

  async function clientOf(operator: string): Promise<Record<string, string>> {
    const { clientId, clientSecret } = await service.addClient(operator);
    const config = `${folder.path}/${operator}`;
    await Deno.mkdir(config, { mode: 0o700 });
    const client = { SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
    return { ...client, SVC_BASE_URL: service.url, SVC_CONFIG_DIR: config };
  }

  async function run(line: string, operator = "clerk@city", options: CliOptions = {}): Promise<CliResult> {
    const client = clients.get(operator) ?? clientOf(operator);
    clients.set(operator, client);
    return await svc(words(line), { ...options, env: { ...await client, ...options.env } });
  }

  async function json(line: string, operator?: string): Promise<JsonValue> {
    const { code, stdout, stderr } = await run(line, operator);
    assert.deepEqual([code, stderr], [0, ""], `svc ${line}`);
    const answer: JsonValue = JSON.parse(stdout);
    return answer;
  }

  async function object(line: string, operator?: string): Promise<JsonObject> {
    const answer = await json(line, operator);
    assert.ok(isJsonObject(answer), `svc ${line}`);
    return answer;
  }

  return {
    folder: `${folder.path}/clerk@city`,
    run,
    json,
    object,
    async refused(line, operator) {
      const result = await run(line, operator);
      assert.equal(result.stdout, "", `svc ${line}`);
      assert.notEqual(result.code, 0, `svc ${line}`);
      return errorOf(result);
    },
    async createPermit(data = { Applicant: "Ada" }) {
      const line = `cases create --type City-Permit-Work-Permit --data '${JSON.stringify(data)}' --fields id`;
      return String((await object(line)).id);
    },
    async [Symbol.asyncDispose]() {
      await service.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
