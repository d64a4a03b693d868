import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc completion zsh`. */
export const zsh: LocalCommand = localCommand({
  summary: "Print the completion script for zsh",
  details: "Add this line to ~/.zshrc, after compinit: source <(svc completion zsh)",
  example: "",
  seeAlso: ["completion bash --help", "completion fish --help"],
  async run({ io }) {
    const { SCRIPTS } = await import("../../completion/scripts.ts");
    io.stdout.write(SCRIPTS.zsh);
  },
});
