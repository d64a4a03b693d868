import { isJsonObject, isString, type JsonObject, parseJson } from "../../utils/json.ts";
import { type LiveCalls, StopInput } from "../engine/live_calls.ts";
import type { BatchInput } from "../inputs/batch_input.ts";

/** Number of assignments per page. */
const PAGE_SIZE = 100;

/** Milliseconds for which a read inbox is used. After that, more urgent assignments may have arrived. */
const FRESH_MILLISECONDS = 2000;

/** Reads the inbox of an operator page by page, and supplies the assignments of one queue. */
export class QueueInbox {
  readonly #calls: LiveCalls;
  readonly #queue: string;
  readonly #signal: AbortSignal;
  /** Assignments of the queue that were read, but not returned yet. */
  #found: BatchInput[] = [];
  #page = 0;
  #readAt = 0;
  #hasMore = true;

  /** Reads with the calls until the signal aborts. */
  constructor(calls: LiveCalls, queue: string, signal: AbortSignal) {
    this.#calls = calls;
    this.#queue = queue;
    this.#signal = signal;
  }

  /**
   * Returns up to `limit` assignments, the most urgent first. Returns each only once until the inbox is read again from its
   * beginning. Returns none if the rest of the inbox has none for which `isAvailable` returns true.
   */
  async take(limit: number, isAvailable: (id: string) => boolean): Promise<BatchInput[]> {
    const isExhausted = !this.#hasMore && this.#found.length === 0;
    if (isExhausted || Date.now() - this.#readAt > FRESH_MILLISECONDS) this.#restart();
    for (;;) {
      const taken: BatchInput[] = [];
      while (taken.length < limit) {
        const next = this.#found.shift();
        if (next === undefined) break;
        if (isAvailable(next.place)) taken.push(next);
      }
      if (taken.length > 0 || !this.#hasMore || this.#signal.aborted) return taken;
      await this.#readPage();
    }
  }

  #restart(): void {
    this.#found = [];
    this.#page = 0;
    this.#hasMore = true;
  }

  async #readPage(): Promise<void> {
    const signal = this.#signal;
    const values = { page: ++this.#page, pageSize: PAGE_SIZE };
    const options = { signal, lastAttempt: signal, calledAt: Date.now(), sent: { key: "" } };
    try {
      const call = { ...options, commit: () => Promise.resolve() };
      const { text } = await this.#calls.call({ operation: "work.inbox", values }, call);
      const body = parseJson(text);
      const { assignments, hasMoreResults } = isJsonObject(body) ? body : {};
      const listed = Array.isArray(assignments) ? assignments.filter(isJsonObject) : [];
      this.#found.push(...listed.flatMap((assignment) => this.#toInput(assignment)));
      this.#hasMore = hasMoreResults === true;
      this.#readAt = Date.now();
    } catch (thrown) {
      if (!signal.aborted) throw thrown instanceof StopInput ? thrown.reason : thrown;
    }
  }

  #toInput({ ID, assigneeInfo, ...facts }: JsonObject): BatchInput[] {
    const isInQueue = isJsonObject(assigneeInfo) && assigneeInfo.type === "workbasket" &&
      assigneeInfo.ID === this.#queue;
    return isInQueue && isString(ID) ? [{ place: ID, value: { assignment: ID, ...facts } }] : [];
  }
}
