/** Command lines whose output nobody gets to see. */
import { envOf } from "./calls.ts";
import { type CliResult, spawnSvc, svcCommand } from "./cli.ts";
import type { TestService } from "./oauth.ts";
import { makeFolder } from "./workflow.ts";

/** Starts svc with pipes of which nobody reads one; gives what it writes to the other, and its exit code. */
export async function unread(service: TestService, pipe: "stdout" | "stderr", line: string): Promise<[string, number]> {
  await using folder = await makeFolder();
  const process = spawnSvc(line.split(" "), { env: { ...envOf(service), SVC_CONFIG_DIR: folder.path } });
  await Promise.all([process.stdin.close(), process[pipe].cancel()]);
  const other = await new Response(process[pipe === "stdout" ? "stderr" : "stdout"]).text();
  return [other, (await process.status).code];
}

/** What svc writes to stderr, and its exit code, where stdout is a disk that is full. */
export async function onFullDisk(service: TestService, line: string): Promise<CliResult> {
  await using folder = await makeFolder();
  const [deno = "", ...args] = svcCommand(line.split(" "), folder.path);
  const { code, stderr } = await new Deno.Command("sh", {
    args: ["-c", 'exec "$0" "$@" > /dev/full', deno, ...args],
    env: { ...envOf(service), SVC_CONFIG_DIR: folder.path },
  }).output();
  return { code, stdout: "", stderr: new TextDecoder().decode(stderr) };
}
