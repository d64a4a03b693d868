import { SvcError } from "../../../lib/errors.ts";
import { createJsonLog, describeDroppedAsJson, type Log, LOG_FORMATS } from "../../../lib/telemetry/log.ts";
import { toKebab } from "../../../lib/operation/operation.ts";
import { callerOptions } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { storePasswordFlags, toPasswordSource } from "../store_password.ts";
import { lowerFirst, pluralize } from "../../../utils/text/wording.ts";
import type { JournalLocation } from "../../../workflows/runs/hints.ts";
import { grants, journalFile, parseRate } from "../workflow/shared/flags.ts";

/** Default of --concurrency. */
const CONCURRENCY = 4;

/** `svc worker start`. */
export const startCommand: LocalCommand = localCommand({
  summary: "Run scheduled workflows and the inputs of shared runs, until Ctrl-C",
  details:
    "Starts the schedules of 'svc workflow schedule add' when they are due, and continues interrupted runs. Logs go " +
    "to stderr, and results to the journal. Only one worker at a time runs the schedules of a journal file: a second " +
    "one waits. At Ctrl-C or SIGTERM, the worker records the responses to open calls. The runs continue when a worker " +
    "starts again. With --store, the worker runs the schedules of a journal in PostgreSQL, and the inputs of " +
    "'svc workflow run --workers'. Any number of workers can do so, each with its own profile and grants. If a " +
    "worker dies, others continue its inputs. With --until-idle, the command exits with 1 if a run that it ended failed.",
  flags: {
    untilIdle: { help: "Do the work that is due, and exit when nothing is in progress", type: "boolean" },
    journal: { ...journalFile.journal, excludes: ["store"] },
    store: {
      help: "PostgreSQL journal to take inputs from, e.g. postgres://svc@db.example.org/city",
      type: "string",
      placeholder: "location",
    },
    ...storePasswordFlags,
    concurrency: {
      help: `With --store, inputs to process at the same time (default: ${CONCURRENCY})`,
      type: "integer",
    },
    callRate: {
      help: "With --store, calls to the service per second that all its workers may make together, e.g. 50/s",
      type: "string",
      placeholder: "n/s",
    },
    metrics: {
      help: "With --store, serve metrics for Prometheus on a port of 127.0.0.1, or on an address such as 10.0.0.5:9465",
      type: "string",
      placeholder: "address",
    },
    logFormat: {
      help: "Format of the log lines on stderr",
      type: "string",
      choices: LOG_FORMATS,
      default: "text",
    },
    allow: { ...grants.allow, help: `With --store, ${lowerFirst(grants.allow.help)}` },
  },
  example: ["", "--until-idle", "--store postgres://svc@db.example.org/city --allow 'cases.*'"],
  seeAlso: ["workflow schedule add --help"],
  async run(context, { untilIdle, journal, store, concurrency, callRate, metrics, logFormat, allow, ...password }) {
    const { escapeToOneLine } = await import("../../../utils/text/control_characters.ts");
    const { io, signal, globals: { quiet } } = context;
    io.stderr.startQueue?.(logFormat === "json" ? describeDroppedAsJson : undefined);
    const write = (line: string) => {
      if (!quiet) io.stderr.write(`${line}\n`);
    };
    const log: Log = logFormat === "json"
      ? createJsonLog(write)
      : (text) => write(`${new Date().toISOString()} ${escapeToOneLine(text)}`);
    if (store !== undefined) {
      const { runWorker } = await import("../../../workflows/workers/worker.ts");
      const service = callerOptions(context);
      const failed = await runWorker({
        store,
        password: toPasswordSource(password),
        concurrency: concurrency ?? CONCURRENCY,
        allow: allow ?? [],
        service,
        callRate: callRate === undefined ? undefined : parseRate(callRate, "--call-rate", "calls"),
        untilIdle,
        metrics,
        signal,
        log,
      });
      return await checkRuns(failed, { path: store, password: toPasswordSource(password) });
    }
    const [withStore] = Object.entries({ concurrency, callRate, metrics, allow, ...password }).filter(([, value]) =>
      value !== undefined
    );
    if (withStore !== undefined) {
      throw new SvcError("INVALID_ARGS", `--${toKebab(withStore[0])} needs --store.`, {
        hint: "Name the journal of the workers with --store. Scheduled runs have their own grants and limits.",
      });
    }
    const { isPostgresLocation } = await import("../../../utils/postgres/location.ts");
    if (journal !== undefined && isPostgresLocation(journal)) {
      throw new SvcError(
        "INVALID_ARGS",
        "svc worker start takes a PostgreSQL location with --store, not with --journal.",
        {
          hint: {
            commands: [{ args: ["worker", "start", "--store", journal], purpose: "to run its schedules and inputs" }],
          },
        },
      );
    }
    const { runSchedules } = await import("../../../workflows/schedules/schedule_worker.ts");
    const failed = await runSchedules({ ...callerOptions(context), journal, signal, untilIdle, log });
    await checkRuns(failed, journal === undefined ? undefined : { path: journal });
  },
});

/** Throws the error of a worker whose runs failed. */
async function checkRuns(failed: readonly string[], location: JournalLocation | undefined): Promise<void> {
  if (failed.length === 0) return;
  const { toListCommand } = await import("../../../workflows/runs/hints.ts");
  throw new SvcError("WORKFLOW_FAILED", `${pluralize(failed.length, "run")} failed: ${failed.join(", ")}.`, {
    hint: { text: "The log says why.", commands: [toListCommand(location, "to list the runs")] },
  });
}
