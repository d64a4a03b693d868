/** The version of svc: the one in `deno.json`. */
import config from "../deno.json" with { type: "json" };

/** Version, e.g. `0.1.0`. */
export const VERSION: string = config.version;

/** How svc names itself to a server. */
export const USER_AGENT: string = `svc/${VERSION}`;
