import { type LocalCommand, localCommand } from "../local_command.ts";
import {
  grants,
  journal,
  maxOutage,
  newRun,
  onUnknown,
  runLimits,
  sandbox,
  script,
  toWorkOptions,
} from "./shared/flags.ts";

/** `svc workflow work`. */
export const workCommand: LocalCommand = localCommand({
  summary: "Run a script once per assignment of a queue, until Ctrl-C",
  details:
    "Takes the most urgent assignment of the queue, or the oldest of equal urgency, and runs the script with it as the " +
    "input. Its ID is input.assignment. If the script fails, the assignment is given back to its queue. After " +
    "--max-attempts failures, it is parked. If the script throws an error with the name BusinessError, the assignment " +
    "is routed or parked at once. Stdout gets one line of JSON per assignment. At Ctrl-C or SIGTERM, assignments in " +
    "progress are completed. After a crash, the same command continues them. With a journal in PostgreSQL, several robots " +
    "share a queue. If one is killed, another continues its assignments. The command needs the embedded service.",
  args: [script],
  flags: {
    queue: {
      help: "Queue to take assignments from",
      type: "string",
      required: true,
      placeholder: "queue",
      values: "queues",
    },
    ...grants,
    ...sandbox,
    concurrency: { ...newRun.concurrency, help: "Assignments to work on at the same time" },
    callRate: { ...newRun.callRate, help: "Calls to the service per second that this robot may make, e.g. 50/s" },
    maxAttempts: { help: "Failures after which an assignment is parked", type: "integer", default: "3" },
    retryDelay: {
      help: "Seconds before a failed assignment is taken again, times its number of failures",
      type: "integer",
      placeholder: "seconds",
      default: "60",
    },
    parkQueue: {
      help: "Queue for parked assignments (default: they stay in your worklist)",
      type: "string",
      placeholder: "queue",
      values: "queues",
    },
    routeQueue: {
      help: "Queue for assignments with a business failure (default: they are parked)",
      type: "string",
      placeholder: "queue",
      values: "queues",
    },
    force: { help: "Continue even if the script no longer matches its history", type: "boolean" },
    untilEmpty: { help: "Exit when no assignment is available", type: "boolean" },
    ...journal,
    ...maxOutage,
    ...runLimits,
    ...onUnknown,
  },
  example: "check.ts --queue Review --concurrency 8 --route-queue Inspection --allow-declared",
  seeAlso: ["work take --help", "work release --help"],
  async run(context, { queue, maxAttempts, retryDelay, parkQueue, routeQueue, untilEmpty = false, ...flags }) {
    const { openRunsFor } = await import("./shared/open_runs.ts");
    const { createAsk, describeOutage, formatLine } = await import("./shared/process_run.ts");
    const { workOnQueue } = await import("../../../workflows/robots/work_on_queue.ts");
    const { callerOptions } = await import("../../context.ts");
    const { prefixLines } = await import("../../../utils/text/control_characters.ts");
    const { io, signal, note, globals: { fields } } = context;
    const { writeWaiting } = await import("../../io/io.ts");
    io.stderr.startQueue?.();
    await using runs = openRunsFor(context, flags);
    await workOnQueue(runs, callerOptions(context), {
      queue,
      maxAttempts,
      retryMilliseconds: retryDelay * 1000,
      parkQueue,
      routeQueue,
      untilEmpty,
      drain: signal,
      log: note,
      onResult: (result) => writeWaiting(io.stdout, formatLine(result, fields?.names), signal),
      start: {
        ...flags,
        ...toWorkOptions(flags),
        ask: createAsk(io),
        onLog: (text, input) => io.stderr.write(prefixLines(text, `${input}: `)),
        onOutage: (outage) => note(describeOutage(outage)),
      },
    });
  },
});
