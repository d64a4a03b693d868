/** References in texts of messages: operators after `@`, and tags after `#`. */
import type { Application } from "../application/model/application.ts";
import { caseFold } from "../../utils/text/case_fold.ts";

/** The references in a text. */
export interface References {
  /** IDs of the operators, in the order of the text. */
  readonly mentions: readonly string[];
  /** Tags in lower case and without `#`, in the order of the text. */
  readonly tags: readonly string[];
}

/** A name may follow a space or a bracket, but not a letter: `clara@city.example` is not a mention. */
const AT = /(?<![\p{L}\p{N}\p{M}_.+@-])@/gu;
/** The end of a name. It must not be inside a longer word or address. */
const END = /(?![\p{L}\p{N}\p{M}_]|[.@-][\p{L}\p{N}_])/uy;
const TAG = /(?<![\p{L}\p{N}\p{M}_&/#])#([\p{L}\p{N}_][\p{L}\p{N}\p{M}_-]*)/gu;

/** Hyphens at the end. The lookbehind keeps the time linear: without it, each hyphen would be tried as the first. */
const LAST_HYPHENS = /(?<!-)-+$/;

/** Finds the references in a text. */
export function findReferences(text: string, app: Application): References {
  const lower = caseFold(text);
  const mentions = [...lower.matchAll(AT)].flatMap(({ index }) => findOperator(lower, index + 1, getNames(app)) ?? []);
  return { mentions: [...new Set(mentions)], tags: [...new Set(findTags(lower))] };
}

/** Finds tags. A number alone, such as `#3`, is not a tag. */
function findTags(lower: string): string[] {
  const tags = [...lower.matchAll(TAG)].map(([, tag = ""]) => tag.replace(LAST_HYPHENS, ""));
  return tags.filter((tag) => /\p{L}/u.test(tag));
}

/** Finds the operator with the longest name at an index. Returns undefined if several have this name. */
function findOperator(lower: string, start: number, names: readonly Name[]): string | undefined {
  const longest = names.find(({ name }) => lower.startsWith(name, start) && isEnd(lower, start + name.length));
  return longest?.operators.length === 1 ? longest.operators[0] : undefined;
}

function isEnd(lower: string, index: number): boolean {
  END.lastIndex = index;
  return END.test(lower);
}

interface Name {
  readonly name: string;
  readonly operators: readonly string[];
}

const cache = new WeakMap<Application, readonly Name[]>();

/** Returns the names of operators: ID, name and first name. The longest comes first. */
function getNames(app: Application): readonly Name[] {
  const known = cache.get(app);
  if (known !== undefined) return known;
  const operators = new Map<string, Set<string>>();
  for (const { id, name } of app.operators.values()) {
    for (const alias of [id, name, name.split(" ")[0] ?? name]) {
      const key = caseFold(alias);
      operators.set(key, (operators.get(key) ?? new Set()).add(id));
    }
  }
  const names = [...operators].map(([name, ids]) => ({ name, operators: [...ids] }));
  names.sort((a, b) => b.name.length - a.name.length);
  cache.set(app, names);
  return names;
}
