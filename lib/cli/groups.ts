/** All groups of commands: those of the API, then those of this program. Each is loaded only when it is named. */
import { type GroupEntry, groups as operationGroups } from "../resources/mod.ts";
import type { Command, CommandGroup } from "./command.ts";
import { fromLocal, type LocalGroup } from "./local.ts";
import { fromOperation } from "./operation_command.ts";

const apiGroups: Readonly<Record<string, GroupEntry>> = operationGroups;

const localGroups: Readonly<Record<string, { summary: string; load: () => Promise<{ commands: LocalGroup }> }>> = {
  auth: { summary: "Log in, log out, find out what is wrong with a connection", load: () => import("./auth.ts") },
  service: { summary: "Run the embedded service", load: () => import("./service.ts") },
  workflow: { summary: "Run workflow scripts in a sandbox", load: () => import("./workflow.ts") },
};

/** All groups by camel-case name, in the order of the help. */
export const groups: Readonly<Record<string, CommandGroup>> = {
  ...mapValues(apiGroups, ({ summary, load }, group) => ({
    summary,
    load: async () => mapValues((await load()).operations, (operation, name) => fromOperation(group, name, operation)),
  })),
  ...mapValues(localGroups, ({ summary, load }) => ({
    summary,
    load: async () => mapValues((await load()).commands, (command) => fromLocal(command)),
  })),
};

function mapValues<T, U extends Command | CommandGroup>(
  object: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));
}
