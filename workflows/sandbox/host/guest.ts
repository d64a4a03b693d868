import type { Limits } from "./limits.ts";
import type { CopiedPaths } from "./copied_paths.ts";
import { GuestPipe } from "./guest_pipe.ts";
import { type GuestFiles, killGuest, startGuest } from "./guest_process.ts";
import type { Frame } from "../protocol/frames.ts";

/** The events of a guest. */
export interface GuestListener {
  /** Called with each message of the guest. */
  onMessage(frame: Frame): void;
  /** Called when the guest has ended, unless `kill` was called. */
  onExit(status: Deno.CommandStatus, stderr: string): void;
  /** Called when a message cannot be read, or `onMessage` throws. */
  onError(error: unknown): void;
}

/** A guest process. It runs a script on one input after another, each in another instance of the script. */
export class Guest {
  /** Maps the files of the script to those of the user, if they are copies. */
  readonly paths?: CopiedPaths;
  /** Limits of each input. */
  readonly limits: Limits;
  /** Receives the messages, those of one input after another. */
  listener?: GuestListener;
  readonly #process: Deno.ChildProcess;
  readonly #pipe: GuestPipe;
  #isKilled = false;

  /** Starts the process, which loads the script. */
  constructor(files: GuestFiles, limits: Limits) {
    this.paths = files.paths;
    this.limits = limits;
    this.#process = startGuest(files, limits);
    this.#pipe = new GuestPipe(this.#process);
    void this.#receive();
  }

  /** Sends a message. `onTaken` is called when the guest has read it. */
  send(frame: Frame, onTaken?: () => void): void {
    this.#pipe.send(frame, onTaken);
  }

  /** Ends the process. */
  kill(): void {
    this.#isKilled = true;
    this.#pipe.close();
    killGuest(this.#process);
  }

  /** Resolves when the process has ended. */
  async gone(): Promise<void> {
    await this.#process.status;
  }

  async #receive(): Promise<void> {
    try {
      await this.#pipe.receive((frame) => this.listener?.onMessage(frame));
      if (this.#isKilled) return;
      this.listener?.onExit(await this.#process.status, await this.#pipe.stderr);
    } catch (error) {
      this.listener?.onError(error);
    }
  }
}
