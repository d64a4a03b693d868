import { PROFILE_DEFAULTS, readProfiles } from "../../lib/auth/profiles.ts";
import { addClient, type ClientCredentials } from "../../service/access/clients.ts";
import { loadServedApplication } from "../../service/sample/served_application.ts";
import { locateFiles } from "../../service/server/directory.ts";
import { openSqliteStore } from "../../service/store/sqlite/sqlite_store.ts";
import { type ApiCaller, createApiCaller, requestToken } from "../../tests/harness/service.ts";
import type { Service } from "../support/service.ts";
import type { Workspace } from "../support/workspace.ts";

/** Opens a caller of a service's API with the client that its first start has created. */
export async function openCaller({ env }: Workspace): Promise<ApiCaller> {
  const { baseUrl = "", clientId = "", clientSecret = "" } = readProfiles(env.SVC_CONFIG_DIR).default ?? {};
  return await openClientCaller(baseUrl, { clientId, clientSecret });
}

/** Opens a caller for each operator of an application, without a process for each. */
export async function openCallers(
  { env }: Workspace,
  { data }: Service,
  app: string | undefined,
  operators: readonly string[],
): Promise<Map<string, ApiCaller>> {
  const { baseUrl = "" } = readProfiles(env.SVC_CONFIG_DIR).default ?? {};
  const callers = new Map<string, ApiCaller>();
  for (const [operator, client] of await addClients(data, app, operators)) {
    callers.set(operator, await openClientCaller(baseUrl, client));
  }
  return callers;
}

/** Adds a client for each operator to a data directory. */
export async function addClients(
  data: string,
  app: string | undefined,
  operators: readonly string[],
): Promise<Map<string, ClientCredentials>> {
  const application = await loadServedApplication(app);
  const store = openSqliteStore(locateFiles(data).database);
  const clients = new Map<string, ClientCredentials>();
  for (const operator of operators) clients.set(operator, await addClient(store, application, operator));
  await store.close();
  return clients;
}

/** Opens a caller with the credentials of a client. */
export async function openClientCaller(url: string, client: ClientCredentials): Promise<ApiCaller> {
  const { apiRoot, tokenPath } = PROFILE_DEFAULTS;
  return createApiCaller(url + apiRoot, await requestToken({ url, tokenPath }, client));
}
