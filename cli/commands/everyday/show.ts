import { localCommand } from "../local_command.ts";

/** `svc show` */
export const show = localCommand({
  summary: "Show a case or an assignment",
  details:
    "Only reads the case, so it locks nothing, even if opening an assignment would lock the case. At a terminal, the " +
    "page is shortened to one screen. 'svc cases get <case> --format view' shows all fields and actions.",
  args: [{
    name: "id",
    help: "Short ID or handle of a case, handle of an assignment, or -",
    type: "string",
    values: "cases and assignments",
    required: true,
  }],
  reads: true,
  answer: async () => (await import("../../../lib/resources/cases.ts")).default.get.answer,
  isAnswerOpen: true,
  example: ["P-1", "-", "'ASSIGN-WORKLIST ACME-WORK C-1!REVIEW'"],
  seeAlso: ["help handles", "cases get --help", "assignments get --help"],
  prefersView: true,
  async run(context, { id }) {
    const { showCase } = await import("../../work/show_case.ts");
    await showCase(context, id);
  },
});
