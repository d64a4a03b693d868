/** A group or a command that does not exist, with what was probably meant. */
import { buildApplication, buildCommand, buildRouteMap, run, text_en } from "@stricli/core";
import { SvcError } from "../errors.ts";
import { DISTANCES } from "./scanner.ts";

/** The error of a word that names nothing, with the names that resemble it. */
export async function unknownWord(
  place: string,
  kind: string,
  names: readonly string[],
  word: string,
): Promise<SvcError> {
  const similar = await findSimilar(names, word);
  const question = similar.length === 0 ? "" : `Did you mean ${similar.join(" or ")}? `;
  return new SvcError("INVALID_ARGS", `${place} has no ${kind} '${word}'.`, {
    hint: `${question}'${place} --help' lists the ${kind}s.`,
  });
}

/** The parser library corrects what it routes: it is given the names as routes that lead nowhere. */
async function findSimilar(names: readonly string[], word: string): Promise<readonly string[]> {
  const nowhere = buildCommand({ func() {}, parameters: {}, docs: { brief: "" } });
  const routes = buildRouteMap({
    routes: Object.fromEntries(names.map((name) => [name, nowhere])),
    docs: { brief: "" },
  });
  let similar: readonly string[] = [];
  const text = {
    ...text_en,
    noCommandRegisteredForInput(found: { readonly corrections: readonly string[] }) {
      similar = found.corrections.map((name) => name.replaceAll("`", "'"));
      return "";
    },
  };
  const silent = { write() {} };
  const scanner = { caseStyle: "allow-kebab-for-camel", distanceOptions: DISTANCES } as const;
  const app = buildApplication(routes, { name: "svc", scanner, localization: { text } }, {});
  await run(app, [word], { process: { stdout: silent, stderr: silent } });
  return similar;
}
