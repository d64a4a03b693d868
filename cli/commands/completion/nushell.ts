import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc completion nushell`. */
export const nushell: LocalCommand = localCommand({
  summary: "Print the completion script for Nushell",
  details:
    "Write the script to a file that Nushell runs at its start: svc completion nushell | save -f ($nu.default-config-dir | path join autoload svc.nu)",
  example: "",
  seeAlso: ["completion bash --help"],
  async run({ io }) {
    const { SCRIPTS } = await import("../../completion/scripts.ts");
    io.stdout.write(SCRIPTS.nushell);
  },
});
