/** Compiles what must hold for something to be done. */
import type { Condition } from "../model/application.ts";
import type { Vocabulary } from "./expressions.ts";
import type { Path, Report } from "../findings.ts";

/** What conditions are compiled with. */
export interface ConditionContext {
  /** What they can name. */
  readonly words: Vocabulary;
  /** Collects what is wrong. */
  readonly report: Report;
}

/** Compiles a condition: one in CEL, one that is decided, or one that is not written and always holds. */
export function compileCondition(
  written: boolean | string | undefined,
  at: Path,
  { words, report }: ConditionContext,
): Condition {
  return typeof written === "string" ? words.condition(written, at, report) : () => written ?? true;
}
