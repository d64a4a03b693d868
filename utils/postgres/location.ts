/** Locations of PostgreSQL databases, e.g. `postgres://app@db.example.org:5432/city?schema=permits`. */
import { isLoopbackHost } from "../loopback_host.ts";
import { suggestAlternatives } from "../text/did_you_mean.ts";
import { toUrlHost } from "../url_host.ts";

/** The place of the tables in a PostgreSQL server, and the user that opens it. It contains no password. */
export interface PostgresLocation {
  /** Name or address of the server, or the folder of its Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Schema that contains the tables. */
  readonly schema: string;
  /** File with the certificates of the authorities that may issue the server's certificate. Default: the public ones. */
  readonly authorities?: string;
}

/** Thrown if a text is not a valid location. The message does not repeat a password. */
export class LocationError extends Error {}

const DEFAULT_PORT = 5432;

const PARAMETERS = ["schema", "sslrootcert", "sslmode", "host", "user"];

/** PostgreSQL truncates longer names. Names in upper case would need quotes in every other program. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

/** Reports whether a text means a PostgreSQL database, and not a file. */
export function isPostgresLocation(text: string): boolean {
  return /^postgres(ql)?:/i.test(text);
}

/** Parses a location. Throws `LocationError` if it is not valid, or if it contains a password. */
export function parseLocation(text: string, defaultSchema: string): PostgresLocation {
  const url = parseUrl(text);
  const parameters = readParameters(url.searchParams);
  const host = parameters.get("host") ?? decode(url.hostname).replace(/^\[|\]$/g, "");
  const user = decode(url.username) || parameters.get("user");
  const database = decode(url.pathname).replace(/^\//, "");
  const schema = parameters.get("schema") ?? defaultSchema;
  const authorities = parameters.get("sslrootcert");
  if (!host) throw new LocationError("The location names no server. Write postgres://<user>@<host>:<port>/<database>.");
  if (!user) throw new LocationError("The location names no user. Write postgres://<user>@<host>:<port>/<database>.");
  if (!database) {
    throw new LocationError("The location names no database. Write postgres://<user>@<host>:<port>/<database>.");
  }
  if (!SCHEMA.test(schema)) {
    throw new LocationError(
      `The schema '${schema}' is not valid. Use at most 63 lower-case letters, digits and '_', starting with a letter.`,
    );
  }
  const mode = parameters.get("sslmode");
  if (mode !== undefined && mode !== "verify-full") {
    throw new LocationError(
      `The parameter sslmode=${mode} is not supported. Remove it: connections to other machines always use TLS and ` +
        "verify the server's certificate. The parameter sslrootcert=<file> names the authority that has issued it.",
    );
  }
  const port = url.port === "" ? DEFAULT_PORT : Number(url.port);
  return { host, port, user, database, schema, ...(authorities === undefined ? {} : { authorities }) };
}

/** Formats a location for messages and for `parseLocation`. */
export function formatLocation({ host, port, user, database, schema, authorities }: PostgresLocation): string {
  const parameters = new URLSearchParams({
    schema,
    ...(authorities === undefined ? {} : { sslrootcert: authorities }),
  });
  const path = `/${encodeURIComponent(database)}`;
  if (host.startsWith("/")) {
    return `postgres://${encodeURIComponent(user)}@localhost:${port}${path}?host=${host}&${parameters}`;
  }
  return `postgres://${encodeURIComponent(user)}@${toUrlHost(host)}:${port}${path}?${parameters}`;
}

/** Reports whether connections to a location use TLS. Connections within this machine need none. */
export function usesTls({ host, authorities }: PostgresLocation): boolean {
  if (host.startsWith("/")) return false;
  return authorities !== undefined || !isLoopbackHost(toUrlHost(host));
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !isPostgresLocation(text)) {
    // An invalid URL may contain a password, so it is not repeated.
    throw new LocationError(
      "The location of a PostgreSQL database is not valid. Write postgres://<user>@<host>:<port>/<database>.",
    );
  }
  if (url.password !== "" || url.searchParams.has("password")) {
    throw new LocationError(
      "The location contains a password, which other users of this machine can read in the list of processes. " +
        "Remove the password from the location, and change it.",
    );
  }
  return url;
}

function readParameters(found: URLSearchParams): Map<string, string> {
  const unknown = [...found.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) {
    throw new LocationError(
      `The location has an unknown parameter '${unknown}'${suggestAlternatives(unknown, PARAMETERS)}.`,
    );
  }
  return new Map(found);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new LocationError(`'${part}' in the location is not encoded correctly. Write '%25' for '%'.`);
  }
}
