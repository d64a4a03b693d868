import { SvcError } from "../../../lib/errors.ts";
import { localCommand } from "../local_command.ts";

/** `svc next` */
export const next = localCommand({
  summary: "Take your most urgent assignment and show it",
  details:
    "Looks in your worklist and your queues. Of equally urgent work, it takes the oldest. Then - stands for its case.",
  example: ["", "--fields id"],
  seeAlso: ["inbox --help", "assignments perform --help", "work release --help"],
  prefersView: true,
  async run(context) {
    const [{ callAndPrint }, { default: operations }] = await Promise.all([
      import("../operations.ts"),
      import("../../../lib/resources/assignments.ts"),
    ]);
    try {
      await callAndPrint(context, { name: "assignments.get-next", operation: operations.getNext }, {});
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== "NOT_FOUND") throw error;
      const hint = { commands: [{ args: ["do"], purpose: "to start a new case" }] };
      throw error.with({ hint, details: [] }, "There is no work for you: your worklist and your queues are empty.");
    }
  },
});
