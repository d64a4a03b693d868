/** `svc service start`: a service with a profile that can call it. */
import type { Profile } from "../../lib/auth/profiles.ts";
import { getProfileName } from "../../lib/auth/settings.ts";
import type { JsonObject } from "../../utils/json.ts";
import { resolveDataDirectory } from "../server/directory.ts";
import { type RunningService, runService, type StartHooks } from "../server/run.ts";
import { MEMORY, openLog, type ServiceOptions } from "../server/settings.ts";
import { choosePort, notePort } from "./port.ts";
import { registerService, unregisterService } from "./registry.ts";
import { checkOwner, findProfiles, findServiceProfile, updateProfiles, writeProfile } from "./profiles.ts";

/** Options of a start. */
export interface StartOptions extends ServiceOptions {
  /** Port to listen on. Default: the last one of the directory, or 8080, or the next free one. */
  port?: number;
  /** Profile of the service, created if it does not exist. Default: `default`. */
  profile?: string;
  /** Operator to act as. Default: the last one used, or the first operator of the application. */
  operator?: string;
}

/** Result of a start. */
export interface StartReport extends JsonObject {
  /** Base URL. */
  url: string;
  /** Path of the API. */
  apiRoot: string;
  /** Path of the token endpoint. */
  tokenPath: string;
  /** Directory of the state, or `:memory:`. */
  data: string;
  /** Process ID. */
  pid: number;
  /** Names of the profiles of the service. */
  profiles: string[];
  /** Address of the metrics, if they are on. */
  metrics?: string;
}

/** Starts a service in this process, with a profile that can call it. */
export async function startForProfile(
  options: StartOptions,
  hooks: Pick<StartHooks, "signal" | "note"> = {},
): Promise<{ service: RunningService; report: StartReport }> {
  const data = resolveDataDirectory(options.data);
  const log = openLog(options);
  const prepare = async (service: RunningService) => {
    await ensureProfile(service, { ...options, data });
    if (data !== MEMORY) await updateProfiles(data, service, log);
    await registerService({ data, url: service.url, pid: Deno.pid }, log);
  };
  const port = await choosePort(options, data);
  const canUseNextPort = options.port === undefined;
  const service = await runService({ ...options, data, port, canUseNextPort }, { ...hooks, prepare });
  const { url, apiRoot, tokenPath, metricsUrl } = service;
  notePort({ wanted: port, url, data }, options.logFormat === "json" ? log : hooks.note ?? log);
  const profiles = data === MEMORY ? [getProfileName(options)] : findProfiles(data);
  const report = { url, apiRoot, tokenPath, data, pid: Deno.pid, profiles };
  return { service, report: { ...report, ...(metricsUrl !== undefined && { metrics: metricsUrl }) } };
}

/** Serves in this process until the signal aborts. */
export async function serveUntilStopped(
  options: StartOptions,
  { signal, note, started }: Required<Pick<StartHooks, "signal" | "note">> & {
    started: (report: StartReport) => Promise<void>;
  },
): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => stopped.resolve());
  const { service, report } = await startForProfile(options, { signal, note });
  await using _service = service;
  await started(report);
  await stopped.promise;
  if (report.data === MEMORY) await unregisterService(report);
}

/** Adds a client and its profile, unless the existing profile can stay. */
async function ensureProfile(service: RunningService, options: StartOptions & { data: string }): Promise<void> {
  const { data, operator = service.operators[0] ?? "" } = options;
  const name = getProfileName(options);
  if (await service.hasClients() && await canStay(findServiceProfile(name), service, options)) return;
  checkOwner(name, data);
  await writeProfile(name, data, service, await service.addClient(operator));
}

/** Reports whether a profile can stay: it belongs to another service, or its client acts as the requested operator. */
async function canStay(
  profile: Profile | undefined,
  service: RunningService,
  { data, operator }: StartOptions & { data: string },
): Promise<boolean> {
  if (profile?.service !== data) return profile !== undefined;
  const current = await service.findOperator(profile.clientId ?? "");
  return current !== undefined && service.operators.includes(current) && (operator ?? current) === current;
}
