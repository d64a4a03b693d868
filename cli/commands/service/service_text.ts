/** Text that `svc service` prints for people besides its results. */
import type { RegisteredService } from "../../../service/admin/registry.ts";
import type { StartReport } from "../../../service/admin/start.ts";
import { MEMORY } from "../../../service/server/settings.ts";
import { getProfileName } from "../../../lib/auth/settings.ts";
import { formatCommandLine } from "../../../lib/errors.ts";

/** Says which service runs instead, with the command that stops it or shows its status on a line of its own. */
export function explainOtherService({ data, url }: RegisteredService, command: "stop" | "status"): [string, string] {
  const inMemory = data === MEMORY;
  const line = formatCommandLine(["service", command, ...(inMemory ? ["--all"] : ["--data", data])]);
  const purpose = command === "stop" ? "To stop it" : "For its status";
  const name = inMemory ? `A service in memory runs at ${url}` : `A service uses ${data}`;
  return [`${name}. ${purpose}, run:`, `  ${line}`];
}

/**
 * Lists the commands to try next. `isDefault` tells whether the service uses the default data directory. `inForeground` is
 * true if the service occupies the terminal.
 */
export function listNextCommands(
  { profiles, data }: StartReport,
  { isDefault, inForeground }: { readonly isDefault: boolean; readonly inForeground: boolean },
): string[] {
  const usual = getProfileName({});
  const [profile] = profiles.includes(usual) ? [usual] : profiles;
  const ofProfile = profile === undefined || profile === usual ? [] : ["--profile", profile];
  const ofData = isDefault || data === MEMORY ? [] : ["--data", data];
  const commands: [args: string[], purpose: string][] = [];
  if (profile !== undefined) commands.push([["case-types", "list", ...ofProfile], "see what cases you can create"]);
  if (data !== MEMORY) commands.push([["service", "seed", ...ofData], "add sample cases in all states"]);
  if (profile !== undefined) commands.push([["inbox", ...ofProfile], "see your work"]);
  if (!inForeground) commands.push([["service", "stop", ...ofData], "stop the service"]);
  const lines = commands.map(([args, purpose]) => [formatCommandLine(args), purpose] as const);
  const width = Math.max(...lines.map(([command]) => command.length));
  return [
    inForeground
      ? "The service runs until you press Ctrl-C. In another terminal, try:"
      : "The service is running. Try next:",
    ...lines.map(([command, purpose]) => `  ${command.padEnd(width)}  ${purpose}`),
  ];
}
