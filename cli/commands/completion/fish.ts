import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc completion fish`. */
export const fish: LocalCommand = localCommand({
  summary: "Print the completion script for fish",
  details: "Write the script to a file: svc completion fish > ~/.config/fish/completions/svc.fish",
  example: ["", "> ~/.config/fish/completions/svc.fish"],
  seeAlso: ["completion bash --help", "completion zsh --help"],
  async run({ io }) {
    const { SCRIPTS } = await import("../../completion/scripts.ts");
    io.stdout.write(SCRIPTS.fish);
  },
});
