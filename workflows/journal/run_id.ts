/** Identifiers of runs: they sort by time, and can be typed. */
import { SvcError } from "../../lib/errors.ts";

/** Letters that cannot be mistaken for each other. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";

/** A new identifier, e.g. `20261121-1405-k7wqh2`. */
export function newRunId(): string {
  const [date = "", time = ""] = new Date().toISOString().split("T");
  const random = [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => LETTERS[byte % LETTERS.length]);
  return `${date.replaceAll("-", "")}-${time.slice(0, 5).replace(":", "")}-${random.join("")}`;
}

/** Whether a text can be the identifier of a run: it becomes a part of a file's name. */
export function isRunId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(id);
}

/** The identifier that a person gave, if it can be one. */
export function checkRunId(id: string): string {
  if (isRunId(id)) return id;
  throw new SvcError("INVALID_ARGS", `${JSON.stringify(id)} cannot be the identifier of a run.`, {
    hint: "Use up to 64 letters, digits, - and _.",
  });
}
