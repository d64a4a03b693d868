/** Names of time zones. */
import { isAbsolute } from "node:path";
import { SvcError } from "../../lib/errors.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";

/** Reports whether a text is the name of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Returns the IANA name of the time zone of this machine. Throws `INVALID_ARGS` if it has none. */
export async function findLocalTimeZone(): Promise<string> {
  const variable = readTimeZoneVariable();
  const name = variable === undefined ? Intl.DateTimeFormat().resolvedOptions().timeZone : await toName(variable);
  if (name !== undefined && /^[A-Za-z]/.test(name) && isTimeZone(name)) return name;
  const setting = variable === undefined ? "" : `: TZ is ${JSON.stringify(variable)}`;
  throw new SvcError("INVALID_ARGS", `The time zone of this machine has no IANA name${setting}.`, {
    hint: { options: [{ name: "timeZone", purpose: "to choose one, such as Europe/Berlin or UTC" }] },
  });
}

/** Reads `TZ`. Deno ignores some of its values, such as paths, and misreads others, such as `GMT+5`. */
function readTimeZoneVariable(): string | undefined {
  const mayRead = Deno.permissions.querySync({ name: "env", variable: "TZ" }).state === "granted";
  return mayRead ? Deno.env.get("TZ") : undefined;
}

/** Returns the name in a value of TZ: a name, or the path of a file in the time zone database. */
async function toName(variable: string): Promise<string | undefined> {
  const value = variable.replace(/^:/, "");
  if (!isAbsolute(value)) return value;
  const path = await Deno.realPath(value).catch(ignoreMissing);
  return path && /\/zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(path)?.[1];
}
