/** Results that tell of a failure, and requests that are not sent. */
import type { JsonValue } from "../../utils/json.ts";
import { SvcError } from "../../lib/errors.ts";
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";
import type { CommandContext } from "../commands/command.ts";

/** Prints a result and throws the failure that it tells of, if there is one: also where nobody reads the result. */
export async function printResult(
  context: CommandContext,
  result: JsonValue | undefined,
  failure: SvcError | undefined,
): Promise<void> {
  try {
    await context.print(result);
  } catch (error) {
    throw failure === undefined ? error : unprinted(failure, error);
  }
  if (failure !== undefined) throw failure;
}

/** The failure, with why its result could not be printed: a reader who has gone needs no word of that. */
function unprinted(failure: SvcError, reason: unknown): SvcError {
  if (!(reason instanceof SvcError)) return failure;
  return failure.with({ hint: [reason.message, failure.hint].filter(Boolean).join(" ") });
}

/** Prints a request instead of sending it. */
export function printRequest({ io }: CommandContext, request: string): void {
  io.stdout.write(escapeControlCharacters(request) + "\n");
}
