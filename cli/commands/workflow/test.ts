import { prefixLines } from "../../../utils/text/control_characters.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { sandbox, script, toWorkOptions } from "./shared/flags.ts";

/** `svc workflow test`. */
export const testCommand: LocalCommand = localCommand({
  summary: "Run a script against its cassettes, offline",
  details: "Nothing is sent and no profile is read: calls get the recorded responses. The script must make the " +
    "same calls in the same order and return the same result, or fail with the same error.",
  args: [script],
  flags: {
    cassette: {
      help: "Cassette, or directory of cassettes; can be repeated",
      type: "list",
      placeholder: "path",
      repeatable: true,
      required: true,
    },
    ...sandbox,
  },
  reads: true,
  example: "intake.ts --cassette intake.cassette.json",
  async run(context, { cassette: paths, ...flags }) {
    const { testCassettes } = await import("../../../workflows/cassette/test_cassettes.ts");
    const { printResults, readCassettes } = await import("./shared/cassettes.ts");
    const cassettes = await readCassettes(context, paths);
    const onLog = (text: string, name: string) =>
      context.io.stderr.write(prefixLines(text, cassettes.length > 1 ? `${name}: ` : ""));
    const options = { ...flags, ...toWorkOptions(flags), onLog, signal: context.signal };
    await printResults(context, testCassettes(cassettes, options));
  },
});
