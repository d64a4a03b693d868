/** `svc support record`: runs a command line and writes what it exchanged with the service to a file. */
import { type SvcError, toSvcError } from "../../lib/errors.ts";
import { VERSION } from "../../lib/version.ts";
import { writePrivateFile } from "../../utils/fs/private_file.ts";
import type { JsonObject } from "../../utils/json.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { CommandContext } from "../commands/command.ts";
import { checkOutput } from "../render/download.ts";
import { type Kind, KINDS } from "./placeholders.ts";
import { Recorder } from "./recorder.ts";
import type { RedactionOptions } from "./redact_body.ts";

/** Options of a record. */
export interface RecordOptions extends RedactionOptions {
  /** File to write. */
  readonly output: string;
  /** True if an existing file may be replaced. */
  readonly replaces: boolean;
}

/** Runs a command line and writes its exchanges, redacted, to a file. Then throws the error of the command. */
export async function recordCommandLine(
  context: CommandContext,
  command: readonly string[],
  { output, replaces, ...redaction }: RecordOptions,
): Promise<void> {
  await checkOutput(output, { replaces });
  const recorder = new Recorder(redaction);
  const { profile } = context.globals;
  const line = profile === undefined ? command : ["--profile", profile, ...command];
  const failure = await context.runLine(line, { ...context.io, fetch: recorder.fetch }).then(
    () => undefined,
    toSvcError,
  );
  const record: JsonObject = {
    program: `svc ${VERSION}`,
    command: recorder.redactLine(command),
    exchanges: recorder.exchanges,
    ...(failure !== undefined && { error: describeError(failure) }),
  };
  if (recorder.exchanges.length > 0) {
    await writePrivateFile(output, JSON.stringify(record, null, 2) + "\n");
    describeRecord(recorder, output).forEach(context.note);
  } else {
    context.note("Nothing was recorded, because the command sent no request.");
  }
  if (failure !== undefined) throw failure;
}

function describeError({ code, status, operation }: SvcError): JsonObject {
  return { code, ...(status !== undefined && { status }), ...(operation !== undefined && { operation }) };
}

function describeRecord({ exchanges, placeholders: { counts } }: Recorder, output: string): string[] {
  const kinds = Object.keys(KINDS).filter((kind): kind is Kind => kind in KINDS);
  const replaced = kinds.filter((kind) => counts.has(kind)).map((kind) => `${KINDS[kind]} (${counts.get(kind)})`);
  return [
    `Recorded ${pluralize(exchanges.length, "request")} in ${output}, which only you can read.`,
    ...(replaced.length === 0 ? [] : [`Replaced: ${replaced.join(", ")}. Left out: credentials, tokens and files.`]),
    "The file was not sent anywhere. Read it before you attach it to a bug report.",
  ];
}
