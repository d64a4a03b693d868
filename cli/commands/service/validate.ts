import { SvcError } from "../../../lib/errors.ts";
import { escapeToOneLine } from "../../../utils/text/control_characters.ts";
import { pluralize } from "../../../utils/text/wording.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc service validate`. */
export const validateCommand: LocalCommand = localCommand({
  summary: "Check an application definition",
  details:
    "The command prints every issue with its file, line and column, and exits with 2 if there are any. A terminal " +
    "gets one line for each issue, as compilers print them. Names and expressions are checked once the format is valid.",
  args: [{ name: "app", help: "Application definition", type: "path", required: true }],
  reads: true,
  example: ["permits.yaml", "permits.yaml --format table"],
  seeAlso: ["service schema --help", "service diagram --help", "service start --help"],
  prefersView: true,
  async run(context, { app: file }) {
    const { checkApplication, readDefinition } = await import("../../../service/application/load.ts");
    const checked = checkApplication(await readDefinition(file));
    const issues = "issues" in checked ? checked.issues : [];
    const { globals, io, note, print } = context;
    if (io.stdout.isTerminal() && !globals.isDataRequested) {
      const lines = issues.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
      io.stdout.write(lines.map((line) => escapeToOneLine(line) + "\n").join(""));
    } else {
      await print(issues.map((issue) => ({ file, ...issue })));
    }
    if ("application" in checked) {
      const { caseTypes, operators, dataViews } = checked.application;
      const counts = [
        pluralize(caseTypes.size, "case type"),
        pluralize(operators.size, "operator"),
        pluralize(dataViews.size, "data view"),
      ];
      return note(`${file} is valid: ${counts.join(", ")}.`);
    }
    throw new SvcError("INVALID_CONFIG", `${file} has ${pluralize(issues.length, "issue")}.`, {
      hint: "Fix the definition. docs/application.md explains the format.",
    });
  },
});
