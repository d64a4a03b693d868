import type { JsonObject, JsonValue } from "@svc/lib/workflow";

/** Checks the content of a permit application and converts its numbers. Throws if a required field is missing. */
export function checkApplication({ Applicant, Email, Channel, Address, Area, Urgent }: JsonObject): JsonObject {
  if (isMissing(Applicant)) throw new Error("The application has no Applicant.");
  if (isMissing(Address)) throw new Error("The application has no Address.");
  const area = Number(Area ?? 0);
  if (!Number.isFinite(area)) throw new Error(`The Area is not a number: ${Area}`);
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
