/**
 * Calls a service once per line of standard input, each time with a new session whose options are the line, as JSON.
 * Prints the status of each response, or the code of the error.
 */
import { openSession } from "../../lib/auth/session.ts";
import { toSvcError } from "../../lib/errors.ts";
import { callApi } from "../../tests/harness/fake_service.ts";
import { readLines } from "../../workflows/inputs/lines.ts";

for await (const { text } of readLines(Deno.stdin.readable)) {
  try {
    console.log(await callApi(openSession(JSON.parse(text ?? ""))));
  } catch (error) {
    const { code, message } = toSvcError(error);
    console.log(`${code} ${message}`);
  }
}
