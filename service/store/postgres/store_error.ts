/** Errors of a PostgreSQL database, as the callers of a store receive them. */
import { getErrorMessage, SvcError } from "../../../lib/errors.ts";
import { formatLocation, type PostgresLocation } from "../../../utils/postgres/location.ts";
import { SchemaError } from "../../../utils/postgres/migrate.ts";
import { PostgresError } from "../../../utils/postgres/postgres_error.ts";
import { QueryTooSlow } from "../query.ts";
import { StoreBusy, StoreFull, StoreUnavailable } from "../store.ts";

/** Converts the error of a database in use. Returns any other error itself. */
export function toStoreError(cause: unknown): unknown {
  if (!(cause instanceof PostgresError)) return cause;
  switch (cause.kind) {
    case "unavailable":
    case "refused":
      return new StoreUnavailable("The database cannot be reached.", { cause });
    case "conflict":
      return new StoreBusy("Other calls change the same data.", { cause });
    case "busy":
      return new StoreBusy("Another call has locked the same data.", { cause });
    case "full":
      return new StoreFull("The disk of the database is full.", { cause });
    case "slow":
      return new StoreBusy("The database takes too long.", { cause });
    case "nul":
    case "other":
      return cause;
  }
}

/** Converts the error of a query that exceeded its time limit. Returns any other error itself. */
export function explainSlowQuery<E>(cause: E): E | QueryTooSlow {
  const isSlow = cause instanceof PostgresError && cause.kind === "slow";
  return isSlow ? new QueryTooSlow("The query takes too long.", { cause }) : cause;
}

/** Converts the error of a database that a command cannot use to `INVALID_CONFIG`. Returns any other error itself. */
export function explainDatabaseFailure(location: PostgresLocation, cause: unknown): unknown {
  if (cause instanceof SchemaError) return new SvcError("INVALID_CONFIG", cause.message, { cause });
  if (!(cause instanceof PostgresError)) return cause;
  const name = formatLocation(location);
  const message = cause.message.includes(name) ? cause.message : `${name} cannot be used: ${getErrorMessage(cause)}`;
  return new SvcError("INVALID_CONFIG", message.replace(/\.?$/, "."), { cause, hint: adviseOn(cause) });
}

function adviseOn({ kind }: PostgresError): string {
  switch (kind) {
    case "unavailable":
      return "Check that PostgreSQL runs there, and that this machine can reach it.";
    case "full":
      return "Free some space on the disk of the database, and try again.";
    case "conflict":
    case "busy":
    case "slow":
      return "Try again when nothing else uses the database.";
    default:
      return "Check the user, its password and its rights, and the name of the database.";
  }
}
