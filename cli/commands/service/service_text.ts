/** Text that `svc service` prints for people besides its results. */
import type { RegisteredService } from "../../../service/admin/registry.ts";
import type { StartReport } from "../../../service/admin/start.ts";
import { MEMORY } from "../../../service/server/settings.ts";
import { getProfileName } from "../../../lib/auth/settings.ts";
import { formatCommandLine } from "../../../lib/errors.ts";

/** Says which service runs instead, and how to stop it. */
export function explainOtherService({ data, url }: RegisteredService): string {
  const inMemory = data === MEMORY;
  const stop = formatCommandLine(["service", "stop", ...(inMemory ? ["--all"] : ["--data", data])]);
  return `${inMemory ? `A service in memory runs at ${url}` : `A service uses ${data}`}. To stop it, run: ${stop}`;
}

/** The commands to try after a start, with their purposes. */
const NEXT: readonly (readonly [args: readonly string[], purpose: string])[] = [
  [["case-types", "list"], "see what cases you can create"],
  [["inbox"], "see your work"],
];

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
  const ofData = isDefault || data === MEMORY ? [] : ["--data", data];
  const ofProfile = profile === undefined || profile === usual ? [] : ["--profile", profile];
  const commands = profile === undefined
    ? []
    : NEXT.map(([args, purpose]) => [[...args, ...ofProfile], purpose] as const);
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
