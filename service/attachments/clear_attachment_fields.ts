import { isJsonObject, type JsonValue } from "../../utils/json.ts";
import { type CaseWork, listDrafts, setDraft } from "../cases/case_work.ts";

/** Clears the attachment fields of a case and its drafts that contain a deleted attachment. */
export function clearAttachmentFields(work: CaseWork, id: string): void {
  const { stored: { content }, type, assignments } = work;
  const names = [...type.fields.values()].filter((field) => field.type === "Attachment").map(({ name }) => name);
  const isDeleted = (value: JsonValue | undefined) => isJsonObject(value) && value.ID === id;
  for (const name of names.filter((name) => isDeleted(content[name]))) {
    work.touch();
    delete content[name];
  }
  for (const assignment of assignments) {
    for (const [action, draft] of listDrafts(assignment)) {
      const cleared = names.filter((name) => isDeleted(draft[name])).map((name) => [name, null] as const);
      if (cleared.length === 0) continue;
      work.touch();
      setDraft(assignment, action, { ...draft, ...Object.fromEntries(cleared) });
      work.putAssignment(assignment);
    }
  }
}
