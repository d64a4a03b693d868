import { readProfiles } from "../../../../lib/auth/profiles.ts";
import type { Suggestion } from "../../command.ts";

/** Suggests the profiles for shell completion. */
export function suggestProfiles(): Suggestion[] {
  return Object.entries(readProfiles()).map(([word, { baseUrl = "" }]) => ({ word, about: baseUrl }));
}
