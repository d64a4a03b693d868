/**
 * Finds phrases that plain technical English does not use, in every text file that git tracks: names, comments,
 * messages, tests and docs. Prints each phrase with its location, and fails if it finds one. Arguments limit the check
 * to files and folders: `deno task prose lib/auth utils`.
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
  [/(?<!\b[tw]here )\b(is|are|was|were) no (?!longer\b|different\b|better\b|more than\b)/i, "is not a, does not"],
  [/\bfor want of\b/i, "because there is no"],
  [/\bwithout a word\b/i, "silently"],
  [/\bfrom time to time\b/i, "periodically"],
  [/\bha(s|ve|d) had (its|their) (time|turn)\b/i, "has expired"],
  [/\b(is|are) (to be )?had\b/i, "is available"],
  [/\blets? go of\b/i, "releases"],
  [/\bknows? nothing of\b/i, "does not depend on"],
  [/\bin (its|their) (place|stead)\b/i, "instead"],
  [/\bfor ever\b/i, "forever, or without limit"],
  [/\bfor good\b(?! reason)/i, "permanently"],
  [/\b(service|server|it) (is|was|has been) away\b/i, "is unavailable"],
  [/\bat hand\b/i, "available, claimed"],
  [/\bat work\b/i, "running"],
  [/\bto (its|their) end\b/i, "completes, finishes"],
  [/\bit is said\b/i, "specified"],
  [/\bas said\b/i, "as specified"],
  [/\b(is|are) told\b/i, "is called with, is notified, is printed"],
  [/\btells? of\b/i, "reports, describes"],
  [/\bhow far (it|he|she) (is|has)\b/i, "progress"],
  [/\bso many\b(?! that)/i, "this many, a number of"],
  [/; (as before|[^;.]*\bwithout it\b)/i, "Default: …"],
  [/\ball the same\b/i, "nevertheless, still"],
  [/\/\*\* (What|Who|Whose|Whom|Whether|Where|That|Those|Of|As|One (that|whose|who)|So many)\b/, "a verb or a noun"],
  [/\bDeno\.test\(\s*["`](what|who|whose|whom|where)\b/i, "a title with a plain subject"],
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
  [/\banew\b/i, "again, new"],
  [/\bin vain\b/i, "without success"],
  [/\b(unforeseen|foresaw|foresees?)\b/i, "unexpected"],
  [/\bsurely\b/i, "certainly, or nothing"],
  [/\bhitherto|thereof|therein|whereof|wherein\b/i, "a direct sentence"],
];

/** A phrase that was found. */
export interface PhraseHit {
  /** Line of the text, starting at 1. */
  readonly line: number;
  /** The phrase. */
  readonly phrase: string;
  /** What to write instead. */
  readonly instead: string;
}

/** Finds the phrases in a text. */
export function findPhrases(text: string): PhraseHit[] {
  return text.split("\n").flatMap((line, index) =>
    RULES.flatMap(([rule, instead]) => {
      const [phrase] = rule.exec(line) ?? [];
      return phrase === undefined ? [] : [{ line: index + 1, phrase: phrase.trim(), instead }];
    })
  );
}

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TEXT = /\.(ts|md|json|yaml)$|^\.ci\//;
/** The rules themselves, their test, generated lists, and data. */
const SKIPPED = /^(tasks\/prose\.ts|tests\/tasks\/prose_test\.ts|deno\.lock|tests\/fixtures\/)/;

/** Lists the files to check, of all or below some paths. Files that were deleted but not committed are left out. */
async function listFiles(within: readonly string[]): Promise<string[]> {
  const list = async (...options: string[]) => {
    const args = ["ls-files", "-z", ...options, "--", ...within];
    const { stdout } = await new Deno.Command("git", { args, cwd: ROOT }).output();
    return new TextDecoder().decode(stdout).split("\0");
  };
  const deleted = new Set(await list("--deleted"));
  return (await list()).filter((path) => TEXT.test(path) && !SKIPPED.test(path) && !deleted.has(path));
}

if (import.meta.main) {
  let count = 0;
  for (const path of await listFiles(Deno.args)) {
    for (const { line, phrase, instead } of findPhrases(await Deno.readTextFile(`${ROOT}/${path}`))) {
      count++;
      console.log(`${path}:${line}: "${phrase}": write ${instead}.`);
    }
  }
  if (count > 0) {
    console.error(`${count} phrases to rewrite.`);
    Deno.exit(1);
  }
}
