/** Formats a host name or an IP address as the host of a URL: an IPv6 address is in brackets. */
export function toUrlHost(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}
