import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc workflow init`. */
export const initCommand: LocalCommand = localCommand({
  summary: "Write a starter script, and the configuration for an editor to check it",
  args: [{ name: "folder", help: "Directory to write to", type: "path", default: "." }],
  example: "workflows",
  async run(context, { folder }) {
    const { initWorkflows } = await import("../../../workflows/scripts/init.ts");
    await context.print(await initWorkflows(folder));
  },
});
