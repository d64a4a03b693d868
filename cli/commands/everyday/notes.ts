import social from "../../../lib/resources/social.ts";
import { localCommand } from "../local_command.ts";

const { olderThan, pageSize } = social.listMessages.flags;

/** `svc notes` */
export const notes = localCommand({
  summary: "Read the notes of a case with their replies",
  details: "The oldest note comes first. If there are more than --page-size, the newest ones are shown.",
  args: [{
    name: "id",
    help: "Short ID or handle of a case or an assignment, or -",
    type: "string",
    values: "cases and assignments",
    required: true,
  }],
  flags: {
    pageSize: { ...pageSize, help: "Maximum number of notes", default: "50" },
    olderThan: { ...olderThan, help: "Show only notes older than this date and time" },
  },
  example: ["P-1", "- --page-size 5"],
  seeAlso: ["note --help", "history --help", "social list-messages --help"],
  prefersView: true,
  async run(context, { id, ...page }) {
    const { showNotes } = await import("../../work/show_notes.ts");
    await showNotes(context, id, page);
  },
});
