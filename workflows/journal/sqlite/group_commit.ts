/** Writes that share commits: a commit waits for the disk, and that costs the same for one write as for a hundred. */

/** Milliseconds after which writes are committed although nobody waits for them. */
const PATIENCE = 100;

/** Writes that are held until they are committed although nobody waits for them. */
const MAX_HELD = 256;

/** The writes that wait for a commit. */
export class GroupCommit {
  readonly #commit: (writes: readonly (() => void)[]) => void;
  #writes: (() => void)[] = [];
  #next?: PromiseWithResolvers<void>;
  #timer?: ReturnType<typeof setTimeout>;
  #failure?: { readonly reason: unknown; isKnown: boolean };

  /** Commits by this function, which makes all of the writes durable or none. */
  constructor(commit: (writes: readonly (() => void)[]) => void) {
    this.#commit = commit;
  }

  /** Takes a write; it is done with the next commit. After a commit that failed none is done: later ones would leave a gap. */
  add(write: () => void): void {
    if (this.#failure !== undefined) return;
    this.#writes.push(write);
    if (this.#next !== undefined) return;
    if (this.#writes.length >= MAX_HELD) this.flush();
    else this.#timer ??= setTimeout(() => this.#lookAround(), PATIENCE);
  }

  /** Whether a commit has failed. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Resolves when what was added is durable; rejects when it, or anything before it, could not be made so. */
  durable(): Promise<void> {
    if (this.#failure !== undefined) {
      this.#failure.isKnown = true;
      return Promise.reject(this.#failure.reason);
    }
    if (this.#writes.length === 0) return Promise.resolve();
    if (this.#next === undefined) {
      this.#next = Promise.withResolvers();
      setImmediate(() => this.flush()); // At the end of this turn: what else arrives in it goes along.
    }
    return this.#next.promise;
  }

  /** Commits at once. */
  flush(): void {
    const writes = this.#writes;
    const waiting = this.#next;
    this.#writes = [];
    this.#next = undefined;
    try {
      if (writes.length > 0) this.#commit(writes);
      waiting?.resolve();
    } catch (reason) {
      this.#failure ??= { reason, isKnown: waiting !== undefined };
      waiting?.reject(reason);
    }
  }

  /** One timer serves many commits: to make and unmake one for each would cost more than what they write. */
  #lookAround(): void {
    this.#timer = undefined;
    this.flush();
  }

  /** Commits what is left, and throws what it failed with if nobody has been told yet. */
  close(): void {
    clearTimeout(this.#timer);
    this.flush();
    if (this.#failure?.isKnown === false) throw this.#failure.reason;
  }
}
