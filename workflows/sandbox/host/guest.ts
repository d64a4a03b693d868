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

/** The connection of an input to its guest process. */
export interface GuestPort {
  /** Maps the files of the script to those of the user, if they are copies. */
  readonly paths?: CopiedPaths;
  /** Limits of each input. */
  readonly limits: Limits;
  /** True if the process runs other inputs at the same time. */
  readonly isShared: boolean;
  /** Receives the messages. */
  listener?: GuestListener;
  /** Sends a message. `onTaken` is called when the guest has read it. */
  send(message: GuestMessage, onTaken?: () => void): void;
  /** Ends the process, or only the input if the process is shared. */
  kill(): void;
  /** Resolves when the process has ended. */
  gone(): Promise<void>;
}

/** A message to or from a guest. Its input is that of the connection. */
export type GuestMessage = Omit<Frame, "input">;

/** A guest process. It runs a script on one input after another, each in another instance of the script. */
export class Guest implements GuestPort {
  readonly isShared = false;
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
  send(message: GuestMessage, onTaken?: () => void): void {
    this.sendTo(0, message, onTaken);
  }

  /** Sends a message to one of many inputs. */
  sendTo(input: number, message: GuestMessage, onTaken?: () => void): void {
    this.#pipe.send({ ...message, input }, onTaken);
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
