/** Flags that take one of a few words. */
import { SvcError } from "../../lib/errors.ts";
import { toKebab } from "../../lib/operation/names.ts";

/** The word that a flag was given, if it is one of the choices. */
export function choiceOf<T extends string>(flag: string, choices: readonly T[], word: unknown): T {
  const choice = choices.find((one) => one === word);
  if (choice !== undefined) return choice;
  throw new SvcError("INVALID_ARGS", `--${toKebab(flag)} must be one of ${choices.join(", ")}.`);
}
