import { isSvcError } from "../../../lib/errors.ts";
import work from "../../../lib/resources/work.ts";
import { getSurface, printWarnings, wantsPage } from "../../context.ts";
import type { CommandContext } from "../command.ts";
import { localCommand } from "../local_command.ts";

const { type, status, text, page, pageSize } = work.inbox.flags;

/** `svc inbox` */
export const inbox = localCommand({
  summary: "List your open work and the work in your queues",
  details:
    "The most urgent work comes first, then the oldest. The column queue is empty for work that is already yours. " +
    "Services without an inbox show your worklist. At a terminal, the command also lists the messages of the last week " +
    "that mention you.",
  flags: {
    status,
    type,
    text,
    page,
    pageSize,
    due: { help: "Only work that is due: today, overdue, or by a date", type: "string", placeholder: "when" },
    watch: {
      help:
        "Keep the inbox on the screen and refresh it until you press q; scroll with the arrow keys. In a pipe, print a line of JSON for each change",
      type: "boolean",
    },
    interval: { help: "Seconds between refreshes with --watch", type: "integer", default: "10" },
  },
  reads: true,
  answer: async () => (await import("../../work/read_inbox.ts")).INBOX,
  example: ["", "--status Pending --text harbour", "--due today", "--watch"],
  seeAlso: ["next --help", "show --help", "work inbox --help"],
  prefersView: true,
  async run(context, { watch, interval, due, ...given }) {
    const { describeInbox, explainNoWork, readInbox } = await import("../../work/read_inbox.ts");
    const { parseDue } = await import("../../work/parse_due.ts");
    const params = { ...given, ...(due !== undefined && { due: parseDue(due, new Date()) }) };
    if (watch) {
      const { watchInbox } = await import("../../work/watch_inbox.ts");
      return await watchInbox(context, params, Math.max(1, interval));
    }
    const { printList } = await import("../../work/print_list.ts");
    const mentions = startMentions(context);
    const found = await readInbox(context, params);
    const empty = () => explainNoWork(context, { ...given, due });
    await printList(context, { ...describeInbox(found), empty });
    if (found.hasMoreResults) context.note(`More work follows: --page ${(params.page ?? 1) + 1}.`);
    const text = await mentions();
    if (text !== "") context.io.stdout.write(`\n${text}`);
  },
});

/**
 * Starts to read the latest messages that mention the caller, so that the table does not wait for them. The returned
 * function resolves to their text for people. Programs list them with a command of its own.
 */
function startMentions(context: CommandContext): () => Promise<string> {
  const reading = wantsPage(context) ? readShownMentions(context) : Promise.resolve("");
  const settled = Promise.allSettled([reading]);
  return async () => {
    const [mentions] = await settled;
    if (mentions.status === "fulfilled") return mentions.value;
    const { reason } = mentions;
    if (!isSvcError(reason) || reason.code === "INTERRUPTED") throw reason;
    printWarnings(context)(`The messages that mention you cannot be read: ${reason.message}`);
    return "";
  };
}

async function readShownMentions(context: CommandContext): Promise<string> {
  const [{ readMentions }, { layOutPage }] = await Promise.all([
    import("../../work/read_messages.ts"),
    import("../../view/page.ts"),
  ]);
  return layOutPage(await readMentions(context), getSurface(context.io));
}
