/** The registry of all groups of commands: those of the API, then those of this program. A group is loaded on first use. */
import { type GroupEntry, resources } from "../../lib/resources/mod.ts";
import { mapValues } from "../../utils/map_values.ts";
import type { Command, CommandEntry, CommandGroup } from "./command.ts";
import type { LocalGroup } from "./local_command.ts";
import { createOperationCommand } from "./operations.ts";

interface LocalGroupEntry {
  readonly summary: string;
  readonly load: () => Promise<{ readonly commands: LocalGroup }>;
}

const apiGroups: Readonly<Record<string, GroupEntry>> = resources;

const localGroups: Readonly<Record<string, LocalGroupEntry>> = {
  auth: {
    summary: "Log in and out, and diagnose a connection",
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
    load: async () => ({ commands: (await import("./completion/mod.ts")).createCommands(groups) }),
  },
};

/** All groups by camel-case name, in the order of the help. */
export const groups: Readonly<Record<string, CommandGroup>> = {
  ...mapValues(apiGroups, ({ summary, load }, group): CommandGroup => ({
    summary,
    async load() {
      const { default: operations } = await load();
      return createEntries(operations, (operation, name) => createOperationCommand(group, name, operation));
    },
  })),
  ...mapValues(localGroups, ({ summary, load }): CommandGroup => ({
    summary,
    async load() {
      const { createLocalCommand } = await import("./local_command.ts");
      return createEntries((await load()).commands, createLocalCommand);
    },
  })),
};

function createEntries<T extends { readonly summary: string }>(
  descriptions: Readonly<Record<string, T>>,
  createCommand: (description: T, name: string) => Command,
): Record<string, CommandEntry> {
  return mapValues(descriptions, (description, name) => ({
    summary: description.summary,
    describe: () => createCommand(description, name),
  }));
}
