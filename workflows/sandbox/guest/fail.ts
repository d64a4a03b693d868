/** The end of a sandbox whose script failed. */
import { flush, send } from "./channel.ts";
import { FromSandbox } from "../protocol/messages.ts";
import { recordOf } from "./script_error.ts";

const exit: typeof Deno.exit = Deno.exit;

/** Tells the parent what the script failed with, and ends the process. */
export function fail(thrown: unknown): never {
  send({ kind: FromSandbox.failure, id: 0, text: JSON.stringify(recordOf(thrown)) });
  flush();
  exit(1);
}
