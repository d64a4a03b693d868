import { isNonEmptyString } from "../../../utils/json.ts";

/** Reports whether a data object has a data view that lists cases. */
export function listsCases(
  { classID, defaultListDataView }: { readonly classID?: unknown; readonly defaultListDataView?: unknown },
): boolean {
  // The class of a case contains its kind: `Org-App-Work-Type`. Those of records have `Data` there.
  return isNonEmptyString(defaultListDataView) && /-Work(?:-|$)/i.test(String(classID));
}
