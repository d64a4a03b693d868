/** The action that every case has. Its form has all fields that can be edited. */
export const EDIT_DETAILS = "pyUpdateCaseDetails";
