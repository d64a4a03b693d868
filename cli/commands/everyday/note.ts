import { localCommand } from "../local_command.ts";

/** `svc note` */
export const note = localCommand({
  summary: "Post a message in the feed of a case",
  args: [
    { name: "id", help: "Short ID or handle of a case, or -", type: "string", values: "cases", required: true },
    { name: "text", help: "Text; '@' before an operator ID mentions the operator", type: "string", required: true },
  ],
  example: ["P-1 'Plan received'", "- 'Please check the address, @reviewer@city'"],
  seeAlso: ["help handles", "social post-message --help"],
  prefersView: true,
  async run(context, { id, text: message }) {
    const [{ callAndPrint }, { resolveCaseId }, { default: operations }] = await Promise.all([
      import("../operations.ts"),
      import("../../handles/resolve_handles.ts"),
      import("../../../lib/resources/social.ts"),
    ]);
    const ref = { name: "social.post-message", operation: operations.postMessage };
    await callAndPrint(context, ref, { context: await resolveCaseId(context, id), message });
  },
});
