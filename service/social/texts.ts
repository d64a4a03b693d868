/** What the text of a message names: operators after `@`, tags after `#`. */
import type { Application } from "../application/model/application.ts";
import { caseFold } from "../../utils/text/case_fold.ts";

/** What a text names. */
export interface Named {
  /** IDs of the operators, in the order of the text. */
  readonly mentions: readonly string[];
  /** Tags in small letters and without `#`, in the order of the text. */
  readonly tags: readonly string[];
}

/** A name may follow a space or a bracket, not a letter: `clara@city.example` mentions nobody. */
const AT = /(?<![\p{L}\p{N}\p{M}_.+@-])@/gu;
/** After a name: not in the middle of a longer word or address. */
const END = /(?![\p{L}\p{N}\p{M}_]|[.@-][\p{L}\p{N}_])/uy;
const TAG = /(?<![\p{L}\p{N}\p{M}_&/#])#([\p{L}\p{N}_][\p{L}\p{N}\p{M}_-]*)/gu;

/** From the first of them on: where any may be the first, as many are tried as there are, again and again. */
const LAST_HYPHENS = /(?<!-)-+$/;

/** What a text names. */
export function namedIn(text: string, app: Application): Named {
  const lower = caseFold(text);
  const mentions = [...lower.matchAll(AT)].flatMap(({ index }) => operatorAt(lower, index + 1, namesOf(app)) ?? []);
  return { mentions: [...new Set(mentions)], tags: [...new Set(tagsIn(lower))] };
}

/** A number alone is no tag: `#3` is a number of something. */
function tagsIn(lower: string): string[] {
  const tags = [...lower.matchAll(TAG)].map(([, tag = ""]) => tag.replace(LAST_HYPHENS, ""));
  return tags.filter((tag) => /\p{L}/u.test(tag));
}

/** The operator whose longest name stands at a place; nobody where several have that name. */
function operatorAt(lower: string, start: number, names: readonly Name[]): string | undefined {
  const longest = names.find(({ name }) => lower.startsWith(name, start) && endsAt(lower, start + name.length));
  return longest?.operators.length === 1 ? longest.operators[0] : undefined;
}

function endsAt(lower: string, index: number): boolean {
  END.lastIndex = index;
  return END.test(lower);
}

interface Name {
  readonly name: string;
  readonly operators: readonly string[];
}

const cache = new WeakMap<Application, readonly Name[]>();

/** What operators can be called: by ID, by name and by first name. The longest comes first. */
function namesOf(app: Application): readonly Name[] {
  const known = cache.get(app);
  if (known !== undefined) return known;
  const operators = new Map<string, Set<string>>();
  for (const { id, name } of app.operators.values()) {
    for (const called of [id, name, name.split(" ")[0] ?? name]) {
      const key = caseFold(called);
      operators.set(key, (operators.get(key) ?? new Set()).add(id));
    }
  }
  const names = [...operators].map(([name, ids]) => ({ name, operators: [...ids] }));
  names.sort((a, b) => b.name.length - a.name.length);
  cache.set(app, names);
  return names;
}
