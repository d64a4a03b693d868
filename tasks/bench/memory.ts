/** What a command has in memory at most. */
import { textOf, type Workspace } from "../workspace.ts";

/** Milliseconds between two looks at a process: what it had at most is asked of the system, until it ends. */
const LOOK = 20;

/** Runs a command and tells what it had at most, in MiB. */
export async function measured(workspace: Workspace, args: string[]): Promise<{ peak: number; stdout: string }> {
  const child = workspace.command(args, { stdout: "piped", stderr: "piped" }).spawn();
  let peak = 0;
  const looking = setInterval(async () => {
    const now = await peakOf(child.pid);
    peak = Math.max(peak, now);
  }, LOOK);
  const output = await child.output();
  clearInterval(looking);
  return { peak, stdout: textOf(output, `svc ${args.join(" ")}`) };
}

/** What a process had in memory at most, in MiB; 0 when it is gone. */
export async function peakOf(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}
