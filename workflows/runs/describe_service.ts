import { readSettings, requireCredentials } from "../../lib/auth/settings.ts";
import type { CallerOptions } from "../../lib/client/caller.ts";
import { SvcError } from "../../lib/errors.ts";

/**
 * Describes the address and the operator of the service. Returns undefined if no service is configured: a script
 * without calls needs no service, and the first call of any other script throws. A named profile must be complete.
 */
export function describeService(options: CallerOptions): string | undefined {
  const isNamed = options.profile !== undefined;
  try {
    const settings = readSettings({ ...options, warn: () => {} });
    const { target: { baseUrl, apiRoot }, clientId } = isNamed ? requireCredentials(settings) : settings;
    return `${baseUrl}${apiRoot}` + (clientId === undefined ? "" : ` as ${clientId}`);
  } catch (error) {
    if (error instanceof SvcError && !isNamed) return undefined;
    throw error;
  }
}
