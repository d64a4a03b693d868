import { type LocalCommand, localCommand } from "../local_command.ts";
import { OUTPUT } from "../operations.ts";

/** `svc service types`. */
export const typesCommand: LocalCommand = localCommand({
  summary: "Write TypeScript types of an application's cases and records",
  details:
    "Programs and workflow scripts use them as type arguments, e.g. CityPermitWorkPermit for cases of the type " +
    "City-Permit-Work-Permit. An existing file is replaced.",
  args: [{
    name: "app",
    help: "Application definition (default: the sample application)",
    type: "path",
    optional: true,
  }],
  flags: { output: OUTPUT },
  example: ["-o types.ts", "permits.yaml -o workflows/types.ts"],
  seeAlso: ["service schema --help", "workflow init --help"],
  async run(context, { app, output }) {
    const { checkOutput, deliver } = await import("../../render/download.ts");
    await checkOutput(output);
    const { loadServedApplication } = await import("../../../service/sample/served_application.ts");
    const { writeTypes } = await import("../../../service/application/write_types.ts");
    const text = new Blob([writeTypes(await loadServedApplication(app))]);
    await deliver(context, { type: "text/plain", size: text.size, stream: text.stream() }, output);
  },
});
