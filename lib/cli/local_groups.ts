/** The groups of commands that are no API operations. Each is a module of its own, loaded only when it is needed. */
import type { LocalGroup } from "./local.ts";

/** A local group: a line of the help, and where its commands are. */
export interface LocalGroupEntry {
  /** What its commands are about, for the help: no full stop. */
  readonly summary: string;
  /** Loads its commands. */
  readonly load: () => Promise<{ readonly commands: LocalGroup }>;
}

/** All local groups by name. */
export const localGroups: Readonly<Record<string, LocalGroupEntry>> = {
  auth: { summary: "Log in, log out, find out what is wrong with a connection", load: () => import("./auth.ts") },
  service: { summary: "Run the embedded service", load: () => import("./service.ts") },
  workflow: { summary: "Run workflow scripts in a sandbox", load: () => import("./workflow.ts") },
};
