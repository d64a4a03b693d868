/** The groups of operations. Each is a module that is loaded on first use. */
import type { Group } from "../operation/operation.ts";

/** A group of operations. */
export interface GroupEntry {
  /** Summary for the help: no full stop. */
  readonly summary: string;
  /** Loads its operations. */
  readonly load: () => Promise<{ readonly default: Group }>;
}

/** All groups by name. */
export const resources = {
  cases: {
    summary: "Create, read and advance cases",
    load: (): Promise<typeof import("./cases.ts")> => import("./cases.ts"),
  },
  assignments: {
    summary: "Get and perform assignments, the work items of cases",
    load: (): Promise<typeof import("./assignments.ts")> => import("./assignments.ts"),
  },
  data: {
    summary: "Query data views and change data records",
    load: (): Promise<typeof import("./data.ts")> => import("./data.ts"),
  },
  participants: {
    summary: "Manage the participants of a case",
    load: (): Promise<typeof import("./participants.ts")> => import("./participants.ts"),
  },
  attachments: {
    summary: "Attach files and links to cases",
    load: (): Promise<typeof import("./attachments.ts")> => import("./attachments.ts"),
  },
  tags: {
    summary: "Manage the tags of a case",
    load: (): Promise<typeof import("./tags.ts")> => import("./tags.ts"),
  },
  followers: {
    summary: "Manage the followers of a case",
    load: (): Promise<typeof import("./followers.ts")> => import("./followers.ts"),
  },
  related: {
    summary: "Manage the relations between cases",
    load: (): Promise<typeof import("./related.ts")> => import("./related.ts"),
  },
  caseTypes: {
    summary: "List case types and their actions",
    load: (): Promise<typeof import("./case_types.ts")> => import("./case_types.ts"),
  },
  social: {
    summary: "Post, like and find messages",
    load: (): Promise<typeof import("./social.ts")> => import("./social.ts"),
  },
  aiAgents: {
    summary: "Talk to AI agents",
    load: (): Promise<typeof import("./ai_agents.ts")> => import("./ai_agents.ts"),
  },
  assistants: {
    summary: "Talk to generative AI assistants",
    load: (): Promise<typeof import("./assistants.ts")> => import("./assistants.ts"),
  },
  pages: {
    summary: "Read pages, dashboards, insights, portals and channels",
    load: (): Promise<typeof import("./pages.ts")> => import("./pages.ts"),
  },
  uiLists: {
    summary: "Personalize lists and move their rows",
    load: (): Promise<typeof import("./ui_lists.ts")> => import("./ui_lists.ts"),
  },
  staticContent: {
    summary: "Read components, files and profile images",
    load: (): Promise<typeof import("./static_content.ts")> => import("./static_content.ts"),
  },
  work: {
    summary: "List, find, take, release and transfer work",
    load: (): Promise<typeof import("./work.ts")> => import("./work.ts"),
  },
} as const satisfies Record<string, GroupEntry>;

/**
 * The operations of all groups.
 *
 * @internal
 */
export type Resources = {
  readonly [G in keyof typeof resources]: Awaited<ReturnType<(typeof resources)[G]["load"]>>["default"];
};

/** Loads the operations of all groups. */
export async function loadResources(): Promise<Record<string, Group>> {
  const loaded = Object.entries(resources).map(async ([name, group]): Promise<[string, Group]> => {
    const { default: operations } = await group.load();
    return [name, operations];
  });
  return Object.fromEntries(await Promise.all(loaded));
}
