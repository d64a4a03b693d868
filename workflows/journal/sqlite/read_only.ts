import type { InputJournal } from "../journal.ts";

/** Returns a view of a journal that reads from it and discards all writes. */
export function readOnly(journal: InputJournal): InputJournal {
  return {
    claimInput: (runId, number) => journal.claimInput(runId, number),
    findInput: (runId, number) => journal.findInput(runId, number),
    events: (runId, number) => journal.events(runId, number),
    beginInput: () => {},
    endInput: () => {},
    stopInput: () => {},
    waitInput: () => {},
    waiting: (runId, options) => journal.waiting(runId, options),
    reopenInput: () => Promise.resolve(),
    changeInput: () => {},
    append: () => {},
    durable: () => Promise.resolve(),
    isBroken: () => false,
  };
}
