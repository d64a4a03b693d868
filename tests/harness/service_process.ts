/** The embedded service as a process of its own, on a directory of data: what is killed at once and started again. */
import { CHECKOUT } from "./readme.ts";
import { type Callable, callable, tokenOf } from "./service.ts";

const CONFIG = `${CHECKOUT}/deno.json`;
const SERVICE = import.meta.resolve("../../service/mod.ts");
const PROGRAM = "data:application/typescript," + encodeURIComponent(`
  import { startService } from ${JSON.stringify(SERVICE)};
  const [data, app] = Deno.args;
  const service = await startService({ data, ...(app && { app }) });
  const client = await service.addClient(service.operators[0]);
  console.log(JSON.stringify({ ...service, ...client }));`);

/** A service that runs in a process. */
export interface ServiceProcess extends Callable {
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
  return {
    ...callable(facts.url + facts.apiRoot, await tokenOf(facts, facts)),
    async kill() {
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
    },
  };
}
