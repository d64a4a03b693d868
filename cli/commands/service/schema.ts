import { type LocalCommand, localCommand } from "../local_command.ts";

/** `svc service schema`. */
export const schemaCommand: LocalCommand = localCommand({
  summary: "Print the JSON Schema of application definitions",
  details: "Editors use it to complete and check a definition.",
  reads: true,
  example: ["> application.schema.json", "--format compact | jq .properties"],
  seeAlso: ["service start --help"],
  async run(context) {
    const { applicationJsonSchema } = await import("../../../service/application/schema/definition.ts");
    await context.print(applicationJsonSchema());
  },
});
