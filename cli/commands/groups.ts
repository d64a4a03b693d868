/** All groups of commands: those of the API, then those of this program. Each is loaded only when it is named. */
import { type GroupEntry, groups as operationGroups } from "../../lib/resources/mod.ts";
import type { Command, CommandEntry, CommandGroup } from "./command.ts";
import { mapValues } from "../../utils/map_values.ts";
import type { LocalGroup } from "./local_command.ts";
import { fromOperation } from "./operation_command.ts";

const apiGroups: Readonly<Record<string, GroupEntry>> = operationGroups;

interface LocalModule {
  readonly commands: LocalGroup;
}

const localGroups: Readonly<Record<string, { summary: string; load: () => Promise<LocalModule> }>> = {
  auth: {
    summary: "Log in, log out, find out what is wrong with a connection",
    load: () => import("./auth/mod.ts"),
  },
  service: {
    summary: "Run the embedded service",
    load: () => import("./service/mod.ts"),
  },
  workflow: {
    summary: "Run workflow scripts in a sandbox",
    load: () => import("./workflow/mod.ts"),
  },
  completion: {
    summary: "Complete commands and flags in a shell",
    load: () => import("./completion/mod.ts"),
  },
};

/** All groups by camel-case name, in the order of the help. */
export const groups: Readonly<Record<string, CommandGroup>> = {
  ...mapValues(apiGroups, ({ summary, load }, group): CommandGroup => ({
    summary,
    load: async () => entriesOf((await load()).default, (operation, name) => fromOperation(group, name, operation)),
  })),
  ...mapValues(localGroups, ({ summary, load }): CommandGroup => ({
    summary,
    async load() {
      const { fromLocal } = await import("./local_command.ts");
      return entriesOf((await load()).commands, fromLocal);
    },
  })),
};

function entriesOf<T extends { readonly summary: string }>(
  sources: Readonly<Record<string, T>>,
  toCommand: (source: T, name: string) => Command,
): Record<string, CommandEntry> {
  return mapValues(sources, (source, name) => ({ summary: source.summary, describe: () => toCommand(source, name) }));
}
