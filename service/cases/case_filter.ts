/** Conditions by which people narrow lists of cases. */
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { caseFold } from "../../utils/text/case_fold.ts";
import { listTextForms } from "../../utils/text/text_forms.ts";
import type { Application, CaseType } from "../application/model/application.ts";
import { type Field, holdsPage, VALUE_KINDS } from "../application/model/field.ts";
import { Invalid } from "../errors.ts";
import type { Filter, RowField } from "../store/query.ts";

/** Conditions on a case. All of them must hold. */
export interface CaseConditions {
  /** ID or name of the case type. */
  readonly type?: string;
  /** Beginning of the status. */
  readonly status?: string;
  /** Text in the number, the label or a text field. */
  readonly text?: string;
}

/** Maximum number of conditions side by side. SQLite limits the depth of an expression, which grows with each. */
const MAX_SIDE_BY_SIDE = 100;

/** Builds the filter for conditions on cases. Throws `Invalid` for an unknown case type. */
export function buildCaseFilter(app: Application, { type, status, text }: CaseConditions): Filter[] {
  const types = type === undefined ? [...app.caseTypes.values()] : [findType(app, type)];
  return [
    ...(type === undefined ? [] : [{ field: { property: "typeId" }, in: types.map(({ id }) => id) }]),
    ...(status === undefined ? [] : [compare({ property: "status" }, "STARTS_WITH", status)]),
    ...(text === undefined ? [] : [matchText(types, text)]),
  ];
}

function findType({ caseTypes }: Application, wanted: string): CaseType {
  const byName = [...caseTypes.values()].find(({ name }) => caseFold(name) === caseFold(wanted));
  const type = caseTypes.get(wanted) ?? byName;
  if (type !== undefined) return type;
  const names = [...caseTypes.values()].map(({ name }) => name);
  throw new Invalid(`There is no case type '${wanted}'${suggestAlternatives(wanted, [...names, ...caseTypes.keys()])}`);
}

function matchText(types: readonly CaseType[], text: string): Filter {
  const inContent = types.flatMap(({ fields }) => listTextPaths(fields));
  const paths = new Map([["pyLabel"], ...inContent].map((path) => [JSON.stringify(path), path]));
  const inFields = listTextForms(text).map((form): Filter => {
    const byField = [...paths.values()].map((content) => contains({ content }, form));
    // Comparing the whole content first is faster: most cases contain the text nowhere.
    const anywhere = contains({ content: [] }, JSON.stringify(form).slice(1, -1));
    return { and: [anywhere, anyOf(byField)] };
  });
  return { or: [contains({ property: "businessId" }, text), ...inFields] };
}

/** Lists the paths of the fields that hold text, also those of embedded pages. */
function listTextPaths(fields: ReadonlyMap<string, Field>): string[][] {
  return [...fields.values()].flatMap(({ name, type, embedded }) => {
    if (VALUE_KINDS[type] === "text") return [[name]];
    if (!holdsPage(type) || embedded === undefined) return [];
    return listTextPaths(embedded.fields).map((path) => [name, ...path]);
  });
}

function anyOf(filters: readonly Filter[]): Filter {
  if (filters.length <= MAX_SIDE_BY_SIDE) return { or: filters };
  const groups: Filter[] = [];
  for (let start = 0; start < filters.length; start += MAX_SIDE_BY_SIDE) {
    groups.push({ or: filters.slice(start, start + MAX_SIDE_BY_SIDE) });
  }
  return anyOf(groups);
}

function contains(field: RowField, text: string): Filter {
  return compare(field, "CONTAINS", text);
}

function compare(left: RowField, comparator: "CONTAINS" | "STARTS_WITH", value: string): Filter {
  return { left, comparator, right: { value }, ignoreCase: true };
}
