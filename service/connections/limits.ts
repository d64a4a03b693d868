/** Limits of the connections of a service. */
/** Limits of connections. */
export interface ConnectionLimits {
  /** Maximum number of connections. Requests on further connections receive 503. */
  readonly maxConnections: number;
  /** Maximum number of unauthenticated connections of one address. */
  readonly maxAnonymous: number;
  /** Number of connections that are reserved for authenticated clients. */
  readonly reserved: number;
  /** Milliseconds in which the head of a request must arrive. */
  readonly headTimeout: number;
  /** Milliseconds after which a connection without a request is closed. */
  readonly idleTimeout: number;
  /** Milliseconds for which a connection must have waited for its client before it may be closed for another one. */
  readonly minIdle: number;
  /** Milliseconds to wait for a body, plus one second for each `bodyRate` bytes that have arrived. */
  readonly bodyTimeout: number;
  /** Bytes per second that a client must send on average after `bodyTimeout`. */
  readonly bodyRate: number;
  /** Milliseconds for which a client may send nothing of a body, or read nothing of a response. */
  readonly stallTimeout: number;
  /** Milliseconds to read and discard what a client still sends after a response that ends the connection. */
  readonly lingerTimeout: number;
  /** Milliseconds from reaching the limit of open files until the server accepts more connections again. */
  readonly recoveryTime: number;
  /** Maximum bytes of responses that clients have not read yet. Above it, requests receive 503. */
  readonly maxUnsentBytes: number;
}

/** Limits that do not depend on the machine. */
export const DEFAULT_LIMITS: Omit<ConnectionLimits, "maxConnections" | "maxAnonymous" | "reserved"> = {
  headTimeout: 15_000,
  idleTimeout: 60_000,
  minIdle: 1000,
  bodyTimeout: 20_000,
  bodyRate: 1024,
  stallTimeout: 120_000,
  lingerTimeout: 1000,
  recoveryTime: 60_000,
  maxUnsentBytes: 256 * 1024 * 1024,
};

/** Maximum number of connections on a machine with enough descriptors. */
const MAX_CONNECTIONS = 2048;

/** Limit of descriptors to assume if it cannot be read. It is the default of most systems. */
const USUAL_DESCRIPTORS = 1024;

/** Derives the limits of connections from their maximum. */
export function deriveLimits(
  maxConnections: number,
  maxAnonymous: number = Math.ceil(maxConnections / 2),
): Pick<ConnectionLimits, "maxConnections" | "maxAnonymous" | "reserved"> {
  return { maxConnections, maxAnonymous, reserved: Math.floor(maxConnections / 4) };
}

/**
 * Returns the number of connections that the limit of open files (`ulimit -n`) allows. A quarter of the descriptors is
 * left for the database and for uploaded files.
 */
export async function findMaxConnections(): Promise<number> {
  const descriptors = await readDescriptorLimit() ?? USUAL_DESCRIPTORS;
  return Math.max(1, Math.min(MAX_CONNECTIONS, Math.floor(descriptors * 0.75)));
}

/** Reports whether an error says that the limit of open files is reached. */
export function isFileLimit(error: unknown): boolean {
  return /too many open files|EMFILE|ENFILE/i.test(String(error));
}

/** Reads the limit of open files, if this process may run a shell: Deno lets only trusted programs read it from `/proc`. */
async function readDescriptorLimit(): Promise<number | undefined> {
  const command = "/bin/sh";
  if ((await Deno.permissions.query({ name: "run", command })).state !== "granted") return undefined;
  try {
    const { stdout } = await new Deno.Command(command, { args: ["-c", "ulimit -n"], stdin: "null" }).output();
    const limit = new TextDecoder().decode(stdout).trim();
    return limit === "unlimited" ? Infinity : Number(limit) || undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
