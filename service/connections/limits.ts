/** Limits of the connections of a service. */
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";

/** Limits of connections. */
export interface ConnectionLimits {
  /** Maximum number of connections. Requests on further connections receive 503. */
  readonly maxConnections: number;
  /** Milliseconds in which the head of a request must arrive. */
  readonly headTimeout: number;
  /** Milliseconds after which a connection without a request is closed. */
  readonly idleTimeout: number;
  /** Milliseconds after which such a connection is closed in favor of another one, at the maximum of connections. */
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
export const DEFAULT_LIMITS: Omit<ConnectionLimits, "maxConnections"> = {
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

/** Reads the limit of open files. Only Linux has a file with it, and Deno allows only trusted programs to read that. */
async function readDescriptorLimit(): Promise<number | undefined> {
  if (Deno.build.os !== "linux") return undefined;
  try {
    const text = await Deno.readTextFile("/proc/self/limits").catch(ignoreMissing);
    const limit = /^Max open files +(\d+)/m.exec(text ?? "")?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
