import { localCommand } from "../local_command.ts";

/** `svc show` */
export const show = localCommand({
  summary: "Show a case or an assignment",
  args: [{
    name: "id",
    help: "Short ID or handle of a case, handle of an assignment, or -",
    type: "string",
    values: "cases and assignments",
    required: true,
  }],
  example: ["P-1", "-", "'ASSIGN-WORKLIST ACME-WORK C-1!REVIEW'"],
  seeAlso: ["help handles", "cases get --help", "assignments get --help"],
  prefersView: true,
  async run(context, { id }) {
    const [{ callAndPrint }, { isAssignmentHandle }] = await Promise.all([
      import("../operations.ts"),
      import("../../handles/handles.ts"),
    ]);
    if (isAssignmentHandle(id)) {
      const { default: operations } = await import("../../../lib/resources/assignments.ts");
      const ref = { name: "assignments.get", operation: operations.get };
      return await callAndPrint(context, ref, { assignmentId: id });
    }
    const { resolveCaseId } = await import("../../handles/resolve_handles.ts");
    const { default: operations } = await import("../../../lib/resources/cases.ts");
    const caseId = await resolveCaseId(context, id);
    await callAndPrint(context, { name: "cases.get", operation: operations.get }, { caseId });
  },
});
