/** Connections to PostgreSQL: what happens when the server, the network or a statement fails. */
import assert from "node:assert/strict";
import { type Connection, openPool, type Pool, type PoolOptions } from "../../../utils/postgres/pool.ts";
import { parseLocation } from "../../../utils/postgres/location.ts";
import { PostgresError, type PostgresErrorKind } from "../../../utils/postgres/postgres_error.ts";
import { AUTHORITY } from "../../harness/certificates.ts";
import { SHARED_POSTGRES, useTestSchema } from "../../harness/postgres_schema.ts";
import { makeFolder } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";

const schema = useTestSchema(); // Nothing is created in it.

async function withPool(work: (pool: Pool) => Promise<void>, options: Partial<PoolOptions> = {}): Promise<void> {
  const pool = await schema.open(options);
  await work(pool).finally(() => pool.close());
}

/** Runs work that must fail, and returns the kind of its error. */
async function kindOf(work: Promise<unknown>): Promise<PostgresErrorKind> {
  const error = await work.then(() => undefined, (error) => error);
  assert.ok(error instanceof PostgresError, String(error));
  return error.kind;
}

const getProcess = async (connection: Connection) =>
  (await connection.run("SELECT pg_backend_pid() AS id")).rows[0]?.id;

Deno.test("values arrive as they were sent, and large integers and JSON keep their text", () =>
  withPool(async (pool) => {
    const bytes = new Uint8Array([0, 1, 255]);
    const { rows, count } = await pool.use((connection) =>
      connection.run(
        `SELECT $1::text AS text, $2::integer AS integer, $3::bigint AS bigint, $4::bytea AS bytes, $5::boolean AS boolean,
          $6::text[] AS list, '{"a": 1.10}'::json AS json, NULL AS nothing, 1.10 AS number`,
        ["ä'\"😀\\", 7, 2n ** 53n, bytes, true, ["a,b", '"c"', null]],
      )
    );
    assert.equal(count, 1);
    assert.deepEqual({ ...rows[0] }, {
      text: "ä'\"😀\\",
      integer: 7,
      bigint: 2 ** 53,
      bytes,
      boolean: true,
      list: '{"a,b","\\"c\\"",NULL}',
      json: '{"a": 1.10}',
      nothing: null,
      number: "1.10",
    });
  }));

Deno.test("statements that are sent together run in order, and after a failure none of their transaction remains", () =>
  withPool(async (pool) => {
    const results = await pool.use((connection) =>
      Promise.allSettled([
        connection.run("BEGIN"),
        connection.run("CREATE TEMPORARY TABLE one (n integer)"),
        connection.run("INSERT INTO one VALUES ($1), ($2)", [1, 2], "insert"),
        connection.run("SELECT 1 / $1::integer", [0]),
        connection.run("SELECT n FROM one"),
        connection.run("COMMIT"),
        connection.run("SELECT to_regclass('one') AS found"),
      ])
    );
    assert.deepEqual(results.map(({ status }) => status === "fulfilled"), [true, true, true, false, false, true, true]);
    const last = results.at(-1);
    assert.ok(last?.status === "fulfilled" && last.value.rows[0]?.found === null);
  }));

Deno.test("a connection with an open transaction is closed, and one with a running statement is used after that", () =>
  withPool(async (pool) => {
    const first = await pool.use(getProcess);
    await pool.use(async (connection) => void await connection.run("BEGIN"));
    const second = await pool.use(getProcess);
    assert.notEqual(second, first);
    let hasEnded = false;
    await pool.use((connection) => {
      connection.run("SELECT pg_sleep(0.01)").then(() => hasEnded = true);
      return Promise.resolve();
    });
    assert.equal(await pool.use(getProcess), second);
    assert.ok(hasEnded);
  }, { maxConnections: 1 }));

Deno.test("a lost connection is an error that says so, and the next work gets a new connection", () =>
  withPool(async (pool) => {
    await pool.use(async (connection) => {
      const running = connection.run("SELECT pg_sleep(60)");
      const lost = kindOf(running);
      const id = await pool.use(async (other) => {
        const sleeping =
          "SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)' AND pid <> pg_backend_pid()";
        for (;;) {
          const [row] = (await other.run(sleeping)).rows;
          if (row) return row.pid ?? null;
        }
      });
      await pool.use((other) => other.run("SELECT pg_terminate_backend($1)", [Number(id)]));
      assert.equal(await lost, "unavailable");
      assert.equal(await kindOf(connection.run("SELECT 1")), "unavailable");
    });
    assert.equal((await pool.use((connection) => connection.run("SELECT 1"))).count, 1);
  }));

Deno.test("a connection that is lost as soon as it is ready is an error, and does not end the process", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const message = (type: string, ...body: number[]) => [type.charCodeAt(0), 0, 0, 0, body.length + 4, ...body];
  const loss = new TextEncoder().encode("SFATAL\0C57P01\0Mterminating connection\0\0");
  const serving = (async () => {
    using client = await listener.accept();
    await client.read(new Uint8Array(1024)); // The start of the connection.
    const isReady = [...message("R", 0, 0, 0, 0), ...message("Z", "I".charCodeAt(0))];
    await client.write(Uint8Array.of(...isReady, ...message("E", ...loss)));
  })();
  const location = parseLocation(`postgres://app@127.0.0.1:${listener.addr.port}/city`, "test");
  const pool = await openPool(location, { applicationName: "test" });
  assert.equal(await kindOf(pool.use((connection) => connection.run("SELECT 1"))), "unavailable");
  await Promise.all([serving, pool.close()]);
});

Deno.test("limits of time have errors of their own", async () => {
  await withPool(async (pool) => {
    assert.equal(await kindOf(pool.use((connection) => connection.run("SELECT pg_sleep(60)"))), "slow");
  }, { statementSeconds: 0.1 });
  await withPool(async (pool) => {
    const lock = (connection: Connection) =>
      connection.run("SELECT pg_advisory_xact_lock(hashtext($1))", [schema.location]);
    await pool.use(async (first) => {
      await Promise.all([first.run("BEGIN"), lock(first)]);
      assert.equal(await kindOf(pool.use(lock)), "busy");
    });
  }, { lockSeconds: 0.1 });
  await withPool(async (pool) => {
    // The limit also applies to a new connection, which may take longer on a busy machine.
    await eventually("the pool has a connection", () => pool.use(getProcess).catch(() => false));
    await pool.use(async () => assert.equal(await kindOf(pool.use(getProcess)), "unavailable"));
  }, { maxConnections: 1, connectSeconds: 1 });
});

Deno.test("a text with U+0000 and a duplicate row have errors of their own", () =>
  withPool(async (pool) => {
    assert.equal(await kindOf(pool.use((connection) => connection.run("SELECT $1::text", ["a\0b"]))), "nul");
    await pool.use(async (connection) => {
      await connection.run("CREATE TEMPORARY TABLE two (n integer PRIMARY KEY)");
      assert.equal(await kindOf(connection.run("INSERT INTO two VALUES (1), (1)")), "conflict");
    });
  }));

Deno.test("a server that cannot be reached, or refuses the user, is named", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  await assert.rejects(connectTo(`postgres://app@127.0.0.1:${port}/city`), (error) => {
    return error instanceof PostgresError && error.kind === "unavailable" &&
      error.message.startsWith(`postgres://app@127.0.0.1:${port}/city?schema=test cannot be reached: `);
  });
  const unknown = SHARED_POSTGRES.replace(/[^/]*$/, "nowhere");
  await assert.rejects(connectTo(unknown), (error) => {
    return error instanceof PostgresError && error.kind === "refused" &&
      /refuses the connection: database "nowhere" does not exist\.$/.test(error.message);
  });
});

Deno.test("the server's certificate is verified by its authority and its address", async () => {
  await using folder = await makeFolder({ "ca.pem": AUTHORITY });
  const trusted = `${SHARED_POSTGRES}?sslrootcert=${folder.path}/ca.pem`;
  assert.equal(await connectTo(trusted, "SELECT ssl AS found FROM pg_stat_ssl WHERE pid = pg_backend_pid()"), true);
  assert.equal(await kindOf(connectTo(trusted.replace("127.0.0.1", "127.0.0.2"))), "refused");
  await Deno.writeTextFile(`${folder.path}/other.pem`, "");
  assert.equal(await kindOf(connectTo(trusted.replace("ca.pem", "other.pem"))), "refused");
  assert.equal(await kindOf(connectTo(trusted.replace("ca.pem", "none.pem"))), "refused");
});

async function connectTo(location: string, sql = "SELECT 1 AS found"): Promise<unknown> {
  const pool = await openPool(parseLocation(location, "test"), { applicationName: "test" });
  try {
    return (await pool.use((connection) => connection.run(sql))).rows[0]?.found;
  } finally {
    await pool.close();
  }
}
