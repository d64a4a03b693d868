/** Names from the definition in statements that take no parameters. The server quotes them. */
import type { Connection } from "../../../../utils/postgres/pool.ts";
import { escapeText } from "../escape_text.ts";

/** Compiles the value of a field of a case. */
export async function quotePath(connection: Connection, members: readonly string[]): Promise<string> {
  return ["content", ...await quoteAll(connection, members)].join(" -> ");
}

/** Compiles a list of texts. */
export async function quoteTexts(connection: Connection, texts: readonly string[]): Promise<string> {
  return (await quoteAll(connection, texts)).join(", ");
}

async function quoteAll(connection: Connection, texts: readonly string[]): Promise<string[]> {
  const { rows } = await connection.run(
    "SELECT quote_literal(name) AS literal FROM unnest($1::text[]) WITH ORDINALITY AS list (name, place) ORDER BY place",
    [texts.map(escapeText)],
  );
  return rows.map(({ literal }) => `${literal}::text`);
}
