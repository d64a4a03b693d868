/** Runs `svc workflow` as a process of its own, with no more permissions than docs/permissions.md lists. */
import assert from "node:assert/strict";
import { PROGRAM } from "./program.ts";

/** What came of a command line. */
export interface Ended {
  /** Exit code. */
  readonly code: number;
  /** Standard output. */
  readonly stdout: string;
  /** Standard error. */
  readonly stderr: string;
}

/** How `svc workflow` is started. */
export interface WorkflowProcess {
  /** The directory that it may write to: for its configuration, and for temporary files. */
  readonly directory: string;
  /** Variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its working directory. */
  readonly cwd?: string;
  /** Where its standard input comes from; there is none without it. */
  readonly stdin?: "piped" | "null";
  /** Arguments of `deno run` that name the program; the program under test without them. */
  readonly program?: readonly string[];
  /** What a shell limits before it becomes the process, such as `ulimit -n 64`. */
  readonly shellLimit?: string;
}

/** A command line of `svc workflow`. */
export function workflowCommand(
  args: readonly string[],
  { directory, env, cwd, program = [PROGRAM], stdin = "null", shellLimit = ":" }: WorkflowProcess,
): Deno.Command {
  const permissions = [
    "--no-prompt",
    "--allow-net=127.0.0.1",
    "--allow-read",
    `--allow-write=${[directory, ...(env?.SVC_CONFIG_DIR === undefined ? [] : [env.SVC_CONFIG_DIR])].join(",")}`,
    `--allow-run=/bin/sh,${Deno.execPath()}`,
    "--allow-env=SVC_BASE_URL,SVC_CLIENT_ID,SVC_CLIENT_SECRET,SVC_CONFIG_DIR,SVC_NO_CACHE,SVC_DEBUG,NO_COLOR,HOME",
  ];
  const deno = [Deno.execPath(), "run", "--quiet", ...permissions, ...program, "workflow", ...args];
  return new Deno.Command("/bin/sh", {
    args: ["-c", `${shellLimit} && exec "$0" "$@"`, ...deno],
    env: { TMPDIR: directory, SVC_CONFIG_DIR: directory, SVC_DEBUG: "", ...env },
    cwd,
    stdin,
    stdout: "piped",
    stderr: "piped",
  });
}

/** Runs a command line to its end. */
export async function endOf(command: Deno.Command): Promise<Ended> {
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Runs `svc workflow` to its end, the program under test or as these arguments of `deno run` name it. */
export async function svcWorkflow(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program: readonly string[] = [PROGRAM],
): Promise<Ended> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const ended = await endOf(workflowCommand(args, { directory, env, program }));
  const left = [...Deno.readDirSync(directory)].filter(({ name }) => name.startsWith("svc-workflow-"));
  await Deno.remove(directory, { recursive: true });
  assert.deepEqual(left, [], "the sandbox leaves nothing behind");
  return ended;
}
