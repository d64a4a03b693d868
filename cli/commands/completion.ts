/** The commands of `svc completion`: scripts for shells, and what those ask. */
import { type LocalCommand, localCommand, type LocalGroup } from "./local_command.ts";

const line = {
  name: "line",
  help: "What was typed up to the cursor, from 'svc' on",
  type: "string",
  required: true,
} as const;

/** The command that prints the script of a shell. */
function scriptOf(shell: "bash" | "fish" | "zsh", advice: string): LocalCommand {
  return localCommand({
    summary: `Print what makes ${shell} complete svc`,
    details: advice,
    example: "",
    async run({ io }) {
      const { SCRIPTS } = await import("../completion/scripts.ts");
      io.stdout.write(SCRIPTS[shell]);
    },
  });
}

/** The commands by name. */
export const commands: LocalGroup = {
  bash: scriptOf("bash", "Write into ~/.bashrc: source <(svc completion bash)"),
  zsh: scriptOf("zsh", "Write into ~/.zshrc, after compinit: source <(svc completion zsh)"),
  fish: scriptOf("fish", "Write it to a file: svc completion fish > ~/.config/fish/completions/svc.fish"),
  words: localCommand({
    summary: "Print what may come next on a command line: a word and what it is about per line",
    details: "The scripts of the shells ask it. Where a file may come it prints nothing: the shell knows those.",
    args: [line],
    example: `"svc workflow re"`,
    async run({ io }, { line }) {
      const { nextWords } = await import("../completion/words.ts");
      for (const { word, about } of await nextWords(line)) io.stdout.write(`${word}\t${about}\n`);
    },
  }),
};
