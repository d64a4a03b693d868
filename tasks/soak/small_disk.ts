import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { Process } from "../support/processes.ts";

/** Bytes of one write to a file that fills the disk. */
const PIECE = 64 * 1024;

/** A small file system in memory, in a namespace of its own: mounting it needs no privileges. */
export class SmallDisk implements AsyncDisposable {
  /** Path of the file system for commands that enter the namespace. */
  readonly path: string;
  readonly #holder: Process;

  private constructor(path: string, holder: Process) {
    this.path = path;
    this.#holder = holder;
  }

  /** Mounts a disk at an empty folder. Returns the reason if this machine does not allow it. */
  static async mount(path: string, mebibytes: number): Promise<SmallDisk | string> {
    await Deno.mkdir(path);
    const script = `mount -t tmpfs -o mode=0700,size=${mebibytes}m none "$0" && echo mounted && exec sleep 100000`;
    try {
      const args = ["--user", "--map-root-user", "--mount", "sh", "-c", script, path];
      const holder = new Process(new Deno.Command("unshare", { args, stdout: "piped", stderr: "piped" }));
      await holder.hasResult;
      if (holder.end === undefined) return new SmallDisk(path, holder);
      return `No small disk can be mounted: ${holder.end.stderr.trim()}`;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return "No small disk can be mounted without the command 'unshare'";
      throw error;
    }
  }

  /** Path of the file system for this process. SQLite resolves it, so that only other files can be opened by it. */
  get outerPath(): string {
    return `/proc/${this.#holder.pid}/root${this.path}`;
  }

  /** Returns the command line that runs a program in the namespace. */
  enter(program: string, args: readonly string[]): [program: string, args: string[]] {
    const namespace = ["--target", String(this.#holder.pid), "--user", "--mount", "--preserve-credentials"];
    return ["nsenter", [...namespace, program, ...args]];
  }

  /** Writes a file until the disk is full. */
  fill(): void {
    using file = Deno.openSync(`${this.outerPath}/ballast`, { write: true, create: true, append: true });
    for (let size = PIECE; size >= 1;) {
      try {
        file.writeSync(new Uint8Array(size));
      } catch (error) {
        if (!(error instanceof Error) || !error.message.includes("os error 28")) throw error;
        size = Math.floor(size / 2);
      }
    }
  }

  /** Removes that file. */
  async free(): Promise<void> {
    await Deno.remove(`${this.outerPath}/ballast`).catch(ignoreMissing);
  }

  /** Unmounts the disk. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#holder.kill();
    await this.#holder.ended;
  }
}
