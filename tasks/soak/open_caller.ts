import { PROFILE_DEFAULTS, readProfiles } from "../../lib/auth/profiles.ts";
import { type ApiCaller, createApiCaller, requestToken } from "../../tests/harness/service.ts";
import type { Service } from "../support/service.ts";
import type { Workspace } from "../support/workspace.ts";

/** Opens a caller of a service's API with a client of its own for an operator. Default: the client of the first start. */
export async function openCaller(workspace: Workspace, service: Service, operator?: string): Promise<ApiCaller> {
  if (operator !== undefined) {
    const client = ["--operator", operator, "--profile", operator];
    await workspace.svc("service", "add-client", ...client, "--data", service.data);
  }
  const { baseUrl: url = "", clientId = "", clientSecret = "" } =
    readProfiles(workspace.env.SVC_CONFIG_DIR)[operator ?? "default"] ?? {};
  const { apiRoot, tokenPath } = PROFILE_DEFAULTS;
  return createApiCaller(url + apiRoot, await requestToken({ url, tokenPath }, { clientId, clientSecret }));
}
