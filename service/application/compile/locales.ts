/** Texts of the user interface in several languages. */
import { z } from "zod";

/** A language, and a country where its texts differ: `nl`, `nl_NL`. */
const locale = z.string().regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, "must be like nl or nl_NL");

/** Bundles of texts by locale, as they are written. */
export const localesSchema = z.record(
  locale,
  z.record(z.string().min(1).refine((key) => key !== "id", "is the bundle's own ID"), z.string()),
);

/** The texts of a locale by key. */
export type Bundle = ReadonlyMap<string, string>;

/** Compiles all bundles: a country has the texts of its language, and its own instead of some of them. */
export function compileLocales(definitions: z.infer<typeof localesSchema>): Map<string, Bundle> {
  return new Map(
    Object.entries(definitions).map(([id, texts]) => {
      const [language = ""] = id.split("_");
      return [id, new Map(Object.entries({ ...definitions[language], ...texts }))];
    }),
  );
}
