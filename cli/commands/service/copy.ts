import { type LocalCommand, localCommand } from "../local_command.ts";
import { storePasswordFlags } from "../store_password.ts";
import { filesCredentialsFlag } from "./store_flags.ts";

/** `svc service copy`. */
export const copyCommand: LocalCommand = localCommand({
  summary: "Copy the service's data to a PostgreSQL database, or back to a data directory",
  details:
    "Stop all services that use the data first. The command compares everything that it has written with the source. " +
    "If the copy is interrupted, repeat the command to continue it. Until it is complete, no service can use the " +
    "target.",
  args: [],
  flags: {
    from: { help: "Data directory, or location of a PostgreSQL database", type: "string", required: true },
    to: {
      help: "Empty target: a data directory, or the location of a PostgreSQL database",
      type: "string",
      required: true,
    },
    fromFiles: {
      help:
        "With a PostgreSQL --from, location of its files: 'database', a directory or s3://<bucket>/<prefix> (default: database)",
      type: "string",
      placeholder: "location",
    },
    toFiles: {
      help: "With a PostgreSQL --to, empty directory or bucket for its files (default: database)",
      type: "string",
      placeholder: "location",
    },
    ...filesCredentialsFlag,
    ...storePasswordFlags,
  },
  example: [
    "--from permits --to 'postgres://svc@db.example.org/city?schema=permits'",
    "--from permits --to postgres://svc@localhost/city --to-files 's3://city-files/permits?region=eu-central-1'",
    "--from postgres://svc@localhost/city --to permits",
  ],
  seeAlso: ["service backup --help", "service start --help"],
  prefersView: true,
  async run(context, options) {
    const { copyService } = await import("../../../service/copy/copy.ts");
    await context.print(await copyService(options));
  },
});
