/** Checks the `Host` header, so that a web page cannot reach the service through a domain name of its own. */
import { isLoopbackHost } from "../../utils/loopback_host.ts";
import { Forbidden } from "../errors.ts";

/** Checks the host that a request names. Throws `Forbidden` unless it is a loopback address or one of `allowed`. */
export function checkHost(host: string | undefined, allowed: readonly string[]): void {
  if (host === undefined) return; // HTTP/1.0. A browser always sends it.
  const name = host.toLowerCase().replace(/:\d*$/, "");
  if (isLoopbackHost(name) || name.endsWith(".localhost") || allowed.some((one) => one.toLowerCase() === name)) return;
  throw new Forbidden(
    `The Host header names ${JSON.stringify(host)}, which is not this service. Use a loopback address, or start the ` +
      "service with --allow-host.",
  );
}
