import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc completion bash`. */
export const bash: LocalCommand = localCommand({
  summary: "Print the completion script for bash",
  details: "Add this line to ~/.bashrc: source <(svc completion bash)",
  example: ["", "> ~/.local/share/bash-completion/completions/svc"],
  seeAlso: ["completion zsh --help", "completion fish --help"],
  async run({ io }) {
    const { SCRIPTS } = await import("../../completion/scripts.ts");
    io.stdout.write(SCRIPTS.bash);
  },
});
