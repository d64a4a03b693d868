/** Scans the command lines that are plain, without the parser library: loading and running it takes longer than a call. */
import { toCamel } from "../../lib/operation/names.ts";
import type { CommandDescription, Flag, Given } from "../commands/command.ts";
import { globalFlags } from "./global_flags.ts";

const FLAG = /^--([a-z][a-z\d]*(?:-[a-z\d]+)*)(?:=([^]*))?$/;

/**
 * What was given to a command, if it is written plainly: known flags in full, once each unless they are repeatable, with
 * their values, and as many arguments as the command takes. Undefined leaves the line to the parser library, which has
 * the last word on all that is short, negated, odd or wrong; what is plain means the same to both.
 */
export function scanPlain({ args = [], flags = {} }: CommandDescription, inputs: readonly string[]): Given | undefined {
  const given = new Map<string, string | boolean | string[]>();
  const texts: string[] = [];
  for (let index = 0; index < inputs.length; index++) {
    const input = inputs[index] ?? "";
    if (isText(input)) {
      texts.push(input);
      continue;
    }
    const [, name = "", attached] = FLAG.exec(input) ?? [];
    const flag = find(flags, toCamel(name));
    const earlier = given.get(toCamel(name));
    if (flag === undefined || (earlier !== undefined && !flag.repeatable)) return undefined;
    if (flag.type === "boolean") {
      if (attached !== undefined) return undefined;
      given.set(toCamel(name), true);
    } else {
      const value = attached ?? inputs[++index];
      if (value === undefined || (attached === undefined && !isText(value))) return undefined;
      given.set(toCamel(name), flag.repeatable ? [...Array.isArray(earlier) ? earlier : [], value] : value);
    }
  }
  if (texts.length !== args.length) return undefined;
  return Object.fromEntries([...given, ...args.map(({ name }, index) => [name, texts[index]])]);
}

function isText(input: string): boolean {
  return !input.startsWith("-") || input === "-";
}

function find(flags: Readonly<Record<string, Flag>>, name: string): Flag | undefined {
  const all: Readonly<Record<string, Flag>> = { ...globalFlags, ...flags };
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
