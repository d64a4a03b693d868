/** `svc service start`: a service that a person can call at once, in this process or in one of its own. */
import type { Profile } from "../../lib/auth/profile.ts";
import { getProfileName } from "../../lib/auth/settings.ts";
import type { JsonObject } from "../../utils/json.ts";
import { resolveDataDirectory } from "../server/directory.ts";
import { type RunningService, runService } from "../server/run.ts";
import { MEMORY, type ServiceOptions } from "../server/settings.ts";
import { checkOwner, findProfiles, moveProfiles, profileNamed, writeProfile } from "./profiles.ts";

/** Options of a start. */
export interface StartOptions extends ServiceOptions {
  /** Profile of the service, created if it does not exist. Default: `default`. */
  profile?: string;
  /** Operator to act as. Default: the last one used, at first the application's first operator. */
  operator?: string;
}

/** Result of a start. */
export interface StartReport extends JsonObject {
  /** Address of the service. */
  url: string;
  /** Path of the API. */
  apiRoot: string;
  /** Path of the token endpoint. */
  tokenPath: string;
  /** Directory of the state, or `:memory:`. */
  data: string;
  /** Its process. */
  pid: number;
  /** Profiles that lead to it. */
  profiles: string[];
}

/** Starts a service in this process, with a profile that can call it. */
export async function startForProfile(
  options: StartOptions,
): Promise<{ service: RunningService; report: StartReport }> {
  const data = resolveDataDirectory(options.data);
  const service = await runService({ ...options, data }, async (service) => {
    await welcome(service, { ...options, data });
    if (data !== MEMORY) await moveProfiles(data, service);
  });
  const { url, apiRoot, tokenPath } = service;
  const profiles = data === MEMORY ? [getProfileName(options)] : findProfiles(data);
  return { service, report: { url, apiRoot, tokenPath, data, pid: Deno.pid, profiles } };
}

/** Serves in this process until the signal aborts. */
export async function serveUntilStopped(
  options: StartOptions,
  { signal, started }: { signal: AbortSignal; started: (report: StartReport) => Promise<void> },
): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => stopped.resolve());
  const { service, report } = await startForProfile(options);
  await using _service = service;
  await started(report);
  await stopped.promise;
}

/** Makes a client and its profile, unless nothing is to be changed about the one of that name. */
async function welcome(service: RunningService, options: StartOptions & { data: string }): Promise<void> {
  const { data, operator = service.operators[0] ?? "" } = options;
  const name = getProfileName(options);
  if (await service.hasClients() && await stays(profileNamed(name), service, options)) return;
  checkOwner(name, data);
  await writeProfile(name, data, service, await service.addClient(operator));
}

/** Checks whether a profile can be kept: it belongs to another service, or its client has an existing operator, and the requested one. */
async function stays(
  profile: Profile | undefined,
  service: RunningService,
  { data, operator }: StartOptions & { data: string },
): Promise<boolean> {
  if (profile?.service !== data) return profile !== undefined;
  const current = await service.operatorOf(profile.clientId ?? "");
  return current !== undefined && service.operators.includes(current) && (operator ?? current) === current;
}
