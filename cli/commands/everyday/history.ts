import { wantsPage, writeResult } from "../../context.ts";
import { localCommand } from "../local_command.ts";

/** `svc history` */
export const history = localCommand({
  summary: "Show who changed a case, when, and which fields",
  details: "The oldest entry comes first. A change shows the old value and the new one.",
  args: [{
    name: "id",
    help: "Short ID or handle of a case or an assignment, or -",
    type: "string",
    values: "cases and assignments",
    required: true,
  }],
  reads: true,
  answer: async () => (await import("../../work/history.ts")).HISTORY,
  example: ["P-1", "- --format table --fields time,by,text"],
  seeAlso: ["help handles", "show --help"],
  prefersView: true,
  async run(context, { id }) {
    const [{ resolveCaseId }, { getCaseHandle }, { printList }, work, { describeEvent }] = await Promise.all([
      import("../../handles/resolve_handles.ts"),
      import("../../handles/handles.ts"),
      import("../../work/print_list.ts"),
      import("../../work/history.ts"),
      import("../../view/case_page.ts"),
    ]);
    const named = getCaseHandle(id);
    const entries = await work.requireHistory(context, await resolveCaseId(context, named));
    if (wantsPage(context) && entries.length > 0) {
      return await writeResult(context, work.renderHistory(entries, context.io.stdout.columns() ?? Infinity));
    }
    await printList(context, {
      result: work.toJson(entries),
      rows: entries.map((entry) => ({ ...describeEvent(entry) })),
      empty: `${named} has no history that you can see.`,
    });
  },
});
