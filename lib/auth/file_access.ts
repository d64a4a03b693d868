import type { Warn } from "../client/callback.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";

/** Bits of a file mode that give access to users other than the owner. */
const MODE_BITS = { read: 0o044, change: 0o022 } as const;

type Access = keyof typeof MODE_BITS;

/** Warns if users other than the owner can read or change a file that contains a secret. */
export function warnIfSecretExposed(path: string, warn: Warn): void {
  warnIfOpenToOthers(path, "contains a secret", warn);
}

/** Warns if users other than the owner have one of the accesses. The description completes a sentence about the file. */
export function warnIfOpenToOthers(
  path: string,
  description: string,
  warn: Warn,
  accesses: readonly Access[] = ["read", "change"],
): void {
  const { mode, isDirectory } = Deno.statSync(path);
  const open = findOpenAccess(mode, accesses).join(" and ");
  const privateMode = isDirectory ? 700 : 600;
  if (open === "") return;
  warn(`${path} ${description}, and others can ${open} it. Run: chmod ${privateMode} ${shellQuote(path)}`);
}

/** Returns the accesses that a file mode gives to others. Ignores the mode on Windows, where Deno makes it up. */
export function findOpenAccess(
  mode: number | null,
  accesses: readonly Access[],
  os: string = Deno.build.os,
): readonly Access[] {
  return os === "windows" ? [] : accesses.filter((access) => ((mode ?? 0) & MODE_BITS[access]) !== 0);
}
