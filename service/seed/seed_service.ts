/** `svc service seed`: creates sample data in a running service of this machine. */
import { findProfile, getConfigDirectory } from "../../lib/auth/profiles.ts";
import { createClient } from "../../lib/client/client.ts";
import { SvcError } from "../../lib/errors.ts";
import type { JsonObject } from "../../utils/json.ts";
import { isLoopbackHost } from "../../utils/loopback_host.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { addClient } from "../access/clients.ts";
import { readServiceStatus, resolveDirectory, type ServiceDirectory } from "../admin/control.ts";
import { loadServedApplication } from "../sample/served_application.ts";
import { findApplication, openKnownStore } from "../server/directory.ts";
import type { StoreOptions } from "../server/settings.ts";
import { seedApplication, type SeedOptions, type SeedReport } from "./seed_application.ts";

/** Options of sample data for the service of a data directory or of a profile. */
export interface SeedServiceOptions extends ServiceDirectory, StoreOptions, Omit<SeedOptions, "app" | "openClient"> {
  /** Profile of the service. Default: the service of the data directory. */
  readonly profile?: string;
}

/** Creates sample data in a running service of this machine. The clients that it uses exist only meanwhile. */
export async function seedService(
  { data: given, profile, ...options }: SeedServiceOptions,
): Promise<SeedReport & { url: string; data: string }> {
  const data = profile === undefined ? resolveDirectory(given) : findDirectory(profile, given);
  const { url, apiRoot, tokenPath } = readAddress(await readServiceStatus({ data }), data);
  const app = await loadServedApplication(await findApplication(data, undefined));
  const store = await openKnownStore(data, options);
  const clientIds: string[] = [];
  const openClient = async (operator: string) => {
    const credentials = await addClient(store, app, operator);
    clientIds.push(credentials.clientId);
    return createClient({ baseUrl: url, apiRoot, tokenPath, ...credentials, noCache: true });
  };
  try {
    return { ...await seedApplication({ ...options, app, openClient }), url, data };
  } finally {
    for (const id of clientIds) await store.transact((tx) => tx.deleteClient(id));
    await store.close();
  }
}

/** Finds the data directory of a profile. Throws `INVALID_ARGS` for a service that is not local. */
function findDirectory(name: string, given: string | undefined): string {
  const profile = findProfile(name, getConfigDirectory(), () => {});
  if (profile === undefined) {
    throw new SvcError("INVALID_ARGS", `There is no profile ${name}.`, {
      hint: "List the profiles with 'svc profile list'.",
    });
  }
  if (typeof profile.service !== "string") {
    const address = profile.baseUrl ?? "another service";
    throw new SvcError("INVALID_ARGS", `The profile ${name} belongs to ${address}, which is not a local service.`, {
      hint: "Sample data is created only in a service that 'svc service start' has started. Choose one with --data.",
    });
  }
  const data = resolveDirectory(profile.service);
  if (given === undefined || resolveDirectory(given) === data) return data;
  throw new SvcError("INVALID_ARGS", `The profile ${name} belongs to the service of ${data}, not of ${given}.`, {
    hint: "Omit --profile or --data.",
  });
}

function readAddress(
  { answers, url, apiRoot, tokenPath }: JsonObject,
  data: string,
): { url: string; apiRoot: string; tokenPath: string } {
  const isKnown = typeof url === "string" && typeof apiRoot === "string" && typeof tokenPath === "string";
  if (answers !== true || !isKnown) {
    throw new SvcError("CONFLICT", `No service is running on ${data}.`, {
      hint: `Start it with 'svc service start --detach --data ${shellQuote(data)}'.`,
    });
  }
  if (isLoopbackHost(new URL(url).hostname)) return { url, apiRoot, tokenPath };
  throw new SvcError("INVALID_CONFIG", `${url}, the service of ${data}, is not on this machine.`, {
    hint: "Start the service again with 'svc service start'.",
  });
}
