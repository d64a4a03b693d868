/** Runs `svc workflow` as a process of its own, with no more permissions than docs/permissions.md lists. */
import assert from "node:assert/strict";

/** The command line of this checkout. */
export const CLI: string = new URL("../../cli.ts", import.meta.url).pathname;

/** What came of a command line. */
export interface Ended {
  /** Exit code. */
  readonly code: number;
  /** Standard output. */
  readonly stdout: string;
  /** Standard error. */
  readonly stderr: string;
}

/** Runs `svc workflow` to its end, from this checkout or as these arguments of `deno run` name it. */
export async function svcWorkflow(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program: readonly string[] = [CLI],
): Promise<Ended> {
  const temporary = await Deno.realPath(await Deno.makeTempDir());
  const permissions = [
    "--no-prompt",
    "--allow-net=127.0.0.1",
    "--allow-read",
    `--allow-write=${[temporary, ...env.SVC_CONFIG_DIR === undefined ? [] : [env.SVC_CONFIG_DIR]].join(",")}`,
    `--allow-run=/bin/sh,${Deno.execPath()}`,
    "--allow-env=SVC_BASE_URL,SVC_CLIENT_ID,SVC_CLIENT_SECRET,SVC_CONFIG_DIR,SVC_NO_CACHE,SVC_DEBUG,NO_COLOR,HOME",
  ];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", ...permissions, ...program, "workflow", ...args],
    env: { TMPDIR: temporary, SVC_CONFIG_DIR: temporary, SVC_DEBUG: "", ...env },
    stdin: "null",
  }).output();
  const left = [...Deno.readDirSync(temporary)].filter(({ name }) => name.startsWith("svc-workflow-"));
  await Deno.remove(temporary, { recursive: true });
  assert.deepEqual(left, [], "the sandbox leaves nothing behind");
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
