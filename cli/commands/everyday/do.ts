import { localCommand } from "../local_command.ts";
import { SET } from "../operations.ts";

/** `svc do` */
export const doCommand = localCommand({
  summary: "Fill in the forms of a case until none is left for you",
  details:
    "Without an argument, you pick from your open work or start a new case. Each form shows the fields that you " +
    "can read, keeps their current values, and lists your changes before you submit it. Ctrl-C offers to save a draft.",
  args: [{
    name: "id",
    help: "Short ID or handle of a case, handle of an assignment, or -",
    type: "string",
    values: "cases and assignments",
    optional: true,
  }],
  flags: {
    action: { help: "First action or optional process, by ID or name", type: "string" },
    data: { help: "Initial values of the first form: JSON, @file or -", type: "object" },
    set: { ...SET, type: "list" },
  },
  example: ["", "P-1", "- --action Expedite", "P-1 --set Channel=Desk --set 'Documents[+].Title=Site plan'"],
  seeAlso: ["inbox --help", "help handles", "assignments perform --help"],
  prefersView: true,
  async run(context, start) {
    const { doWork } = await import("../../work/do_work.ts");
    await doWork(context, start);
  },
});
