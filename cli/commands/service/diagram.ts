import { SvcError } from "../../../lib/errors.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { OUTPUT } from "../operations.ts";

/** `svc service diagram`. */
export const diagramCommand: LocalCommand = localCommand({
  summary: "Draw the life cycles of an application",
  details:
    "The picture shows the stages, processes and steps of each case type, who works in each step, and what follows. " +
    "Mermaid is text that GitHub and many editors draw. An output file that ends with .svg gets an SVG image.",
  args: [{
    name: "app",
    help: "Application definition (default: the sample application)",
    type: "path",
    optional: true,
  }],
  flags: {
    format: {
      help: "Format of the picture (default: mermaid, or that of the output file)",
      type: "string",
      choices: ["mermaid", "svg"],
      placeholder: "format",
    },
    caseType: { help: "Case type to draw (default: all)", type: "string", placeholder: "id" },
    output: OUTPUT,
  },
  example: ["permits.yaml", "permits.yaml -o permits.svg", "permits.yaml --case-type City-Permit-Work-Permit"],
  seeAlso: ["service validate --help", "service start --help"],
  prefersView: true,
  async run(context, { app: file, caseType, format, output }) {
    const { checkOutput, deliver } = await import("../../render/download.ts");
    await checkOutput(output);
    const { loadServedApplication } = await import("../../../service/sample/served_application.ts");
    const { describeLifeCycle } = await import("../../../service/diagram/life_cycle.ts");
    const app = await loadServedApplication(file);
    const types = [...app.caseTypes.values()].filter(({ id }) => caseType === undefined || id === caseType);
    if (types.length === 0) {
      throw new SvcError("INVALID_ARGS", `The application has no case type ${caseType}.`, {
        hint: `Its case types are ${[...app.caseTypes.keys()].join(", ")}.`,
      });
    }
    const lifeCycles = types.map((type) => describeLifeCycle(app, type));
    const isSvg = format === undefined ? /\.svg$/i.test(output ?? "") : format === "svg";
    const text = new Blob([
      isSvg
        ? (await import("../../../service/diagram/svg.ts")).writeSvg(lifeCycles)
        : (await import("../../../service/diagram/mermaid.ts")).writeMermaid(lifeCycles),
    ]);
    await deliver(
      context,
      { type: isSvg ? "image/svg+xml" : "text/plain", size: text.size, stream: text.stream() },
      output,
    );
  },
});
