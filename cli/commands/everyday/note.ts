import { localCommand } from "../local_command.ts";

/** `svc note` */
export const note = localCommand({
  summary: "Post a message in the feed of a case",
  args: [
    { name: "id", help: "Short ID or handle of a case, or -", type: "string", values: "cases", required: true },
    { name: "text", help: "Text; '@' before an operator ID mentions the operator", type: "string", required: true },
  ],
  flags: {
    replyTo: {
      help: "Note to reply to: its number, e.g. M-3, or its message ID",
      type: "string",
      placeholder: "note",
    },
  },
  example: [
    "P-1 'Plan received'",
    "- 'Please check the address, @reviewer@city'",
    "P-1 'It is complete' --reply-to M-3",
  ],
  seeAlso: ["notes --help", "help handles", "social post-message --help"],
  prefersView: true,
  async run(context, { id, text, replyTo }) {
    const { postNote } = await import("../../work/post_note.ts");
    await postNote(context, id, text, replyTo);
  },
});
