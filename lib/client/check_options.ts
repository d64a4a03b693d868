/** Checks the options of a function, so that a misspelt option is not silently ignored. */
import { SvcError } from "../errors.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";

const MUST = { string: "a text", number: "a number", boolean: "true or false", function: "a function" } as const;

type Type = keyof typeof MUST | undefined;

/** All options of a function, with a type for those that are not checked elsewhere. */
export type OptionTypes<Options> = { readonly [Name in keyof Required<Options>]: Type };

/** Throws `INVALID_ARGS` for an unknown option and for a value of another type. */
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
