/** The embedded service as a process of its own, on a directory of data: what is killed at once and started again. */
import { textAt } from "./engine.ts";
import { type Answer, type CallOptions, send } from "./service.ts";

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;
const SERVICE = import.meta.resolve("../../service/mod.ts");
const PROGRAM = "data:application/typescript," + encodeURIComponent(`
  import { startService } from ${JSON.stringify(SERVICE)};
  const [data, app] = Deno.args;
  const service = await startService({ data, ...(app && { app }) });
  const { url, apiRoot, tokenPath, operators } = service;
  const client = await service.addClient(operators[0]);
  console.log(JSON.stringify({ api: url + apiRoot, token: url + tokenPath, ...client }));`);

/** A service that runs in a process. */
export interface ServiceProcess {
  /** Calls the API as a client of its own. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Kills it and waits until it is gone. */
  kill(): Promise<void>;
}

/** Starts a service on a directory, of an application's file or of the sample application. */
export async function spawnService(data: string, app = ""): Promise<ServiceProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", "--config", CONFIG, PROGRAM, data, app],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader.read();
  const facts = JSON.parse(value);
  const { body } = await send("POST", facts.token, {
    headers: { authorization: `Basic ${btoa(`${facts.clientId}:${facts.clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  const authorization = `Bearer ${textAt(body, "access_token")}`;
  return {
    call(method, path, { body, text, headers } = {}) {
      return send(method, facts.api + path, {
        headers: { authorization, "content-type": "application/json", ...headers },
        body: body === undefined ? text : JSON.stringify(body),
      });
    },
    async kill() {
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
    },
  };
}
