/**
 * The parts of the client library for PostgreSQL that are used. Its own types need those of Node.js, which conflict with
 * those of Deno.
 */
import type { TlsOptions } from "node:tls";
import type { SqlRow, SqlValue } from "./sql_value.ts";

/** Options of a connection. */
export interface ClientConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password: () => Promise<string>;
  readonly ssl: false | Pick<TlsOptions, "ca" | "rejectUnauthorized">;
  readonly application_name: string;
  readonly options: string;
  readonly keepAlive: boolean;
  readonly pipeline: boolean;
  readonly types: { getTypeParser(type: number): (text: string) => SqlValue };
}

/** Options of a pool. */
export interface PoolConfig extends ClientConfig {
  readonly max: number;
  readonly connectionTimeoutMillis: number;
  readonly idleTimeoutMillis: number;
  readonly statement_timeout?: number;
  readonly query_timeout?: number;
  readonly lock_timeout: number;
  readonly idle_in_transaction_session_timeout: number;
}

/** A connection. */
export interface PoolClient {
  query(statement: {
    readonly text: string;
    readonly values: readonly unknown[];
    readonly name: string | undefined;
  }): Promise<{ readonly rows: readonly SqlRow[]; readonly rowCount: number | null }>;
  /** The connection to the server. */
  readonly connection: { readonly stream: { cork(): void; uncork(): void } };
  /** Returns `I` outside of a transaction, or null before the first statement. */
  getTransactionStatus(): string | null;
  on(event: "error", listener: (error: Error) => void): void;
  off(event: "error", listener: (error: Error) => void): void;
  release(destroy: boolean): void;
}

/** Connections that are reused. */
export interface ClientPool {
  connect(): Promise<PoolClient>;
  on(event: "error", listener: (error: Error) => void): void;
  on(event: "connect", listener: (client: PoolClient) => void): void;
  end(): Promise<void>;
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

interface ClientLibrary {
  readonly Pool: new (config: PoolConfig) => ClientPool;
}

/** Loads the library when it is first needed. */
export async function loadClientLibrary(): Promise<ClientLibrary> {
  return (await import("pg")).default;
}
