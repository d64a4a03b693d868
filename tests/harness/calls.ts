/** Command lines that are run against a service of the tests. */
import { type CliOptions, type CliResult, svc } from "./cli.ts";
import { CLIENT, startService, type TestService } from "./oauth.ts";

/** The hint where a change was sent and nobody knows what became of it. */
export const IT_MAY_BE_DONE = "The change may have been applied: check before you repeat it.";

/** A service that answers each call with this. */
export function answers(body: unknown, init?: ResponseInit): TestService {
  return startService({ api: () => Response.json(body, init) });
}

/** An environment that says everything of a service. */
export function envOf({ baseUrl }: Pick<TestService, "baseUrl">): Record<string, string> {
  return { SVC_BASE_URL: baseUrl, SVC_CLIENT_ID: CLIENT.clientId, SVC_CLIENT_SECRET: CLIENT.clientSecret };
}

/** Runs a command line against a service. */
export function call(
  service: Pick<TestService, "baseUrl">,
  line: string,
  options: CliOptions = {},
): Promise<CliResult> {
  return svc(line.split(" "), { ...options, env: { ...envOf(service), ...options.env } });
}
