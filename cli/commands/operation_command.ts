/** The command of an operation. */
import { permissionName, toKebab } from "../../lib/operation/names.ts";
import { type Operation, type Param, takesTag } from "../../lib/operation/operation.ts";
import type { Command, Flag } from "./command.ts";
import { runOperation } from "./run_operation.ts";
import { readValues } from "../args/read_values.ts";

const IF_MATCH: Flag = {
  help: "Entity tag that must still be current, sent as it is",
  type: "string",
  placeholder: "tag",
};
/** Where content is written. */
export const OUTPUT = {
  help: "File to write; '-' is stdout",
  type: "path",
  short: "o",
} as const satisfies Flag;
const INTERACTIVE: Flag = { help: "Pick the action and fill in its required fields at prompts", type: "boolean" };

/** The command of an operation: values in, request or answer out. */
export function fromOperation(group: string, name: string, operation: Operation): Command {
  const ref = { name: permissionName(group, name), operation };
  return {
    summary: operation.summary,
    details: operation.variant && `Only the ${operation.variant} deployment variant serves it.`,
    args: operation.args,
    flags: flagsOf(operation),
    example: operation.example,
    seeAlso: operation.seeAlso,
    async run(context, { interactive, ...given }) {
      if (interactive === true) {
        const { performInteractively } = await import("../prompts/interactive.ts");
        return await performInteractively(context, ref, given);
      }
      const { output, ...values } = await readValues(this, given, context.io);
      await runOperation(context, ref, values, typeof output === "string" ? output : undefined);
    },
  };
}

function flagsOf(operation: Operation): Record<string, Flag> {
  const flags = Object.entries(operation.flags ?? {}).map(([name, param]): [string, Flag] => [name, flagOf(param)]);
  return {
    ...Object.fromEntries(flags),
    ...(takesTag(operation) && { ifMatch: IF_MATCH }),
    ...(operation.answer === "content" && { output: outputOf(operation) }),
    ...(operation.interactive && { interactive: INTERACTIVE }),
  };
}

function flagOf(param: Param): Flag {
  const { help, type, choices, required, short, repeatable, negatable, default: standard } = param;
  const { excludes, rejected, since, variant } = param;
  const remarks = [
    isPayload(type) && "JSON, @file or -",
    repeatable && "repeat the flag for several",
    excludes && `not with ${excludes.map((name) => `--${toKebab(name)}`).join(", ")}`,
    since && `platform version ${since} and later`,
    variant && `${variant} variant only`,
  ].filter((remark) => typeof remark === "string");
  return {
    help: remarks.length === 0 ? help : `${help}; ${remarks.join("; ")}`,
    type,
    choices,
    required,
    short,
    repeatable,
    negatable,
    default: standard,
    hidden: rejected === undefined ? undefined : true,
  };
}

function outputOf({ output }: Operation): Flag {
  return output === "file" ? { ...OUTPUT, required: true } : OUTPUT;
}

function isPayload(type: Param["type"]): boolean {
  return type === "object" || type === "array" || type === "calculation";
}
