import social from "../../../lib/resources/social.ts";
import { localCommand } from "../local_command.ts";

const { olderThan, pageSize } = social.listMessages.flags;

/** `svc notes` */
export const notes = localCommand({
  summary: "Read the notes of a case with their replies",
  details: "Prints the latest notes, the oldest first. --page-size limits their number, not counting replies.",
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
