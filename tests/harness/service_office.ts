/** `svc service` in a configuration directory of its own, as processes. */
import { join } from "node:path";
import { PROGRAM } from "./program.ts";
import { endOf } from "./workflow_process.ts";

/** Starts a service that goes on when the command has ended. */
export const START = ["service", "start", "--port", "0", "--detach"];

/** Creates a case. */
export const CREATE = ["cases", "create", "--type", "City-Permit-Work-Permit", "--fields", "id,status"];

/** What came of a command line. */
export interface Ran {
  /** Exit code. */
  readonly code: number;
  /** The object on standard output. */
  readonly out: Record<string, unknown>;
  /** The error on standard error. */
  readonly error: Record<string, unknown>;
}

/** A configuration directory of its own, and `svc` in it; the service that it leaves is stopped. */
export class ServiceOffice implements AsyncDisposable {
  /** The directory. */
  readonly directory: string;
  /** Folders that `svc` may write to besides. */
  readonly writable: string[] = [];

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** Makes one. */
  static async open(): Promise<ServiceOffice> {
    return new ServiceOffice(await Deno.makeTempDir({ prefix: "svc-test-" }));
  }

  /** What starts `svc` with these arguments. */
  commandLine(args: readonly string[]): string[] {
    const permissions = [
      "--allow-net",
      "--allow-read",
      `--allow-write=${[this.directory, ...this.writable].join(",")}`,
      "--allow-env",
      "--allow-run",
    ];
    return [Deno.execPath(), "run", "--quiet", "--no-prompt", ...permissions, PROGRAM, ...args];
  }

  /** `svc` with these arguments. */
  command(args: readonly string[]): Deno.Command {
    const [program = "", ...rest] = this.commandLine(args);
    return new Deno.Command(program, {
      args: rest,
      env: { SVC_CONFIG_DIR: this.directory },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
  }

  /** Runs `svc` to its end. */
  async svc(...args: string[]): Promise<Ran> {
    const { code, stdout, stderr } = await endOf(this.command(args));
    return { code, out: stdout ? JSON.parse(stdout) : {}, error: stderr ? JSON.parse(stderr).error : {} };
  }

  /** The profiles by name. */
  async profiles(): Promise<Record<string, Record<string, unknown>>> {
    return JSON.parse(await Deno.readTextFile(join(this.directory, "config.json"))).profiles;
  }

  /** Stops the service and removes the directory. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.svc("service", "stop");
    await Deno.remove(this.directory, { recursive: true });
  }
}
