import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc workflow init`. */
export const initCommand: LocalCommand = localCommand({
  summary: "Write a starter script and an editor configuration",
  args: [{ name: "folder", help: "Directory to write to", type: "path", default: "." }],
  example: "workflows",
  async run(context, { folder }) {
    const { initWorkflows } = await import("../../../workflows/scripts/init.ts");
    await context.print(await initWorkflows(folder));
  },
});
