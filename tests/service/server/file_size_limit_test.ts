/** Commands and services whose files have a limit of their size (`ulimit -f`). Without a handler, the system kills them. */
import assert from "node:assert/strict";
import { verify } from "../../../service/backup/backup.ts";
import { createClient, isSvcError } from "../../../mod.ts";
import { parseJsonObject } from "../../../utils/json.ts";
import { readLines } from "../../../workflows/inputs/lines.ts";
import { ServiceHome } from "../../harness/service.ts";
import { textAt } from "../../harness/service_engine.ts";
import { LimitedCommand, runCommand } from "../../harness/svc.ts";
import { within } from "../../harness/wait.ts";
import { scriptText } from "../../harness/workflow.ts";

const BLOCK = 512;

const PERMIT = "City-Permit-Work-Permit";

/** Prepares `svc` with a limit of file sizes. Deno writes no caches, because they can be larger. */
function limit(home: ServiceHome, bytes: number, args: readonly string[], stdout?: string): LimitedCommand {
  const redirect = stdout === undefined ? "" : ` >${stdout}`;
  const [program = "", run = "", ...rest] = home.commandLine(args);
  return new LimitedCommand("sh", {
    args: ["-c", `ulimit -f ${bytes / BLOCK}; exec "$0" "$@"${redirect}`, program, run, "--no-code-cache", ...rest],
    env: { SVC_CONFIG_DIR: home.directory, TMPDIR: home.directory, DENO_CACHE_DB_MODE: "in-memory" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

const MIB = 1024 * 1024;

Deno.test({
  name: "a service refuses changes beyond the limit of file sizes, serves reads, and loses no confirmed change",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using home = await ServiceHome.open();
    const data = `${home.directory}/data`;
    const start = ["service", "start", "--port", "0", "--data", data, "--profile", "default", "--format", "json"];
    const service = limit(home, MIB, start).spawn();
    const lines = readLines(service.stdout);
    let report = "";
    while (parseJsonObject(report) === undefined) {
      report += (await within("the service reports its address", lines.next())).value?.text ?? "";
    }
    const file = `${home.directory}/large.bin`;
    await Deno.writeFile(file, crypto.getRandomValues(new Uint8Array(65_536)));
    await Deno.truncate(file, 2 * MIB);
    const refused = await home.svc("attachments", "upload", "-f", file);
    assert.equal(refused.error.status, 507);
    assert.match(String(refused.error.message), /reached the limit of file sizes.*'ulimit -f'/);
    const { baseUrl, clientId, clientSecret } = (await home.profiles()).default ?? {};
    const client = createClient({
      baseUrl: String(baseUrl),
      clientId: String(clientId),
      clientSecret: String(clientSecret),
      noCache: true,
    });
    const confirmed: string[] = [];
    let full: unknown;
    while (full === undefined) {
      assert.ok(confirmed.length < 2000);
      await Promise.all(Array.from({ length: 10 }, async () => {
        await client.cases.create({ type: PERMIT }).then(({ id }) => confirmed.push(id), (error) => full = error);
      }));
    }
    assert.ok(isSvcError(full));
    assert.deepEqual([full.status, /reached the limit of file sizes/.test(full.message)], [507, true]);
    for (const id of confirmed) assert.equal((await client.cases.get(id)).id, id);
    service.kill("SIGTERM");
    await within("the service ends", service.status);
    const log = await new Response(service.stderr).text();
    assert.match(log, /^Requests are failing, the first one is .*reached the limit of file sizes/);
    assert.doesNotMatch(log, /^ +at /m);
    await lines.return(undefined);
    assert.equal((await verify({ data })).cases, confirmed.length);
  },
});

Deno.test({
  name: "a command reports a file that reaches the limit of file sizes",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using home = await ServiceHome.open();
    const body = "return Array.from({ length: 200_000 }, () => Math.random().toString(36)).join('');";
    const script = `${home.directory}/script.ts`;
    await Deno.writeTextFile(script, scriptText(body, []));
    const run = async (stdout: string, ...args: readonly string[]) => {
      const command = limit(home, MIB, ["workflow", "run", script, "--journal", ...args], stdout);
      const { code, stderr } = await runCommand(command);
      return { code, error: parseJsonObject(stderr.trim())?.error };
    };
    const journal = `${home.directory}/runs.db`;
    const unwritten = await run("/dev/null", journal);
    assert.equal(unwritten.code, 2);
    assert.equal(textAt(unwritten, "error.message"), `The journal ${journal} cannot be written: file too large.`);
    assert.match(
      textAt(unwritten, "error.hint"),
      /^Raise the limit of file sizes: ulimit -f\. Run 'svc workflow resume/,
    );
    const unprinted = await run(`${home.directory}/out.json`, "none");
    assert.equal(unprinted.code, 1);
    assert.equal(textAt(unprinted, "error.message"), "Standard output cannot be written: File too large.");
  },
});
