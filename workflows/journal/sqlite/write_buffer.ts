/** Buffers writes to the journal, so that many share a commit. */
import { GroupCommit, type TransactionControl } from "../../../utils/sqlite/group_commit.ts";

/** Time after which buffered writes are committed although nothing waits for them, in milliseconds. */
const MAX_DELAY = 100;

/** Number of buffered writes that is committed at once. */
const MAX_WRITES = 256;

/**
 * Buffers writes and commits them in order, many at a time. After a failed commit it takes none: later ones would leave
 * a gap.
 */
export class WriteBuffer {
  readonly #commits: GroupCommit;
  readonly #describeFailure: (cause: unknown) => Error;
  readonly #finish: () => void;
  #writes: (() => void)[] = [];
  /** Subjects of the buffered writes. Undefined means that a write may concern any subject. */
  readonly #subjects = new Set<string | undefined>();
  /** The last commit that was requested. */
  #last: Promise<void> = Promise.resolve();
  /** True if that commit has not taken the buffered writes yet. */
  #isWaiting = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failure?: { readonly reason: Error; isReported: boolean };

  /**
   * Commits through a connection's transactions. `describeFailure` makes the error that callers get. `finish` is called
   * after the writes of a commit, and its own writes are part of that commit.
   */
  constructor(
    transaction: TransactionControl,
    describeFailure: (cause: unknown) => Error,
    finish: () => void = () => {},
  ) {
    this.#commits = new GroupCommit(transaction);
    this.#describeFailure = describeFailure;
    this.#finish = finish;
  }

  /** Reports whether a commit has failed. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Adds a write to the next commit. Without a subject, it may concern any subject. */
  add(write: () => void, subject?: string): void {
    if (this.#failure !== undefined) return;
    this.#writes.push(write);
    this.#subjects.add(subject);
    if (this.#writes.length >= MAX_WRITES) void this.#commit();
    // One timer serves many commits: starting and stopping one for each would cost more than the writes.
    else this.#timer ??= setTimeout(() => this.#onTimer(), MAX_DELAY);
  }

  /** Resolves when all writes are durable. Rejects if one of them, or one before them, could not be made durable. */
  async durable(): Promise<void> {
    await this.#commit();
    if (this.#failure === undefined) return;
    this.#failure.isReported = true;
    throw this.#failure.reason;
  }

  /**
   * Commits all writes now if one of them may concern the subject, so that reads see it. Only `durable` and `close` report a
   * failure.
   */
  async flush(subject?: string): Promise<void> {
    const isConcerned = subject === undefined || this.#subjects.has(subject) || this.#subjects.has(undefined);
    if (isConcerned) await this.#commit(true);
  }

  /** Commits the remaining writes. Throws a failure that `durable` has not reported. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#commit(true);
    if (this.#failure?.isReported === false) throw this.#failure.reason;
  }

  #onTimer(): void {
    this.#timer = undefined;
    void this.#commit();
  }

  /** Commits all writes. The promise never rejects. */
  #commit(urgent = false): Promise<void> {
    if (this.#isWaiting || this.#writes.length === 0) return this.#last;
    this.#isWaiting = true;
    const commit = this.#commits.run(async ({ willWrite }) => {
      try {
        if (this.#failure === undefined) await willWrite();
        const writes = this.#take(); // Includes what was added since the commit was requested.
        if (this.#failure !== undefined) return;
        for (const write of writes) write();
        this.#finish();
      } catch (cause) {
        this.#fail(cause); // Now: the next writes may share this transaction.
        throw cause;
      }
    }, urgent);
    return this.#last = commit.catch((cause) => this.#fail(cause));
  }

  #take(): readonly (() => void)[] {
    const writes = this.#writes;
    this.#writes = [];
    this.#subjects.clear();
    this.#isWaiting = false;
    return writes;
  }

  #fail(cause: unknown): void {
    this.#failure ??= { reason: this.#describeFailure(cause), isReported: false };
    this.#writes = [];
  }
}
