import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc completion powershell`. */
export const powershell: LocalCommand = localCommand({
  summary: "Print the completion script for PowerShell",
  details: "Add this line to the file that $PROFILE names: svc completion powershell | Out-String | Invoke-Expression",
  example: "",
  seeAlso: ["completion bash --help"],
  async run({ io }) {
    const { SCRIPTS } = await import("../../completion/scripts.ts");
    io.stdout.write(SCRIPTS.powershell);
  },
});
