/** The registry of all commands: the groups of the API, the groups of this program, and the commands without a group. */
import { toKebab } from "../../lib/operation/operation.ts";
import { type GroupEntry, resources } from "../../lib/resources/mod.ts";
import { mapValues } from "../../utils/map_values.ts";
import type { Command, CommandEntry, CommandGroup, CommandTree } from "./command.ts";
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
  profile: {
    summary: "Manage profiles: services and the credentials for them",
    load: () => import("./profile/mod.ts"),
  },
  config: {
    summary: "Change settings, such as the output format at a terminal",
    load: () => import("./config/mod.ts"),
  },
  service: {
    summary: "Run the embedded service",
    load: () => import("./service/mod.ts"),
  },
  workflow: {
    summary: "Run workflow scripts in a sandbox",
    load: () => import("./workflow/mod.ts"),
  },
  worker: {
    summary: "Run scheduled workflows and the inputs of shared runs",
    load: () => import("./worker/mod.ts"),
  },
  support: {
    summary: "Record requests and responses for a bug report",
    load: () => import("./support/mod.ts"),
  },
  completion: {
    summary: "Complete commands and flags in a shell",
    load: async () => ({ commands: (await import("./completion/mod.ts")).createCommands(commandTree) }),
  },
};

/** The commands without a group, which people use every day. Each is loaded with the others on first use. */
export const everyday: CommandGroup = createLocalGroup({
  summary: "Work on cases",
  load: () => import("./everyday/mod.ts"),
});

/** All groups by camel-case name, in the order of the help. */
export const groups: Readonly<Record<string, CommandGroup>> = {
  ...mapValues(apiGroups, ({ summary, load }, group): CommandGroup => ({
    summary,
    async load() {
      const { default: operations } = await load();
      return createEntries(operations, (operation, name) => createOperationCommand(group, name, operation));
    },
  })),
  ...mapValues(localGroups, createLocalGroup),
};

/** All commands. */
export const commandTree: CommandTree = { groups, everyday };

/** A command with the words that name it. */
export interface NamedCommand {
  /** The words after `svc`: the group, unless it has none, and the name. */
  readonly words: readonly string[];
  /** The command. */
  readonly command: Command;
}

/** Lists all commands, in the order of the help. */
export async function listCommands(): Promise<NamedCommand[]> {
  const listed = Object.entries({ "": everyday, ...groups }).map(async ([group, { load }]) =>
    Object.entries(await load()).map(([name, entry]) => ({
      words: [group, ...name.split(" ")].filter((word) => word !== "").map(toKebab),
      command: entry.describe(),
    }))
  );
  return (await Promise.all(listed)).flat();
}

function createLocalGroup({ summary, load }: LocalGroupEntry): CommandGroup {
  return {
    summary,
    async load() {
      const { createLocalCommand } = await import("./local_command.ts");
      return createEntries((await load()).commands, createLocalCommand);
    },
  };
}

function createEntries<T extends { readonly summary: string }>(
  descriptions: Readonly<Record<string, T>>,
  createCommand: (description: T, name: string) => Command,
): Record<string, CommandEntry> {
  return mapValues(descriptions, (description, name) => ({
    summary: description.summary,
    describe: () => createCommand(description, name),
  }));
}
