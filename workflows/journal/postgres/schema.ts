/** The tables of a journal in PostgreSQL. */
import type { SchemaPlan } from "../../../utils/postgres/migrate.ts";

/**
 * The tables. Runs, inputs and events have the columns of the journal in SQLite, without checksums: the pages of the
 * database have their own. Further columns are for the processes that share the journal:
 *
 * - `worker` and `fence` are the claim of an input. Each claim gets the next fence.
 * - `flush` is the number of the last write through that claim, so that a repeated write changes nothing.
 * - An input in the state `new` is recorded, and has not started.
 */
const TABLES = `
  CREATE TABLE runs (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    name text NOT NULL,
    digest text NOT NULL,
    settings text NOT NULL,
    state text NOT NULL,
    "startedAt" bigint NOT NULL,
    "endedAt" bigint,
    script text,
    concurrency integer,
    rate double precision,
    priority integer NOT NULL DEFAULT 0,
    "isComplete" boolean NOT NULL DEFAULT false,
    "hasReachedMaxFailures" boolean NOT NULL DEFAULT false,
    "nextStart" double precision NOT NULL DEFAULT 0
  );
  CREATE INDEX runs_of_workers ON runs (priority DESC, seq) WHERE script IS NOT NULL AND state = 'open';

  CREATE TABLE inputs (
    run bigint NOT NULL,
    number integer NOT NULL,
    place text NOT NULL DEFAULT '',
    value text,
    "startedAt" bigint NOT NULL DEFAULT 0,
    generation integer NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'new',
    outcome text,
    "endedAt" bigint,
    until bigint,
    events integer NOT NULL DEFAULT 0,
    worker bigint,
    fence bigint NOT NULL DEFAULT 0,
    flush integer NOT NULL DEFAULT 0,
    PRIMARY KEY (run, number)
  ) WITH (fillfactor = 80);
  CREATE INDEX inputs_free ON inputs (run, number)
    WHERE worker IS NULL AND until IS NULL AND outcome IS NULL AND state IN ('new', 'open');
  CREATE INDEX inputs_waiting ON inputs (run, until) WHERE until IS NOT NULL;
  CREATE INDEX inputs_claimed ON inputs (worker, run) WHERE worker IS NOT NULL;
  CREATE INDEX inputs_open ON inputs (run, number) WHERE state IN ('new', 'open');
  CREATE INDEX inputs_failed ON inputs (run, number) WHERE state = 'failed';

  CREATE TABLE events (
    seq bigint GENERATED ALWAYS AS IDENTITY,
    run bigint NOT NULL,
    input integer NOT NULL,
    kind text NOT NULL,
    position integer NOT NULL,
    at bigint NOT NULL,
    content text,
    packed bytea,
    PRIMARY KEY (run, input, seq)
  );

  CREATE TABLE workers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    kind text NOT NULL,
    state text NOT NULL DEFAULT 'active',
    concurrency integer NOT NULL,
    service text,
    note text,
    "startedAt" timestamptz NOT NULL DEFAULT now(),
    "seenAt" timestamptz NOT NULL DEFAULT now(),
    "endedAt" timestamptz
  );
  CREATE INDEX workers_at_work ON workers (id) WHERE state <> 'ended';
`;

/**
 * Schedules, and the assignments of robots.
 *
 * - `nextAt` is the time in milliseconds since 1970 at which a worker checks a schedule next.
 * - An active assignment belongs to an open input. Its row remains after a failure, until it is completed or parked.
 * - `isCounted` says that `failures` includes the failure of that input, so that a repeated count changes nothing.
 */
const SCHEDULES_AND_ASSIGNMENTS = `
  CREATE TABLE schedules (
    name text COLLATE "C" PRIMARY KEY,
    record text NOT NULL,
    workflow text NOT NULL,
    digest text NOT NULL,
    script text NOT NULL,
    "nextAt" bigint NOT NULL DEFAULT 0
  );
  CREATE INDEX schedules_next ON schedules ("nextAt");

  CREATE TABLE assignments (
    service text NOT NULL,
    queue text NOT NULL,
    assignment text NOT NULL,
    run bigint NOT NULL,
    input integer NOT NULL,
    "isActive" boolean NOT NULL DEFAULT true,
    "isCounted" boolean NOT NULL DEFAULT false,
    failures integer NOT NULL DEFAULT 0,
    "retryAt" bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (service, queue, assignment)
  );
`;

/** An index for the number of stopped inputs. */
const STOPPED_INPUTS = `
  CREATE INDEX inputs_stopped ON inputs (run, number) WHERE state = 'open' AND outcome IS NOT NULL;
`;

/**
 * Limits of calls per second. `next` is the time of the next call in milliseconds since 1970, for a run or a service. The
 * lowest `callRate` of its workers holds for a service.
 */
const CALL_LIMITS = `
  CREATE TABLE call_limits (target text PRIMARY KEY, next double precision NOT NULL) WITH (fillfactor = 50);
  ALTER TABLE workers ADD COLUMN "callRate" double precision;
`;

/** The tables and their upgrades. */
export const JOURNAL_SCHEMA: SchemaPlan = {
  purpose: "journal",
  steps: [
    { activity: "creating the tables", sql: TABLES },
    { activity: "adding schedules and assignments", sql: SCHEDULES_AND_ASSIGNMENTS, compatibleWith: 1 },
    { activity: "adding an index for stopped inputs", sql: STOPPED_INPUTS, compatibleWith: 1 },
    { activity: "adding limits of calls per second", sql: CALL_LIMITS, compatibleWith: 1 },
  ],
};
