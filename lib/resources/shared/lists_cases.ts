import { isNonEmptyString } from "../../../utils/json.ts";

/** Reports whether a data object has a data view that lists cases. */
export function listsCases(
  { classID, defaultListDataView }: { readonly classID?: unknown; readonly defaultListDataView?: unknown },
): boolean {
  // Classes of cases contain `Work`, as in `Org-App-Work-Type`. Classes of records contain `Data` instead.
  return isNonEmptyString(defaultListDataView) && /-Work(?:-|$)/i.test(String(classID));
}
