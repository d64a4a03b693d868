import { PROFILE_DEFAULTS } from "../../../lib/auth/profiles.ts";
import { SvcError } from "../../../lib/errors.ts";
import { describeDroppedAsJson, LOG_FORMATS } from "../../../lib/telemetry/log.ts";
import type { StartReport } from "../../../service/admin/start.ts";
import { DEFAULT_MAX_FILE, MEMORY } from "../../../service/server/settings.ts";
import { printWarnings } from "../../context.ts";
import type { CommandContext } from "../command.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";
import { filesFlags, storeFlags } from "./store_flags.ts";

/** `svc service start`. */
export const startCommand: LocalCommand = localCommand({
  summary: "Start the embedded service",
  details: "The first start creates a client with a random secret and writes its profile, so that the other commands " +
    "work at once. Without --detach the service runs until Ctrl-C or 'svc service stop'. Data from an earlier " +
    "version of svc is upgraded first: the command shows the progress, keeps a copy, and continues an " +
    "interrupted upgrade. With --store, the data is in a PostgreSQL database, which several services can share. " +
    "Each of them needs its own data directory for its address and log.",
  flags: {
    port: {
      help:
        "Port to listen on; 0 selects a free port (default: the last port of the data directory, or 8080; if in use, the next free port)",
      type: "integer",
    },
    data: { ...dataFlag, help: `${dataFlag.help}; ':memory:' keeps nothing on disk` },
    ...storeFlags,
    ...filesFlags,
    app: {
      help: "Application definition (default: the last one used, or the sample application)",
      type: "path",
      placeholder: "file",
    },
    apiRoot: { help: "Path of the API", type: "string", default: PROFILE_DEFAULTS.apiRoot },
    tokenPath: { help: "Path of the token endpoint", type: "string", default: PROFILE_DEFAULTS.tokenPath },
    maxFile: {
      help: "Maximum size of an uploaded file in MiB",
      type: "integer",
      placeholder: "mib",
      default: String(DEFAULT_MAX_FILE),
    },
    allowHost: {
      help: "Name by which clients may reach the service, besides loopback addresses; repeatable",
      type: "list",
      repeatable: true,
      placeholder: "name",
    },
    cors: {
      help: "Origin of web pages that may call the service, or '*'; repeatable",
      type: "list",
      repeatable: true,
      placeholder: "origin",
    },
    maxConnections: {
      help: "Maximum number of connections (default: derived from the limit of open files, at most 2048)",
      type: "integer",
      placeholder: "n",
    },
    maxAnonymous: {
      help: "Maximum number of unauthenticated connections from one address (default: half of --max-connections)",
      type: "integer",
      placeholder: "n",
    },
    acceptMismatch: { help: "Start even if the definition does not fit the stored data", type: "boolean" },
    operator: {
      help: "Operator of the profile (default: the last one used, or the first one of the application)",
      type: "string",
    },
    strict: {
      help: "Follow the published API: demand entity tags (428), refuse unknown names and mixed paging (400)",
      type: "boolean",
    },
    watch: { help: "Reload the definition when its file changes, for development", type: "boolean" },
    logRequests: { help: "Log each request to stderr, or to the log if detached", type: "boolean" },
    logFormat: {
      help: "Format of the log lines",
      type: "string",
      choices: LOG_FORMATS,
      default: "text",
    },
    metrics: {
      help: "Serve metrics for Prometheus on a port of 127.0.0.1, or on an address such as 10.0.0.5:9464",
      type: "string",
      placeholder: "address",
    },
    detach: { help: "Run in the background", type: "boolean" },
  },
  example: [
    "--port 0 --detach",
    "--app permits.yaml --data permits",
    "--app permits.yaml --watch --log-requests",
    "--store 'postgres://svc@db.example.org/city?schema=permits' --store-password-command 'pass show city'",
    "--store postgres://svc@db.example.org/city --files 's3://city-files/permits?region=eu-central-1'",
    "--data :memory: > service.json",
  ],
  seeAlso: ["service stop --help", "service add-client --help", "help profiles"],
  prefersView: true,
  async run(context, { detach, ...options }) {
    const startOptions = { ...options, profile: context.globals.profile };
    if (detach) {
      const { startDetached } = await import("../../../service/admin/detach.ts");
      return await printReport(context, await startDetached(startOptions, context), false);
    }
    const { io } = context;
    io.stderr.startQueue?.(options.logFormat === "json" ? describeDroppedAsJson : undefined);
    const log = (line: string) => io.stderr.write(`${line}\n`);
    const { serveUntilStopped } = await import("../../../service/admin/start.ts");
    const started = async (report: StartReport) => {
      await printReport(context, report, true).catch((error) => {
        if (!(error instanceof SvcError) || error.code !== "OUTPUT_FAILED") throw error;
        context.note(`Warning: ${error.message} The service runs at ${report.url}.`);
      });
    };
    await serveUntilStopped({ ...startOptions, log }, { signal: context.signal, note: context.note, started });
  },
});

async function printReport(context: CommandContext, report: StartReport, inForeground: boolean): Promise<void> {
  const { getDefaultDirectory, resolveDataDirectory, warnIfOpen } = await import(
    "../../../service/server/directory.ts"
  );
  if (report.data !== MEMORY) warnIfOpen(report.data, printWarnings(context));
  await context.print(report);
  if (!context.io.stderr.isTerminal()) return;
  const { listNextCommands } = await import("./service_text.ts");
  const isDefault = report.data === resolveDataDirectory(getDefaultDirectory());
  for (const line of listNextCommands(report, { isDefault, inForeground })) context.note(line);
}
