import { EDIT_DETAILS } from "../../work/edit_details.ts";
import { localCommand } from "../local_command.ts";

/** `svc edit` */
export const edit = localCommand({
  summary: "Edit the fields of a case or a draft in an editor",
  details:
    "Opens the editor that VISUAL or EDITOR names. Save and close it to submit the changes, or save an empty file " +
    "to cancel. If the case changes while you edit it, the editor opens again with both changes. For an assignment, " +
    "the changes are saved as a draft.",
  args: [{
    name: "id",
    help: "Short ID or handle of a case, handle of an assignment, or -",
    type: "string",
    values: "cases and assignments",
    required: true,
  }],
  flags: {
    action: { help: `Action whose form to edit (default for a case: ${EDIT_DETAILS})`, type: "string" },
  },
  example: ["P-1", "P-1 --action Expedite", "'ASSIGN-WORKLIST ACME-WORK C-1!REVIEW'"],
  seeAlso: ["help handles", "cases perform-action --help", "assignments save --help"],
  prefersView: true,
  async run(context, { id, action }) {
    const { editCaseOrDraft } = await import("../../edit/edit_case_or_draft.ts");
    await editCaseOrDraft(context, id, action);
  },
});
