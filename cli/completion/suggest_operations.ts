import { permissionName, toCamel, toKebab } from "../../lib/operation/operation.ts";
import { resources } from "../../lib/resources/mod.ts";
import type { GroupEntry } from "../../lib/resources/mod.ts";
import type { Suggestion } from "../commands/command.ts";

const groups: Readonly<Record<string, GroupEntry>> = resources;

/** Suggests names of operations: first the groups, and after the dot the operations of that group. */
export async function suggestOperations(start: string): Promise<Suggestion[]> {
  const [, word] = /^([^.]+)\./.exec(start) ?? [];
  if (word === undefined) {
    return Object.entries(groups).map(([name, { summary }]) => ({ word: `${toKebab(name)}.`, about: summary }));
  }
  const name = toCamel(word);
  const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
  if (group === undefined) return [];
  const { default: operations } = await group.load();
  const all = { word: `${word}.*`, about: `Every operation of ${word}` };
  const each = Object.entries(operations).map(([operation, { summary }]) => ({
    word: permissionName(name, operation),
    about: summary,
  }));
  return [all, ...each];
}
