/** The proxy that Deno's `fetch` takes: it reads the environment by itself and tells nobody. */
import { variable } from "./environment.ts";

/** A proxy. */
export interface Proxy {
  /** Its host and port: the rest of its address may hold a password. */
  readonly host: string;
  /** The variable of the environment that names it. */
  readonly variable: string;
}

/** The proxy on the way to an address; undefined where there is none. Throws `NotCapable` where it may not be known. */
export async function proxyTo({ protocol, hostname }: URL): Promise<Proxy | undefined> {
  const names = ["ALL_PROXY", protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY"];
  for (const name of names.flatMap((upper) => [upper, upper.toLowerCase()])) {
    const value = variable(name);
    if (value === undefined) continue;
    const address = URL.parse(value.includes("://") ? value : `http://${value}`);
    if (address === null || await isExempt(hostname.replace(/^\[|\]$/g, ""))) return undefined;
    return { host: address.host, variable: name };
  }
  return undefined;
}

/** Whether `NO_PROXY` names a host: itself, a domain that it is in, a network that its address is in, or all by `*`. */
async function isExempt(host: string): Promise<boolean> {
  const entries = (variable("NO_PROXY") ?? variable("no_proxy") ?? "").split(",").map((entry) => entry.trim());
  const { BlockList, isIP } = await import("node:net");
  if (isIP(host) === 0) {
    return entries.some((entry) => entry === "*" || (entry && `.${host}`.endsWith(`.${entry.replace(/^\./, "")}`)));
  }
  const family = (address: string) => isIP(address) === 4 ? "ipv4" : "ipv6";
  const exempt = new BlockList();
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const most = isIP(address) === 4 ? 32 : 128;
    const length = bits === undefined ? most : /^\d+$/.test(bits) ? Number(bits) : NaN;
    if (isIP(address) !== 0 && length <= most) exempt.addSubnet(address, length, family(address));
  }
  return exempt.check(host, family(host));
}
