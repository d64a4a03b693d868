import { localCommand } from "../local_command.ts";

/** `svc next` */
export const next = localCommand({
  summary: "Take your most urgent assignment and show it",
  details: "It is the most urgent, then oldest one in your worklist and your queues. Then - stands for its case.",
  example: ["", "--fields id"],
  seeAlso: ["inbox --help", "assignments perform --help", "work release --help"],
  prefersView: true,
  async run(context) {
    const [{ callAndPrint }, { default: operations }] = await Promise.all([
      import("../operations.ts"),
      import("../../../lib/resources/assignments.ts"),
    ]);
    await callAndPrint(context, { name: "assignments.get-next", operation: operations.getNext }, {});
  },
});
