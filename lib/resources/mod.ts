/** The groups of operations. Each is a module of its own, loaded only when it is needed. */
import type { Group } from "../operation.ts";

/** A group: a line of the help, and where its operations are. */
export interface GroupEntry {
  /** What its operations are about, for the help: no full stop. */
  readonly summary: string;
  /** Loads its operations. */
  readonly load: () => Promise<{ readonly operations: Group }>;
}

/** All groups by name. */
export const groups = {
  cases: {
    summary: "Create, read and move cases",
    load: (): Promise<typeof import("./cases.ts")> => import("./cases.ts"),
  },
  assignments: {
    summary: "Take and perform the work items of cases",
    load: (): Promise<typeof import("./assignments.ts")> => import("./assignments.ts"),
  },
  data: {
    summary: "Query data views and change data records",
    load: (): Promise<typeof import("./data.ts")> => import("./data.ts"),
  },
  caseTypes: {
    summary: "List case types and their actions",
    load: (): Promise<typeof import("./case_types.ts")> => import("./case_types.ts"),
  },
} as const satisfies Record<string, GroupEntry>;

/** The operations of all groups. */
export type Resources = {
  readonly [G in keyof typeof groups]: Awaited<ReturnType<(typeof groups)[G]["load"]>>["operations"];
};

/** The operations of all groups, loaded. */
export async function loadResources(): Promise<Record<string, Group>> {
  const loaded = Object.entries(groups).map(async ([name, group]): Promise<[string, Group]> => {
    const { operations } = await group.load();
    return [name, operations];
  });
  return Object.fromEntries(await Promise.all(loaded));
}
