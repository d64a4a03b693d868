/** Short names of attachments, such as `P-3/2`, and names of participants, as lists for people show them. */
import { filterObjects, isJsonObject, isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { getShortId } from "./handles.ts";

/**
 * Sorts attachments by age, oldest first, so that new ones do not change the numbers. Services list the newest first.
 */
export function sortByAge<T extends { readonly createTime?: unknown }>(list: readonly T[]): T[] {
  const timeOf = ({ createTime }: T) => String(createTime ?? "");
  return list.toReversed().sort((a, b) => timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0);
}

/** Returns the name of a participant from the fields of its form; undefined if it has none. */
export function nameParticipant(content: unknown): string | undefined {
  if (!isJsonObject(content)) return undefined;
  const parts = [content.pyFirstName, content.pyLastName].filter(isNonEmptyString).join(" ");
  return [content.pyFullName, content.pyLabel, parts, content.pyEmail1].find(isNonEmptyString);
}

/** Replaces the IDs in a list of attachments by short names, and omits repeated members. Adds the names of participants. */
export function addShortNames(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { attachments, participants } = value;
  if (Array.isArray(attachments)) return { ...value, attachments: shortenIds(filterObjects(attachments)) };
  if (Array.isArray(participants)) return { ...value, participants: filterObjects(participants).map(addName) };
  return value;
}

function shortenIds(attachments: readonly JsonObject[]): JsonObject[] {
  const sorted = sortByAge(attachments);
  return attachments.map((attachment) => {
    const [, caseId] = /^LINK-ATTACHMENT (.+)!/.exec(String(attachment.ID)) ?? [];
    if (caseId === undefined) return attachment;
    const { name, fileName, url, createTime, category, categoryName, createdBy, createdByName } = attachment;
    const by = createdByName ?? createdBy;
    return {
      ID: `${getShortId(caseId)}/${sorted.indexOf(attachment) + 1}`,
      ...Object.fromEntries(
        Object.entries({ fileName, name, url, category: categoryName ?? category, createdBy: by, createTime })
          .filter(([, value]) => value !== undefined),
      ),
    };
  });
}

function addName(participant: JsonObject): JsonObject {
  const { ID, ...others } = participant;
  const name = nameParticipant(participant.content);
  return name === undefined ? participant : { ...(ID !== undefined && { ID }), name, ...others };
}
