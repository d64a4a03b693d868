import { compareForPeople } from "../../utils/text/collator.ts";
import type { Suggestion } from "../commands/command.ts";

/** Maximum number of suggested files. */
const MAX_FILES = 500;

/** Suggests the files after `@`. */
export function suggestFiles(start: string): Suggestion[] {
  const path = start.slice("@".length);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const directory = folder === "" ? "." : folder;
  // Deno would prompt for the permission.
  if (Deno.permissions.querySync({ name: "read", path: directory }).state !== "granted") return [];
  const found: Suggestion[] = [];
  try {
    for (const { name, isDirectory } of Deno.readDirSync(directory)) {
      if (name.startsWith(".") && !path.slice(folder.length).startsWith(".")) continue;
      found.push({ word: `@${folder}${name}${isDirectory ? "/" : ""}`, about: "" });
      if (found.length === MAX_FILES) break;
    }
  } catch {
    return []; // There is no such directory, or it cannot be read.
  }
  return found.sort((a, b) => compareForPeople(a.word, b.word));
}
