import type { DiagnosisResult } from "../../../../lib/auth/diagnose.ts";
import { SvcError } from "../../../../lib/errors.ts";
import { escapeToOneLine } from "../../../../utils/text/control_characters.ts";
import { printResult } from "../../../render/print_result.ts";
import type { CommandContext } from "../../command.ts";

/** Prints a line for each layer at a terminal, and the diagnosis as data elsewhere. Throws the error of a failed layer. */
export async function printDiagnosis(context: CommandContext, diagnosis: DiagnosisResult): Promise<void> {
  const { globals, io: { stdout } } = context;
  if (globals.isDataRequested || !stdout.isTerminal()) {
    return await printResult(context, diagnosis, findFailure(diagnosis));
  }
  stdout.write(formatDiagnosis(diagnosis));
  const failure = findFailure(diagnosis);
  if (failure !== undefined) throw failure;
}

/** Formats a diagnosis as one line for each layer that was tested. */
export function formatDiagnosis({ steps }: DiagnosisResult): string {
  const tested = steps.filter(({ ok, code }) => ok || code !== undefined);
  return tested.map(({ ok, step, result }) => escapeToOneLine(`${ok ? "✓" : "✗"} ${step}: ${result}`) + "\n").join("");
}

/** Returns the error of the layer that failed. */
export function findFailure({ steps }: DiagnosisResult): SvcError | undefined {
  const failed = steps.find((step) => !step.ok);
  return failed && new SvcError(failed.code ?? "INTERNAL_ERROR", failed.result, { hint: failed.hint });
}
