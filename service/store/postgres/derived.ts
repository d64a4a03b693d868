/**
 * Tables that the database derives from the rows, and their queries. Triggers maintain them, so that they stay correct while
 * processes of the previous version write.
 */
import { COUNTED_MEMBERS, RECIPIENT_MEMBERS } from "../derived.ts";
import { escapeText } from "./escape_text.ts";
import type { Compiled } from "./query.ts";
import { selectList } from "./rows.ts";

/** The rules as rows. A missing member stands for the owner. */
const COUNTED = COUNTED_MEMBERS.map(({ kind, member }) => `('${kind}', '${member}')`).join(", ");
const RECIPIENTS = RECIPIENT_MEMBERS
  .map(({ kind, member, role }) => `('${kind}', ${member === undefined ? "NULL" : `'${member}'`}, '${role} ')`)
  .join(", ");
const KINDS = [...new Set([...COUNTED_MEMBERS, ...RECIPIENT_MEMBERS].map(({ kind }) => `'${kind}'`))].join(", ");

/**
 * Creates the tables and fills them. A count is the sum of its rows: a change only adds a row, so that units that change the
 * same count do not wait for each other.
 */
export const DERIVED_TABLES = `
  CREATE TABLE "caseCounts" (
    "typeId" text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    "stageId" text COLLATE "C" NOT NULL,
    number bigint NOT NULL
  );

  CREATE FUNCTION svc_count_case() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN INSERT INTO "caseCounts" VALUES (OLD."typeId", OLD.status, OLD."stageId", -1); END IF;
    IF TG_OP <> 'DELETE' THEN INSERT INTO "caseCounts" VALUES (NEW."typeId", NEW.status, NEW."stageId", 1); END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER "countCase" AFTER INSERT OR DELETE ON cases FOR EACH ROW EXECUTE FUNCTION svc_count_case();
  CREATE TRIGGER "countChangedCase" AFTER UPDATE ON cases FOR EACH ROW
    WHEN ((OLD."typeId", OLD.status, OLD."stageId") IS DISTINCT FROM (NEW."typeId", NEW.status, NEW."stageId"))
    EXECUTE FUNCTION svc_count_case();
  INSERT INTO "caseCounts" SELECT "typeId", status, "stageId", COUNT(*) FROM cases GROUP BY "typeId", status, "stageId";

  CREATE TABLE "textCounts" (
    kind text COLLATE "C" NOT NULL,
    member text COLLATE "C" NOT NULL,
    text text COLLATE "C" NOT NULL,
    number bigint NOT NULL
  );
  CREATE INDEX "textCountsByMember" ON "textCounts" (kind, member);

  CREATE TABLE "itemRecipients" (
    kind text COLLATE "C" NOT NULL,
    recipient text COLLATE "C" NOT NULL,
    at text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (kind, recipient, at, seq)
  );

  CREATE FUNCTION svc_texts(value json) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE BEGIN ATOMIC
    SELECT element #>> '{}' FROM json_array_elements(
      CASE json_typeof(value) WHEN 'array' THEN value WHEN 'string' THEN json_build_array(value) ELSE '[]' END
    ) AS element WHERE json_typeof(element) = 'string';
  END;

  CREATE FUNCTION svc_counted_texts(kind text, content json) RETURNS TABLE (member text, text text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE BEGIN ATOMIC
    SELECT rule.member, used.text FROM (VALUES ${COUNTED}) AS rule (kind, member),
      svc_texts(content -> rule.member) AS used (text) WHERE rule.kind = svc_counted_texts.kind;
  END;

  CREATE FUNCTION svc_recipients(kind text, owner text, content json) RETURNS SETOF text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE BEGIN ATOMIC
    SELECT DISTINCT rule.role || used.text FROM (VALUES ${RECIPIENTS}) AS rule (kind, member, role),
      svc_texts(CASE WHEN rule.member IS NULL THEN to_json(owner) ELSE content -> rule.member END) AS used (text)
      WHERE rule.kind = svc_recipients.kind;
  END;

  CREATE FUNCTION svc_derive_from_item() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      INSERT INTO "textCounts" SELECT OLD.kind, member, text, -1 FROM svc_counted_texts(OLD.kind, OLD.content);
      DELETE FROM "itemRecipients" WHERE kind = OLD.kind AND at = OLD.at AND seq = OLD.seq
        AND recipient IN (SELECT svc_recipients(OLD.kind, OLD.owner, OLD.content));
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO "textCounts" SELECT NEW.kind, member, text, 1 FROM svc_counted_texts(NEW.kind, NEW.content);
      INSERT INTO "itemRecipients"
        SELECT NEW.kind, recipient, NEW.at, NEW.seq
        FROM svc_recipients(NEW.kind, NEW.owner, NEW.content) AS found (recipient);
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER "deriveFromNewItem" AFTER INSERT ON items FOR EACH ROW
    WHEN (NEW.kind IN (${KINDS})) EXECUTE FUNCTION svc_derive_from_item();
  CREATE TRIGGER "deriveFromItem" AFTER UPDATE OR DELETE ON items FOR EACH ROW
    WHEN (OLD.kind IN (${KINDS})) EXECUTE FUNCTION svc_derive_from_item();
  INSERT INTO "textCounts" SELECT kind, member, text, COUNT(*) FROM items, svc_counted_texts(kind, content)
    WHERE kind IN (${KINDS}) GROUP BY kind, member, text;
  INSERT INTO "itemRecipients" SELECT kind, recipient, at, seq
    FROM items, svc_recipients(kind, owner, content) AS found (recipient) WHERE kind IN (${KINDS});
`;

/** Replaces the rows of each count by one row with their sum. */
export const MERGE_COUNTS: readonly string[] = [
  `WITH old AS (DELETE FROM "caseCounts" RETURNING *)
    INSERT INTO "caseCounts" SELECT "typeId", status, "stageId", SUM(number) FROM old
    GROUP BY "typeId", status, "stageId" HAVING SUM(number) <> 0`,
  `WITH old AS (DELETE FROM "textCounts" RETURNING *)
    INSERT INTO "textCounts" SELECT kind, member, text, SUM(number) FROM old
    GROUP BY kind, member, text HAVING SUM(number) <> 0`,
];

/** Compiles the statement that lists the newest items of a kind with one of several recipients. */
export function compileReceived(kind: string, recipients: readonly string[], before: string, limit?: number): Compiled {
  return {
    sql: `SELECT ${selectList("items")} FROM items WHERE seq IN (
        SELECT found.seq FROM unnest($2::text[]) AS list (recipient), LATERAL (
          SELECT seq FROM "itemRecipients" AS received
          WHERE received.kind = $1 AND received.recipient = list.recipient AND received.at < $3
          ORDER BY received.at DESC, received.seq DESC LIMIT $4
        ) AS found
      ) ORDER BY at DESC, seq DESC LIMIT $4`,
    parameters: [escapeText(kind), recipients.map(escapeText), before, limit ?? null],
  };
}

/** Compiles the statement that reads the counts of a member's texts, with the number of uses by an owner. */
export function compileCountedTexts(kind: string, member: string, owner: string): Compiled {
  return {
    sql: `SELECT kept.text, kept.number AS everywhere, COALESCE(own.here, 0) AS here FROM (
        SELECT text, SUM(number) AS number FROM "textCounts" WHERE kind = $1 AND member = $2
        GROUP BY text HAVING SUM(number) > 0
      ) AS kept LEFT JOIN (
        SELECT used.text, COUNT(*) AS here FROM items, svc_texts(items.content -> $2::text) AS used (text)
        WHERE items.kind = $1 AND items.owner = $3 GROUP BY used.text
      ) AS own ON own.text = kept.text
      ORDER BY kept.text`,
    parameters: [kind, member, owner].map(escapeText),
  };
}
