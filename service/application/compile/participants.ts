/** Participant roles: their part of the application format, and its compilation. */
import { z } from "zod";
import type { Field, View } from "../model/application.ts";
import { fields, viewField } from "../schema/field_words.ts";
import { compileFields, compileView, spaced } from "./fields.ts";
import type { Path, Report } from "../findings.ts";
import { text } from "../schema/words.ts";

/** Class of every participant. */
export const PARTICIPANT_CLASS = "Data-Party";

/** A participant role. */
export const participantRole = z.strictObject({
  name: text.optional(),
  multiple: z.boolean().default(false).describe("Whether a case may have several participants in this role"),
  moreFields: fields.optional().describe("Fields besides those that every participant has, e.g. pyFirstName"),
  fields: z.array(viewField).optional().describe(
    "The form of a participant; pyFirstName, pyLastName, pyEmail1 and pyPhoneNumber without it",
  ),
});

/** In which capacity somebody takes part in a case. */
export interface ParticipantRole {
  /** ID, e.g. `Applicant`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Whether a case may have several participants in this role. */
  readonly multiple: boolean;
  /** Fields of a participant by name, in order. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The form of a participant. */
  readonly view: View;
}

/** The fields that every participant has. */
const COMMON_FIELDS: z.infer<typeof fields> = {
  pyFirstName: { type: "Text", label: "First name", maxLength: 80 },
  pyLastName: { type: "Text", label: "Last name", maxLength: 80 },
  pyFullName: { type: "Text", label: "Full name", maxLength: 160 },
  pyTitle: { type: "Text", label: "Title", maxLength: 80 },
  pyEmail1: { type: "Email", label: "E-mail" },
  pyPhoneNumber: { type: "Phone", label: "Phone" },
  pyPartyLabel: { type: "Text", label: "Label", maxLength: 160 },
  pyWorkPartyUri: { type: "Text", label: "ID", maxLength: 160 },
  pyImageInsKey: { type: "Text", label: "Image", maxLength: 160 },
};
const COMMON_VIEW = ["pyFirstName", "pyLastName", "pyEmail1", "pyPhoneNumber"];

/** Compiles the participant roles of a case type. */
export function compileParticipantRoles(
  definitions: Readonly<Record<string, z.infer<typeof participantRole>>> = {},
  at: Path,
  report: Report,
): Map<string, ParticipantRole> {
  const roles = new Map<string, ParticipantRole>();
  for (const [id, definition] of Object.entries(definitions)) {
    const here = [...at, id];
    const { name = spaced(id), multiple, moreFields, fields: shown } = definition;
    const known = { ...COMMON_FIELDS, ...moreFields };
    const { fields } = compileFields(known, PARTICIPANT_CLASS, [...here, "moreFields"], report);
    const view = compileView(id, name, shown ?? COMMON_VIEW, fields, [...here, "fields"], report);
    roles.set(id, { id, name, multiple, fields, view });
  }
  return roles;
}
