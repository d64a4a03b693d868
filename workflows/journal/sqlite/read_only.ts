/** A journal for a look at what a script would do: it tells what it has, and takes nothing. */
import type { InputJournal } from "../journal.ts";

/** The inputs of a journal, which stays as it is. */
export function readOnly(journal: InputJournal): InputJournal {
  return {
    findInput: (id, number) => journal.findInput(id, number),
    events: (id, number) => journal.events(id, number),
    beginInput: () => {},
    endInput: () => {},
    stopInput: () => {},
    reopenInput: () => Promise.resolve(),
    mendInput: () => {},
    append: () => {},
    durable: () => Promise.resolve(),
    isBroken: () => false,
  };
}
