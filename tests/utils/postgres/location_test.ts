/** Locations of PostgreSQL databases. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { formatLocation, LocationError, parseLocation, usesTls } from "../../../utils/postgres/location.ts";

const parse = (text: string) => parseLocation(text, "standard");

Deno.test("a location names server, user, database and schema, and has defaults for the others", () => {
  const location = { host: "db.example.org", port: 5432, user: "app", database: "city", schema: "standard" };
  assert.deepEqual(parse("postgres://app@db.example.org/city"), location);
  assert.deepEqual(parse("postgresql://app@db.example.org:6000/city?schema=permits"), {
    ...location,
    port: 6000,
    schema: "permits",
  });
  assert.deepEqual(parse("postgres://app@[::1]/city?sslrootcert=/etc/ca.pem&sslmode=verify-full"), {
    ...location,
    host: "::1",
    authorities: "/etc/ca.pem",
  });
  assert.equal(parse("postgres:///city?host=/run/postgresql&user=app").host, "/run/postgresql");
});

Deno.test("connections to other machines use TLS", () => {
  const tls = (host: string, rest = "") => usesTls(parse(`postgres://app@${host}/city${rest}`));
  assert.deepEqual(["db", "10.0.0.1", "[fe80::1]"].map((host) => tls(host)), [true, true, true]);
  assert.deepEqual(["localhost", "127.0.0.1", "[::1]"].map((host) => tls(host)), [false, false, false]);
  assert.equal(tls("localhost", "?sslrootcert=ca.pem"), true);
  assert.equal(usesTls(parse("postgres:///city?host=/run/postgresql&user=app")), false);
});

Deno.test("an invalid location is refused with what to write instead", () => {
  const problems = {
    "/var/lib/data": /not valid. Write postgres:\/\/<user>@<host>:<port>\/<database>/,
    "postgres://app@:x": /not valid/,
    "postgres://db/city": /names no user/,
    "postgres:///city?user=app": /names no server/,
    "postgres://app@db": /names no database/,
    "postgres://app@db/city?schema=Permits": /schema 'Permits' is not valid/,
    "postgres://app@db/city?scheme=permits": /unknown parameter 'scheme'; did you mean 'schema'\?/,
    "postgres://app@db/city?sslmode=disable": /sslmode=disable is not supported/,
    "postgres://app@db/%": /'%25' for '%'/,
  };
  for (const [text, message] of Object.entries(problems)) {
    assert.throws(() => parse(text), (error) => error instanceof LocationError && message.test(error.message), text);
  }
});

Deno.test("a location with a password is refused, and the message does not repeat it", () => {
  for (
    const text of ["postgres://app:s3cret@db/city", "postgres://app@db/city?password=s3cret", "postgres://a:s3cret"]
  ) {
    assert.throws(() => parse(text), (error) => error instanceof LocationError && !error.message.includes("s3cret"));
  }
});

Deno.test("a formatted location is parsed to the same location", () => {
  const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }).filter((text) => !/^\.{1,2}$/.test(text));
  const location = fc.record({
    host: fc.constantFrom("db.example.org", "127.0.0.1", "::1", "/run/postgresql"),
    port: fc.integer({ min: 1, max: 65535 }),
    user: name,
    database: name,
    schema: fc.constantFrom("a", "permits_2"),
    authorities: name,
  }, { requiredKeys: ["host", "port", "user", "database", "schema"] });
  fc.assert(fc.property(location, (given) => assert.deepEqual(parse(formatLocation(given)), { ...given })));
});
