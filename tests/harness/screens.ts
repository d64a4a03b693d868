/** Parts of screens that several tests compare. */
import { existsSync } from "node:fs";

/** Replaces times by placeholders. Times in columns keep their width. */
export function maskTimes(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d \((?:now|\d+ min ago)\)/g, "<time>")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "YYYY-MM-DD hh:mm");
}

/** Returns the beginning of the page of the permit P-1, which `clerk@city` has created for Ada. Times are masked. */
export function describePermit(stages: string, status: string): string {
  return `P-1  Permit for Ada

${stages}

Status   ${status}
Urgency  10
Type     Permit
Handle   CITY-PERMIT-WORK P-1
Owner    clerk@city
Created  <time> by clerk@city
Changed  <time> by clerk@city

Fields
`;
}

/** Returns the beginning of the page of the same permit in `svc show`. */
export function summarizePermit(stages: string, status: string): string {
  return `P-1  Permit for Ada

${stages}

Status   ${status}, urgency 10
Created  <time> by clerk@city

Open work
`;
}

/** The actions of a whole permit on its page. */
export const PERMIT_ACTIONS = `  Edit details
      svc cases perform-action P-1 --action pyUpdateCaseDetails
  Change stage
      svc cases stage-go P-1 --stage <stage>
  Expedite
      svc cases perform-action P-1 --action Expedite
  Withdraw the application
      svc cases perform-action P-1 --action Withdraw
  Start Site visit
      svc cases start-process P-1 --process Site_Visit`;

/** Reports whether a program is on the path of a system with pseudo-terminals. */
export function isInstalled(program: string): boolean {
  if (Deno.build.os === "windows") return false;
  return (Deno.env.get("PATH") ?? "").split(":").some((directory) => existsSync(`${directory}/${program}`));
}
