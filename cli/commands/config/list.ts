import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc config list`. */
export const listSettingsCommand: LocalCommand = localCommand({
  summary: "List the settings",
  reads: true,
  example: ["", "--format table"],
  seeAlso: ["config set --help"],
  prefersView: true,
  async run(context) {
    const { listSettings } = await import("./shared/list_settings.ts");
    await context.print(listSettings(context));
  },
});
