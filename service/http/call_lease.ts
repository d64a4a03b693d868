/** Leases of calls that wait for another system. They tell other processes of the service that a call is in progress. */
import type { ServiceClock } from "../store/service_clock.ts";
import type { Store, StoredResponse, Transaction } from "../store/store.ts";

/** Kind and owner of the items that store leases. */
const LEASE = "call-lease";

/** Milliseconds after which a lease ends if its process does not renew it. */
const LIFETIME = 15_000;

/** Milliseconds between two renewals. */
const RENEWAL_INTERVAL = 5000;

/** The lease of a call. Only one process at a time holds it. */
export class CallLease {
  readonly #id: string;
  readonly #clock: ServiceClock;
  readonly #holder = crypto.randomUUID();

  /** Creates the lease of a call, which is not held yet. The clock decides when it ends. */
  constructor({ caller, key }: Pick<StoredResponse, "caller" | "key">, clock: ServiceClock) {
    this.#id = JSON.stringify([caller, key]);
    this.#clock = clock;
  }

  /** Reports whether a process holds the lease. Deletes a lease that has ended, so that its process cannot renew it. */
  async isHeld(tx: Transaction): Promise<boolean> {
    const item = await tx.getItem(LEASE, this.#id);
    if (item === undefined || item.at > this.#clock.now().toISOString()) return item !== undefined;
    await this.release(tx);
    return false;
  }

  /** Takes the lease, or renews it. */
  async take(tx: Transaction): Promise<void> {
    const at = new Date(this.#clock.now().getTime() + LIFETIME).toISOString();
    await tx.putItem({ kind: LEASE, id: this.#id, owner: LEASE, at, content: { holder: this.#holder } });
  }

  /** Reports whether this object still holds the lease. Another process may have found that it has ended. */
  async isOwn(tx: Transaction): Promise<boolean> {
    return (await tx.getItem(LEASE, this.#id))?.content.holder === this.#holder;
  }

  /** Ends the lease. */
  async release(tx: Transaction): Promise<void> {
    await tx.deleteItem(LEASE, this.#id);
  }

  /** Renews the lease regularly, until the result is disposed of. */
  keep(store: Store): AsyncDisposable {
    const renew = async () => {
      await store.transact(async (tx) => {
        if (await this.isOwn(tx)) await this.take(tx);
      });
    };
    let renewing = Promise.resolve();
    const timer = setInterval(() => {
      renewing = renewing.then(renew).catch(() => {}); // The next unit of work reports a lost lease or database.
    }, RENEWAL_INTERVAL);
    return {
      async [Symbol.asyncDispose]() {
        clearInterval(timer);
        await renewing;
      },
    };
  }
}

/** Deletes the leases that ended before a time, whose processes were killed. */
export async function deleteEndedLeases(store: Store, before: string): Promise<void> {
  await store.transact(async (tx) => {
    for (const { id } of await tx.listItems(LEASE, LEASE, { before })) await tx.deleteItem(LEASE, id);
  });
}
