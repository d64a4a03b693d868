import work from "../../../lib/resources/work.ts";
import { localCommand } from "../local_command.ts";

const { type, status, page, pageSize } = work.find.flags;

/** `svc find` */
export const find = localCommand({
  summary: "Find cases by text in their number, label or fields",
  details: "The search does not distinguish upper and lower case. The newest cases come first. " +
    "On a service without a search, svc looks for the text in the number and the label only.",
  args: [{ name: "text", help: "Text, or the number of a case", type: "string", required: true }],
  flags: { status, type, page, pageSize },
  reads: true,
  answer: async () => (await import("../../work/find_cases.ts")).FOUND_CASES,
  example: ["harbour", "'main street' --status Pending", "P-1"],
  seeAlso: ["show --help", "work find --help", "data query --help"],
  prefersView: true,
  async run(context, { text, ...params }) {
    const [{ findCases }, { printList }] = await Promise.all([
      import("../../work/find_cases.ts"),
      import("../../work/print_list.ts"),
    ]);
    const { list, hasMoreResults } = await findCases(context, { text, ...params });
    await printList(context, list);
    if (hasMoreResults) context.note(`More cases follow: --page ${(params.page ?? 1) + 1}.`);
  },
});
