/** How much one call may be about. */
import { Invalid } from "../errors.ts";

/** Things that a call may be about: it is one unit of work, and all others wait for the whole of it. */
const MOST = 1000;

/** Refuses a call that is about too many things. */
export function checkCount(count: number, things: string, most: number = MOST): void {
  if (count > most) throw new Invalid(`A call may have at most ${most} ${things}, not ${count}`);
}
