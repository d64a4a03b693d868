/** Identifiers of runs. They sort by time and are easy to type. */
import { SvcError } from "../../lib/errors.ts";

/** Letters that cannot be mistaken for each other. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";

/** Creates an identifier, e.g. `20261121-1405-k7wqh2`. */
export function newRunId(): string {
  const [date = "", time = ""] = new Date().toISOString().split("T");
  const random = [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => LETTERS[byte % LETTERS.length]);
  return `${date.replaceAll("-", "")}-${time.slice(0, 5).replace(":", "")}-${random.join("")}`;
}

/** Reports whether a text is a valid run ID. Run IDs become parts of file names. */
export function isRunId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(id);
}

/** Returns a run ID if it is valid. Throws `INVALID_ARGS` otherwise. */
export function checkRunId(id: string): string {
  if (isRunId(id)) return id;
  throw new SvcError("INVALID_ARGS", `${JSON.stringify(id)} is not a valid run ID.`, {
    hint: "Use up to 64 letters, digits, - and _.",
  });
}
