import { forEachConcurrently } from "../support/for_each_concurrently.ts";
import type { Workspace } from "../support/workspace.ts";
import { runForNumber } from "./processes.ts";
import { createActivity, createCase } from "./work.ts";

/** Number of clients of a service under load. */
export const CLIENTS = 32;

/** A service with a token and work to do. */
export interface Target {
  /** Address of its API. */
  readonly api: string;
  /** Token of the clients. */
  readonly token: string;
  /** Handle of a case to read. */
  readonly caseId: string;
  /** Assignments to perform, one for each client. */
  readonly assignments: readonly string[];
}

/** Creates work for clients of a service. */
export async function prepareTarget(workspace: Workspace, api: string, clients: number = CLIENTS): Promise<Target> {
  const caseId = await createCase(workspace);
  const assignments: string[] = [];
  await forEachConcurrently(Array.from({ length: clients }), navigator.hardwareConcurrency, async () => {
    assignments.push(await createActivity(workspace));
  });
  return { api, token: await workspace.token("default"), caseId, assignments };
}

/** Returns the URL of a case. */
export function toCaseUrl({ api, caseId }: Pick<Target, "api" | "caseId">): string {
  return `${api}/cases/${encodeURIComponent(caseId)}`;
}

/** Measures how often per second clients read a URL. */
export async function measureReadRate(url: string, token: string, reads: number): Promise<number> {
  return await runForNumber("load_get.ts", [url, token, String(CLIENTS), String(reads)]);
}

/** Measures how often per second clients perform their assignments. */
export async function measurePerformRate({ api, token, assignments }: Target, performs: number): Promise<number> {
  return await runForNumber("load_perform.ts", [api, token, String(performs), ...assignments]);
}
