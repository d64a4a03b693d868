/** The options of a function, where they enter: one that is misspelt, left aside without a word, would be missing. */
import { SvcError } from "../errors.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";

const MUST = { string: "a text", number: "a number", boolean: "true or false", function: "a function" } as const;

type Type = keyof typeof MUST | undefined;

/** Every option, with its type where nothing else looks at that. */
export type OptionTypes<Options> = { readonly [Name in keyof Required<Options>]: Type };

/** Refuses an option that the function has not, or whose value is of another type, with `INVALID_ARGS`. */
export function checkOptions(called: string, types: Readonly<Record<string, Type>>, options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(types, name)) {
      const question = didYouMean(name, Object.keys(types), (option) => `'${option}'`);
      const hint = `${question}The options are ${Object.keys(types).join(", ")}.`;
      throw new SvcError("INVALID_ARGS", `${called} has no option '${name}'.`, { hint });
    }
    const type = types[name];
    if (type === undefined || value === undefined || typeof value === type) continue;
    throw new SvcError("INVALID_ARGS", `${name} must be ${MUST[type]}.`);
  }
}
