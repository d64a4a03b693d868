/** Completes the references of a form, and checks that chosen values can be chosen. */
import { isJsonObject, type JsonObject, type JsonValue, toObject } from "../../../utils/json.ts";
import { isEmpty, mapPages } from "../../application/expressions/field_values.ts";
import type { Choices, Field, Reference, View } from "../../application/model/field.ts";
import { readRows } from "../../data/query_rows.ts";
import { buildRowQuery } from "../../data/row_query.ts";
import { Invalid } from "../../errors.ts";
import type { EngineContext } from "../case_work.ts";
import { ContentIssues } from "./content.ts";

/** The part of a call's context that is needed to find records. */
type RecordContext = Pick<EngineContext, "app" | "tx" | "caller">;

/** Content before and after a submission. */
interface Change {
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/**
 * Fills in the members of each changed reference from its record. A reference without a key is removed. Throws
 * `ValidationFailed` for a record, a choice or an operator that does not exist.
 */
export async function resolveRecords(
  context: RecordContext,
  view: View,
  before: JsonObject,
  after: JsonObject,
): Promise<void> {
  const issues = new ContentIssues();
  await new Resolver(context, issues).resolveView(view, before, after);
  issues.check();
}

/** Fills in references like `resolveRecords`, but keeps values without a record instead of throwing. */
export async function fillInRecords(
  context: RecordContext,
  view: View,
  before: JsonObject,
  after: JsonObject,
): Promise<void> {
  await new Resolver(context, new ContentIssues()).resolveView(view, before, after);
}

class Resolver {
  readonly #context: RecordContext;
  readonly #issues: ContentIssues;

  constructor(context: RecordContext, issues: ContentIssues) {
    this.#context = context;
    this.#issues = issues;
  }

  async resolveView(view: View, before: JsonObject, after: JsonObject): Promise<void> {
    const fields = [...view.fields.values()].filter(({ readOnly }) => !readOnly).map(({ field }) => field);
    await this.#resolvePage(fields, before, after, "");
  }

  /** Resolves the fields of a page, which is a copy that can be changed. */
  async #resolvePage(fields: Iterable<Field>, before: JsonObject, after: JsonObject, path: string): Promise<void> {
    for (const field of fields) {
      const { name, type, choices } = field;
      const value = after[name];
      if (choices !== undefined) await this.#checkChoice(field, choices, before, after, path);
      else if (type === "UserReference") this.#checkOperator(field, value, path);
      else if (refersToRecords(field)) {
        const resolved = await this.#resolveField(field, { before: before[name], after: value }, after, path);
        if (resolved === undefined) delete after[name];
        else after[name] = resolved;
      }
    }
  }

  async #resolveField(
    field: Field,
    { before, after }: Change,
    page: JsonObject,
    path: string,
  ): Promise<JsonValue | undefined> {
    const { name, embedded, reference } = field;
    if (after === undefined || embedded === undefined) return after;
    const here = `${path}.${name}`;
    if (reference !== undefined) {
      if (!Array.isArray(after)) {
        return await this.#resolveReference(field, reference, [before], after, page, [path, name]);
      }
      const known = Array.isArray(before) ? before : [];
      const rows: JsonValue[] = [];
      for (const [index, row] of after.entries()) {
        const place = [`${here}(${index + 1})`, reference.key[0] ?? name] as const;
        rows.push(await this.#resolveReference(field, reference, known, row, page, place) ?? {});
      }
      return rows;
    }
    const pages: (readonly [page: JsonObject, place: string])[] = [];
    const copy = mapPages(field, after, (inner, place) => {
      const changed = { ...inner };
      pages.push([changed, place]);
      return changed;
    });
    for (const [inner, place] of pages) {
      const earlier = Array.isArray(before) ? before[Number(place.slice(1, -1)) - 1] : before;
      await this.#resolvePage(embedded.fields.values(), toObject(earlier), inner, here + place);
    }
    return copy;
  }

  /** Returns the record that a page refers to: one of the known pages, or the record with its key. */
  async #resolveReference(
    field: Field,
    reference: Reference,
    known: readonly (JsonValue | undefined)[],
    value: JsonValue | undefined,
    page: JsonObject,
    [path, name]: readonly [path: string, name: string],
  ): Promise<JsonValue | undefined> {
    if (!isJsonObject(value)) return value;
    const keys = reference.key.map((part) => [part, value[part] ?? ""] as const);
    if (keys.every(([, part]) => part === "")) {
      if (field.type === "List") {
        this.#issues.addViolation(path, name, `${field.label}: a row needs ${reference.key[0]}`);
      }
      return undefined;
    }
    const same = known.find((one) =>
      isJsonObject(one) && keys.every(([part, given]) => String(one[part]) === String(given))
    );
    if (same !== undefined) return same;
    const found = await this.#findRow(reference, keys, page, [...field.embedded?.fields.keys() ?? []]);
    if (found !== undefined) return found;
    const described = keys.map(([part, given]) => `${part} ${JSON.stringify(given)}`).join(", ");
    this.#issues.addViolation(path, name, `${field.label}: ${reference.dataView} has no record with ${described}`);
    return Object.fromEntries(keys);
  }

  async #checkChoice(
    { name, label }: Field,
    choices: Choices,
    before: JsonObject,
    after: JsonObject,
    path: string,
  ): Promise<void> {
    const value = after[name];
    if (isEmpty(value) || value === undefined) return;
    const inputs = [[name], ...listInputs(choices)];
    const isUnchanged = inputs.every((input) => readPath(before, input) === readPath(after, input));
    if (isUnchanged || await this.#findRow(choices, [[choices.value, value]], after) !== undefined) return;
    this.#issues.addViolation(path, name, `${label}: ${choices.dataView} does not offer ${JSON.stringify(value)}`);
  }

  #checkOperator({ name, label }: Field, value: JsonValue | undefined, path: string): void {
    if (typeof value !== "string" || value === "" || this.#context.app.operators.has(value)) return;
    this.#issues.addViolation(path, name, `${label}: there is no operator '${value}'`);
  }

  /** Finds the row of a data view whose columns have some values. `page` has the values of its parameters. */
  async #findRow(
    { dataView, parameters }: Pick<Reference, "dataView" | "parameters">,
    columns: readonly (readonly [name: string, value: JsonValue])[],
    page: JsonObject,
    select?: readonly string[],
  ): Promise<JsonObject | undefined> {
    const { app, tx, caller } = this.#context;
    const view = app.dataViews.get(dataView);
    if (view === undefined) return undefined;
    const conditions = new Map(columns.map(([field, value]) => {
      return [field, { field, comparator: "EQ", right: { values: [value] }, ignoreCase: false }];
    }));
    const given = Array.from(parameters, ([name, argument]): [string, JsonValue | undefined] => {
      return [name, "value" in argument ? argument.value : readPath(page, argument.field)];
    });
    const query = { select, conditions, sort: [], aggregations: [], distinct: false };
    try {
      const rowQuery = buildRowQuery(view, { parameters: Object.fromEntries(given), query }, caller.id);
      const [row] = await readRows(tx, rowQuery, { offset: 0, limit: 1 });
      return row && Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
    } catch (error) {
      if (error instanceof Invalid) return undefined; // A value does not have the type of its column or parameter.
      throw error;
    }
  }
}

function refersToRecords({ reference, embedded, type }: Field): boolean {
  if (reference !== undefined || embedded === undefined || type === "Attachment") return reference !== undefined;
  return [...embedded.fields.values()].some((field) =>
    field.choices !== undefined || field.type === "UserReference" || refersToRecords(field)
  );
}

/** Lists the paths of the fields that the parameters of a data view use. */
function listInputs({ parameters }: Choices): (readonly string[])[] {
  return Array.from(parameters.values(), (argument) => "field" in argument ? argument.field : []).filter((path) => {
    return path.length > 0;
  });
}

function readPath(page: JsonObject, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, name) => isJsonObject(value) ? value[name] : undefined, page);
}
