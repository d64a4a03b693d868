import { readLines } from "../../workflows/inputs/lines.ts";

/** Number of inputs that may be ahead of the results. */
const MAX_AHEAD = 2000;

/** A result of an input, as the command prints it. */
export interface PrintedResult {
  readonly input?: number;
  readonly ids?: readonly string[];
}

/** A batch that gets the numbers 1, 2, … as its inputs until there are enough. */
export class Batch {
  /** The results, in the order in which they were printed. */
  readonly results: PrintedResult[] = [];
  /** Number of inputs. */
  inputs = 0;
  /** Resolves with the exit code and standard error when the command has ended. */
  readonly ended: Promise<{ readonly code: number; readonly stderr: string }>;
  #hasEnded = false;
  #next = Promise.withResolvers<void>();

  /** Starts a command that reads inputs from its standard input. */
  constructor(command: Deno.Command, needsMore: (inputs: number) => boolean) {
    const process = command.spawn();
    const stderr = new Response(process.stderr).text();
    const work = Promise.all([
      process.status,
      stderr,
      this.#read(process.stdout),
      this.#feed(process.stdin, needsMore),
    ]);
    this.ended = work.then(([{ code }, stderr]) => ({ code, stderr }));
  }

  async #read(stdout: ReadableStream<Uint8Array>): Promise<void> {
    for await (const { text = "" } of readLines(stdout)) {
      this.results.push(JSON.parse(text).result ?? {});
      this.#wake();
    }
    this.#hasEnded = true;
    this.#wake();
  }

  async #feed(stdin: WritableStream<Uint8Array>, needsMore: (inputs: number) => boolean): Promise<void> {
    const writer = stdin.getWriter();
    const encoder = new TextEncoder();
    try {
      while (!this.#hasEnded && needsMore(this.inputs)) {
        if (this.inputs - this.results.length < MAX_AHEAD) await writer.write(encoder.encode(`${++this.inputs}\n`));
        else await this.#next.promise;
      }
      await writer.close();
    } catch (error) {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error; // Its exit code tells why.
    }
  }

  #wake(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}
