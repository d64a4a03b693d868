import { localCommand } from "../local_command.ts";

/** `svc show` */
export const show = localCommand({
  summary: "Show a case or an assignment",
  args: [{ name: "id", help: "Handle of a case or of an assignment", type: "string", required: true }],
  example: ["'ACME-WORK C-1'", "'ASSIGN-WORKLIST ACME-WORK C-1!REVIEW'"],
  seeAlso: ["cases get --help", "assignments get --help"],
  async run(context, { id }) {
    const { callAndPrint } = await import("../operations.ts");
    if (/^ASSIGN-/i.test(id)) {
      const { default: operations } = await import("../../../lib/resources/assignments.ts");
      const ref = { name: "assignments.get", operation: operations.get };
      return await callAndPrint(context, ref, { assignmentId: id });
    }
    const { default: operations } = await import("../../../lib/resources/cases.ts");
    await callAndPrint(context, { name: "cases.get", operation: operations.get }, { caseId: id });
  },
});
