/** Files that are open to people other than their owner. */
import type { Warn } from "../client/callback.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";

/** What the mode of a file lets its group and all others do. */
const WAYS = { read: 0o044, change: 0o022 } as const;

type Way = keyof typeof WAYS;

/** Warns of a file with a secret that people other than its owner can read or change. */
export function warnIfExposed(path: string, warn: Warn): void {
  warnOfOthers(path, "holds a secret", warn);
}

/** Warns of a file or directory that is open to others in one of these ways. */
export function warnOfOthers(path: string, what: string, warn: Warn, ways: readonly Way[] = ["read", "change"]): void {
  const { mode, isDirectory } = Deno.statSync(path);
  const open = openWays(mode, ways).join(" and ");
  const own = isDirectory ? 700 : 600;
  if (open !== "") warn(`${path} ${what} and others can ${open} it. Run: chmod ${own} ${shellQuote(path)}`);
}

/** The ways in which a mode is open to others. On Windows it says nothing of them: Deno makes one up, open to all. */
export function openWays(mode: number | null, ways: readonly Way[], os: string = Deno.build.os): readonly Way[] {
  return os === "windows" ? [] : ways.filter((way) => ((mode ?? 0) & WAYS[way]) !== 0);
}
