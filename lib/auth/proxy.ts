import { readVariable } from "./environment.ts";

/** A proxy that Deno's `fetch` uses. */
export interface Proxy {
  /** Host and port. The rest of the address may contain a password. */
  readonly host: string;
  /** Environment variable that names the proxy. */
  readonly variable: string;
}

/**
 * Finds the proxy that Deno's `fetch` uses for an `https` address: `fetch` reads the environment itself and does not
 * report which one it found. A request to an `http` address uses none. Throws `NotCapable` without the permission to read
 * the environment.
 */
export async function findProxy({ protocol, hostname }: URL): Promise<Proxy | undefined> {
  if (protocol !== "https:") return undefined;
  for (const name of ["ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy"] as const) {
    const value = readVariable(name);
    if (value === undefined) continue;
    const address = URL.parse(value.includes("://") ? value : `http://${value}`);
    if (address === null || await isExempt(hostname.replace(/^\[|\]$/g, ""))) return undefined;
    return { host: address.host, variable: name };
  }
  return undefined;
}

/** Reports whether `NO_PROXY` names a host, one of its domains, a network of its address, or `*`. */
async function isExempt(host: string): Promise<boolean> {
  const entries = (readVariable("NO_PROXY") ?? readVariable("no_proxy") ?? "").split(",").map((entry) => entry.trim());
  const { BlockList, isIP } = await import("node:net");
  if (isIP(host) === 0) {
    return entries.some((entry) => entry === "*" || (entry && `.${host}`.endsWith(`.${entry.replace(/^\./, "")}`)));
  }
  const family = (address: string) => isIP(address) === 4 ? "ipv4" : "ipv6";
  const exempt = new BlockList();
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const maxLength = isIP(address) === 4 ? 32 : 128;
    const length = bits === undefined ? maxLength : /^\d+$/.test(bits) ? Number(bits) : NaN;
    if (isIP(address) !== 0 && length <= maxLength) exempt.addSubnet(address, length, family(address));
  }
  return exempt.check(host, family(host));
}
