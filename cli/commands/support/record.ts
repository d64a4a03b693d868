import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc support record`. */
export const recordCommand: LocalCommand = localCommand({
  summary: "Run a command, and record its requests and responses, redacted, for a bug report",
  details:
    "The file contains methods, paths, some headers and the JSON bodies. Placeholders of the same form replace texts, " +
    "numbers and dates that people have entered, names and IDs of people, e-mail addresses, labels, and the numbers in " +
    "IDs. Equal IDs stay equal. The file has no addresses of machines, credentials, tokens or uploaded files. It keeps " +
    "the names of properties, views, components, classes, actions and statuses, the expressions of forms, and the times " +
    "of the API. The command runs as usual, so its changes are made. The file stays on this machine. Read it before you " +
    "attach it to a report.",
  args: [{
    name: "command",
    help: "Command to run, followed by its own flags",
    type: "list",
    required: true,
    rest: true,
  }],
  flags: {
    output: { help: "File to write, which only you can read", type: "path", short: "o", default: "svc-record.json" },
    force: { help: "Replace the file if it exists", type: "boolean" },
    keepLabels: { help: "Keep the labels of fields, views and actions", type: "boolean" },
  },
  example: [
    "show P-1",
    "-o form.json assignments get-action 'ASSIGN-WORKLIST ACME-WORK C-1!REVIEW' --action Review",
    "--keep-labels do P-1",
  ],
  seeAlso: ["profile test --help", "auth diagnose --help"],
  async run(context, { command, output, force, keepLabels }) {
    const { recordCommandLine } = await import("../../support/record_command_line.ts");
    const options = { output, replaces: force === true, keepLabels: keepLabels === true };
    await recordCommandLine(context, command, options);
  },
});
