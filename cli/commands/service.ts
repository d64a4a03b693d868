/** The commands of `svc service`. */
import type { StartReport } from "../../service/admin/start.ts";
import { DEFAULT_MAX_FILE, MEMORY } from "../../service/server/settings.ts";
import { DEFAULT_PATHS } from "../../lib/auth/profile.ts";
import { SvcError } from "../../lib/errors.ts";
import { localCommand, type LocalGroup } from "./local_command.ts";
import type { CommandContext } from "./command.ts";
import { warnOf } from "../service_access.ts";

const data = {
  help: "Data directory, instead of the one beside the profiles",
  type: "path",
  placeholder: "dir",
} as const;

/** The commands by name. */
export const commands: LocalGroup = {
  start: localCommand({
    summary: "Start the embedded service",
    details:
      "The first start makes a client with a random secret and writes its profile, so that the other commands work at once. " +
      "Without --detach it serves until Ctrl-C or 'svc service stop'.",
    flags: {
      port: { help: "Port to listen on; 0 picks a free one", type: "integer", default: "8080" },
      data: { ...data, help: "Data directory, instead of the one beside the profiles; ':memory:' keeps nothing" },
      app: {
        help: "Application definition; without it, the directory's own: the sample application where it is new",
        type: "path",
        placeholder: "file",
      },
      apiRoot: { help: "Path of the API", type: "string", default: DEFAULT_PATHS.apiRoot },
      tokenPath: { help: "Path of the token endpoint", type: "string", default: DEFAULT_PATHS.tokenPath },
      maxFile: {
        help: "MiB that an uploaded file may have",
        type: "integer",
        placeholder: "mib",
        default: String(DEFAULT_MAX_FILE),
      },
      operator: {
        help: "Operator as whom the profile works; without it as before, at first the application's first",
        type: "string",
      },
      detach: { help: "Go on in the background", type: "boolean" },
    },
    example: "--port 0 --detach",
    async run(context, { detach, ...options }) {
      const given = { ...options, profile: context.globals.profile };
      if (detach) {
        const { startDetached } = await import("../../service/admin/detach.ts");
        return await tell(context, await startDetached(given));
      }
      const { serveUntilStopped } = await import("../../service/admin/start.ts");
      await serveUntilStopped(given, { signal: context.signal, started: (report) => tell(context, report) });
    },
  }),
  status: localCommand({
    summary: "Show whether the service runs, and where",
    flags: { data },
    example: "--fields running,url",
    async run(context, given) {
      const { status } = await import("../../service/admin/control.ts");
      await context.print(await status(given));
    },
  }),
  stop: localCommand({
    summary: "Stop the service",
    details: "It finishes the calls in hand. On Windows it ends at once: a call in hand is broken off, and what was " +
      "answered is kept.",
    flags: { data },
    example: "",
    async run(context, given) {
      const { stop } = await import("../../service/admin/control.ts");
      await context.print(await stop(given));
    },
  }),
  reset: localCommand({
    summary: "Remove all that the service has kept",
    flags: { data, stop: { help: "Stop the service first", type: "boolean" } },
    example: "--stop",
    async run(context, { stop, ...given }) {
      const { reset } = await import("../../service/admin/control.ts");
      await context.print(await reset({ ...given, stopFirst: stop }));
    },
  }),
  schema: localCommand({
    summary: "Print the JSON Schema of an application definition",
    details: "An editor completes and checks a definition with it.",
    example: "> application.schema.json",
    async run(context) {
      const { applicationJsonSchema } = await import("../../service/application/schema/definition.ts");
      await context.print(applicationJsonSchema());
    },
  }),
  addClient: localCommand({
    summary: "Make a further client, with an operator of its own, and write its profile",
    details: "--profile names the profile to write. The service may run or not.",
    flags: {
      data,
      operator: { help: "Operator as whom it works", type: "string", required: true },
    },
    example: "--operator decider@city --profile decider",
    async run(context, given) {
      const { addClient } = await import("../../service/admin/add_client.ts");
      await context.print(await addClient({ ...given, profile: requiredProfile(context) }));
    },
  }),
};

/** Tells that the service has started, and what is open to others that should not be. */
async function tell(context: CommandContext, report: StartReport): Promise<void> {
  if (report.data !== MEMORY) {
    const { warnIfOpen } = await import("../../service/server/directory.ts");
    warnIfOpen(report.data, warnOf(context));
  }
  await context.print(report);
}

function requiredProfile({ globals: { profile } }: CommandContext): string {
  if (profile !== undefined) return profile;
  throw new SvcError("INVALID_ARGS", "--profile is required.", {
    hint: "Name the profile to write, e.g. --profile decider.",
  });
}
