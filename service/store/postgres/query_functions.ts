/** SQL functions that queries call. They belong to the tables, because indexes may call them, too. */

/**
 * Creates or replaces `svc_number`. It returns the number in a JSON value as SQLite compares it. True is 1, false is 0, and a
 * number that is too large is infinite. A number with more decimal places than `numeric` allows is rounded. Any other value
 * is NULL.
 */
export const NUMBER_FUNCTION =
  `CREATE OR REPLACE FUNCTION svc_number(value json) RETURNS numeric LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
  DECLARE
    digits text := value::text;
  BEGIN
    IF digits ~ '^-?[0-9]{1,18}$' THEN RETURN digits::numeric; END IF;
    IF digits !~ '^[-0-9]' THEN
      RETURN CASE digits WHEN 'true' THEN 1 WHEN 'false' THEN 0 END;
    END IF;
    IF digits ~ '^-?[0-9]{19}$' AND digits::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN
      RETURN digits::numeric;
    END IF;
    IF pg_input_is_valid(digits, 'float8') THEN
      IF pg_input_is_valid(digits, 'numeric') THEN RETURN digits::numeric; END IF;
      RETURN digits::float8::text::numeric;
    END IF;
    RETURN CASE WHEN digits ~ '[eE]-|^-?0[.]' THEN 0 WHEN digits ~ '^-' THEN '-Infinity' ELSE 'Infinity'::numeric END;
  END $$;`;

/**
 * Creates all functions. They use only functions of PostgreSQL itself, so that they work with any search path.
 *
 * - `svc_text` returns a text, or the JSON of an object or of an array. Any other value is NULL.
 * - `svc_json` returns the JSON of a number.
 * - `svc_leading_number` returns the number at the start of a text, or 0.
 * - `svc_contains` reports whether a text contains another. PostgreSQL cannot interrupt a search, which takes quadratic time
 *   for malicious texts. Therefore it searches only for the start of a long text at once.
 */
export const QUERY_FUNCTIONS = `
  ${NUMBER_FUNCTION}

  CREATE FUNCTION svc_text(value json) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
  BEGIN
    RETURN CASE left(value::text, 1) WHEN '"' THEN value #>> '{}' WHEN '{' THEN value::text WHEN '[' THEN value::text END;
  END $$;

  CREATE FUNCTION svc_json(number numeric) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE number WHEN 'Infinity' THEN '9e999' WHEN '-Infinity' THEN '-9e999' ELSE number::text END;

  CREATE FUNCTION svc_leading_number(value text) RETURNS numeric LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
  DECLARE
    digits text := substring(value FROM '^[ \\t\\n\\v\\f\\r]*([-+]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][-+]?[0-9]+)?)');
  BEGIN
    RETURN CASE WHEN pg_input_is_valid(digits, 'float8') THEN digits::float8::numeric ELSE 0 END;
  END $$;

  CREATE FUNCTION svc_contains(value text, part text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
  DECLARE
    size CONSTANT integer := 100;
    start CONSTANT text := left(part, size);
    rest text := value;
    found integer;
  BEGIN
    LOOP
      found := strpos(rest, start);
      IF found = 0 THEN RETURN false; END IF;
      IF length(part) <= size THEN RETURN true; END IF;
      rest := substr(rest, found);
      IF starts_with(rest, part) THEN RETURN true; END IF;
      rest := substr(rest, 2);
    END LOOP;
  END $$;
`;
