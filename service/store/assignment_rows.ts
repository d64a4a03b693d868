/** Assignments as rows: the assignee of a row is in two columns. */
import type { StoredAssignment } from "./store.ts";
import type { RowOf } from "./tables.ts";

/** Converts an assignment to its row. */
export function toAssignmentRow({ assignee, ...columns }: StoredAssignment): RowOf<"assignments"> {
  return { ...columns, assigneeKind: assignee.kind, assigneeId: assignee.id };
}

/** Reverses `toAssignmentRow`. */
export function fromAssignmentRow({ assigneeKind, assigneeId, ...columns }: RowOf<"assignments">): StoredAssignment {
  return { ...columns, assignee: { kind: assigneeKind === "queue" ? "queue" : "operator", id: assigneeId } };
}
