/**
 * Finds phrases that plain technical English does without, in every text file that git tracks: names, comments,
 * messages, tests and docs. Prints each with its place, and fails if there is one. Paths as arguments limit the check
 * to these files and folders: `deno task prose lib/auth utils`.
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** A phrase, and what to write instead. */
type Rule = readonly [phrase: RegExp, instead: string];

const RULES: readonly Rule[] = [
  // Sentences
  [/\b(as|of) whom\b/i, "a direct sentence"],
  [/\bof which\b/i, "two sentences"],
  [/\b(nobody|somebody)\b/i, "no one, or the role"],
  [/\b(is|are|was|were) none\b/i, "is missing, does not exist, is not found"],
  [/\bfor want of\b/i, "because there is no"],
  [/\bwithout a word\b/i, "silently"],
  [/\bfrom time to time\b/i, "periodically"],
  [/\bha(s|ve|d) had (its|their) (time|turn)\b/i, "has expired"],
  [/\b(is|are) (to be )?had\b/i, "is available"],
  [/\blets? go of\b/i, "releases"],
  [/\bknows? nothing of\b/i, "does not depend on"],
  [/\bin (its|their) (place|stead)\b/i, "instead"],
  [/\bfor ever\b/i, "forever, or without limit"],
  [/\bat hand\b/i, "available, claimed"],
  [/\/\*\* (What|Who|Whose|Whom|Whether|Where|That|Those|Of|As|One (that|whose|who)|So many)\b/, "a verb or a noun"],
  // Words
  [/\b(go|goes|going|went|gone) on\b/i, "continue, resume"],
  [/\bgoOn\b|\bgoingOn\b/, "next, continuation"],
  [/\bway on\b|\bwayOn\b/i, "next command, hint"],
  [/\bstand-?in\b|\bstandIn\b/i, "placeholder"],
  [/\bmend(s|ed|ing)?\b/i, "fix, resolve"],
  [/\bwish(es|ed)?\b|\bwishOf\b/i, "request"],
  [/\boutbox\b/i, "send queue"],
  [/\b(import|load)(s|ed)?.?unseen\b/i, "lazy import"],
  [/\bspoiled\b/i, "outcome unknown"],
  [/\bmisfits?\b/i, "issue"],
  [/\bmoments?\b/i, "time, timestamp, a short time"],
  [/\bstatics\b/, "assets"],
  [/\bwhoever\b/i, "the caller, the client"],
  [/\bof ours\b/i, "own, internal"],
  [/\bforeign\b(?! key)/i, "user-supplied, unknown"],
  [/\bhitherto|thereof|therein|whereof|wherein\b/i, "a direct sentence"],
];

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TEXT = /\.(ts|md|json|yaml)$|^\.ci\//;
/** The rules themselves, generated lists, and data. */
const SKIPPED = /^(tasks\/prose\.ts|deno\.lock|tests\/fixtures\/)/;

let hits = 0;
for (const path of await listFiles(Deno.args)) {
  const lines = (await Deno.readTextFile(`${ROOT}/${path}`)).split("\n");
  for (const [index, line] of lines.entries()) {
    for (const [phrase, instead] of RULES) {
      const [found] = phrase.exec(line) ?? [];
      if (found === undefined) continue;
      hits++;
      console.log(`${path}:${index + 1}: "${found.trim()}": write ${instead}.`);
    }
  }
}
if (hits > 0) {
  console.error(`${hits} phrases to rewrite.`);
  Deno.exit(1);
}

async function listFiles(within: readonly string[]): Promise<string[]> {
  const { stdout } = await new Deno.Command("git", { args: ["ls-files", "-z", "--", ...within], cwd: ROOT }).output();
  const paths = new TextDecoder().decode(stdout).split("\0");
  return paths.filter((path) => TEXT.test(path) && !SKIPPED.test(path));
}
