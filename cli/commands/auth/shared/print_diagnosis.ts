import type { DiagnosisResult } from "../../../../lib/auth/diagnose.ts";
import { SvcError } from "../../../../lib/errors.ts";
import { printResult } from "../../../render/print_result.ts";
import { layOutPage } from "../../../view/page.ts";
import { formatTime } from "../../../view/format_time.ts";
import type { CommandContext } from "../../command.ts";

/** Prints a line for each layer at a terminal, and the diagnosis as data elsewhere. Throws the error of a failed layer. */
export async function printDiagnosis(context: CommandContext, diagnosis: DiagnosisResult): Promise<void> {
  const { globals, io: { stdout } } = context;
  if (globals.isDataRequested || !stdout.isTerminal()) {
    return await printResult(context, diagnosis, findFailure(diagnosis));
  }
  stdout.write(formatDiagnosis(diagnosis, stdout.columns()));
  const failure = findFailure(diagnosis);
  if (failure !== undefined) throw failure;
}

/** Formats a diagnosis for people: each layer that was tested, with its result. */
export function formatDiagnosis({ steps }: DiagnosisResult, columns: number | undefined): string {
  const tested = steps.filter(({ ok, code }) => ok || code !== undefined);
  const rows = tested.map(({ ok, step, result }) => ({
    label: `${ok ? "✓" : "✗"} ${step}`,
    value: result.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, formatTime),
  }));
  return layOutPage([{ rows }], { columns, color: false });
}

/** Returns the error of the layer that failed. */
export function findFailure({ steps }: DiagnosisResult): SvcError | undefined {
  const failed = steps.find((step) => !step.ok);
  return failed && new SvcError(failed.code ?? "INTERNAL_ERROR", failed.result, { hint: failed.hint });
}
