import type { CommandTree } from "../command.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";

/** Creates `svc completion words`, which completes the commands of a tree. */
export const createWordsCommand = (tree: CommandTree): LocalCommand =>
  localCommand({
    summary: "Print the words that complete a command line, each with a description",
    details:
      "The completion scripts call this command. It prints nothing where a file name is expected, which the shell " +
      "completes itself.",
    args: [{
      name: "line",
      help: "Command line up to the cursor, starting with 'svc'",
      type: "string",
      required: true,
    }],
    example: ["'svc workflow re'", "'svc cases get --format '"],
    seeAlso: ["completion bash --help"],
    async run({ io }, { line }) {
      const { nextWords } = await import("../../completion/words.ts");
      const lines = (await nextWords(line, tree)).map(({ word, about }) => `${word}\t${about}\n`);
      io.stdout.write(lines.join(""));
    },
  });
