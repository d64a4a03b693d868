/** An application for a permit, as the intake desk takes it: shared by the examples. */
import type { JsonObject, JsonValue } from "@svc/lib/workflow";

/** The content of an application, with numbers as numbers; throws for one that lacks what the desk must know. */
export function checkApplication({ Applicant, Email, Channel, Address, Area, Urgent }: JsonObject): JsonObject {
  if (isMissing(Applicant)) throw new Error("The application names no Applicant.");
  if (isMissing(Address)) throw new Error("The application names no Address.");
  const area = Number(Area ?? 0);
  if (!Number.isFinite(area)) throw new Error(`The Area is no number: ${Area}`);
  return {
    Applicant,
    Email,
    Channel: Channel || undefined,
    Address,
    Area: area,
    Urgent: Urgent === true || Urgent === "yes",
  };
}

function isMissing(value: JsonValue | undefined): boolean {
  return typeof value !== "string" || value.trim() === "";
}
