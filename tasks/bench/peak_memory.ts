import { readOutput, type Workspace } from "../support/workspace.ts";

/** Interval in milliseconds at which a process is asked for its peak, which is gone when it ends. */
const POLL_INTERVAL = 20;

/** Runs a command and measures its peak memory in MiB. */
export async function measureCommand(workspace: Workspace, args: string[]): Promise<{ peak: number; stdout: string }> {
  const child = workspace.command(args, { stdout: "piped", stderr: "piped" }).spawn();
  let peak = 0;
  const timer = setInterval(async () => {
    const now = await readPeakMemory(child.pid);
    peak = Math.max(peak, now);
  }, POLL_INTERVAL);
  const output = await child.output();
  clearInterval(timer);
  return { peak, stdout: readOutput(output, `svc ${args.join(" ")}`) };
}

/** Returns the peak memory of a process in MiB, or 0 if it has ended. */
export async function readPeakMemory(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}
