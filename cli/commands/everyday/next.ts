import { localCommand } from "../local_command.ts";

/** `svc next` */
export const next = localCommand({
  summary: "Take your most urgent assignment and show it",
  details:
    "Looks in your worklist and your queues. Of equally urgent work, it takes the oldest. Then - stands for its case. " +
    "If the service does not offer this, svc shows the most urgent assignment of your worklist.",
  example: ["", "--fields id"],
  seeAlso: ["inbox --help", "assignments perform --help", "work release --help"],
  prefersView: true,
  async run(context) {
    const { showNext } = await import("../../work/show_next.ts");
    await showNext(context);
  },
});
