/** What was probably meant: the names that resemble a mistyped one. */
import { buildApplication, buildCommand, buildRouteMap, run, text_en } from "@stricli/core";

/** How far a name may be from what was written. */
const DISTANCES = { threshold: 5, weights: { insertion: 1, deletion: 3, substitution: 2, transposition: 1 } };

/** A question such as `Did you mean 'get'? `, or nothing where no name is near. Names are camel-case, shown in kebab. */
export async function didYouMean(
  word: string,
  names: readonly string[],
  show: (name: string) => string,
): Promise<string> {
  const similar = await findSimilar(word, names);
  return similar.length === 0 ? "" : `Did you mean ${similar.map(show).join(" or ")}? `;
}

/** The parser library corrects what it routes: it is given the names as routes that lead nowhere. */
async function findSimilar(word: string, names: readonly string[]): Promise<readonly string[]> {
  const nowhere = buildCommand({ func() {}, parameters: {}, docs: { brief: "" } });
  const routes = buildRouteMap({
    routes: Object.fromEntries(names.map((name) => [name, nowhere])),
    docs: { brief: "" },
  });
  let similar: readonly string[] = [];
  const text = {
    ...text_en,
    noCommandRegisteredForInput({ corrections }: { readonly corrections: readonly string[] }) {
      similar = corrections.map((name) => name.replaceAll("`", ""));
      return "";
    },
  };
  const silent = { write() {} };
  const scanner = { caseStyle: "allow-kebab-for-camel", distanceOptions: DISTANCES } as const;
  const app = buildApplication(routes, { name: "svc", scanner, localization: { text } }, {});
  await run(app, [word], { process: { stdout: silent, stderr: silent } });
  return similar;
}
