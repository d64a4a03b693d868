import work from "../../../lib/resources/work.ts";
import { localCommand } from "../local_command.ts";

const { type, status, text, page, pageSize } = work.inbox.flags;

/** `svc inbox` */
export const inbox = localCommand({
  summary: "List your open work and the work in your queues",
  details:
    "The most urgent work comes first, then the oldest. The column queue is empty for work that is already yours. " +
    "Services without an inbox show your worklist.",
  flags: {
    status,
    type,
    text,
    page,
    pageSize,
    due: { help: "Only work that is due: today, overdue, or by a date", type: "string", placeholder: "when" },
    watch: { help: "Refresh the inbox until Ctrl-C; in a pipe, print a line of JSON for each change", type: "boolean" },
    interval: { help: "Seconds between refreshes with --watch", type: "integer", default: "10" },
  },
  reads: true,
  answer: async () => (await import("../../work/read_inbox.ts")).INBOX,
  example: ["", "--status Pending --text harbour", "--due today", "--watch"],
  seeAlso: ["next --help", "show --help", "work inbox --help"],
  prefersView: true,
  async run(context, { watch, interval, due, ...given }) {
    const { describeInbox, readInbox } = await import("../../work/read_inbox.ts");
    const { parseDue } = await import("../../work/parse_due.ts");
    const params = { ...given, ...(due !== undefined && { due: parseDue(due, new Date()) }) };
    if (watch) {
      const { watchInbox } = await import("../../work/watch_inbox.ts");
      return await watchInbox(context, params, Math.max(1, interval));
    }
    const { printList } = await import("../../work/print_list.ts");
    const found = await readInbox(context, params);
    await printList(context, describeInbox(found));
    if (found.hasMoreResults) context.note(`More work follows: --page ${(params.page ?? 1) + 1}.`);
  },
});
