/** Errors of a PostgreSQL database by what a program can do about them. */

/** Meaning of an error. */
export type PostgresErrorKind =
  /** The server cannot be reached, is starting or stopping, or has no free connection. Retry later. */
  | "unavailable"
  /** The server refuses the user, the password, the database or TLS, or its certificate is not trusted. */
  | "refused"
  /** Another transaction has changed or locked the same rows. Repeat the transaction. */
  | "conflict"
  /** A lock was not free in time. Retry later. */
  | "busy"
  /** A statement took longer than its time limit. */
  | "slow"
  /** The disk of the server is full. */
  | "full"
  /** A text contains U+0000, which the database cannot store. */
  | "nul"
  /** Any other error, e.g. of a statement that is not correct. */
  | "other";

/** An error of a connection or of a statement. Its cause is the error of the client library. */
export class PostgresError extends Error {
  /** Meaning of the error. */
  readonly kind: PostgresErrorKind;
  /** SQLSTATE, if the server has reported the error. */
  readonly code: string | undefined;

  /** Creates an error from that of the client library. */
  constructor(kind: PostgresErrorKind, message: string, options: ErrorOptions & { readonly code?: string } = {}) {
    super(message, options);
    this.kind = kind;
    this.code = options.code;
  }
}

/** Kinds by SQLSTATE, or by the class that its first two characters name. */
const KINDS: Readonly<Record<string, PostgresErrorKind>> = {
  "08": "unavailable", // connection exception
  "25006": "unavailable", // a standby server, e.g. while another one takes over
  "25P03": "unavailable", // ended because its transaction was idle
  "25P04": "unavailable", // ended because its transaction took too long
  "53300": "unavailable", // too many connections
  "57P01": "unavailable", // the server is shutting down
  "57P02": "unavailable", // another process of the server has crashed
  "57P03": "unavailable", // the server is starting
  "57P05": "unavailable", // ended because its session was idle
  "23505": "conflict", // unique violation
  "40001": "conflict", // serialization failure
  "40P01": "conflict", // deadlock
  "55P03": "busy", // lock not available
  "57014": "slow", // canceled, by a time limit
  "53100": "full", // disk full
  "22021": "nul", // a character that the encoding lacks
  "28": "refused", // invalid authorization
  "3D000": "refused", // no such database
  "42501": "refused", // insufficient privilege
};

/** Converts an error of the client library. `isConnecting` says that there was no connection yet. */
export function toPostgresError(error: unknown, isConnecting = false): PostgresError {
  if (error instanceof PostgresError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const kind = KINDS[code] ?? (isSqlState(code) ? KINDS[code.slice(0, 2)] : undefined);
  if (kind !== undefined) return new PostgresError(kind, message, { cause: error, code });
  if (isSqlState(code)) return new PostgresError("other", message, { cause: error, code });
  // The client library reports a lost connection as an error without a code, and a failed check of TLS in many ways.
  if (isConnecting && isRefusal(message)) return new PostgresError("refused", message, { cause: error });
  const isLost = isConnecting || isNetworkError(code, message);
  return new PostgresError(isLost ? "unavailable" : "other", message || code, { cause: error });
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code); // Not EPIPE.
}

function isRefusal(message: string): boolean {
  return /certificate|\bSSL\b|\bTLS\b|altnames|issuer|SASL|password/i.test(message);
}

function isNetworkError(code: string, message: string): boolean {
  return /^E[A-Z]+$/.test(code) || /connection|not queryable|timeout|socket|stream/i.test(message);
}
