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
    const { isAssignmentHandle } = await import("../../handles/handles.ts");
    if (!isAssignmentHandle(id)) {
      const { showCase } = await import("../../work/show_case.ts");
      return await showCase(context, id);
    }
    const [{ callAndPrint }, { default: operations }] = await Promise.all([
      import("../operations.ts"),
      import("../../../lib/resources/assignments.ts"),
    ]);
    await callAndPrint(context, { name: "assignments.get", operation: operations.get }, { assignmentId: id });
  },
});
