import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";
import { storeFlags } from "./store_flags.ts";

/** `svc service remove-client`. */
export const removeClientCommand: LocalCommand = localCommand({
  summary: "Remove a client of the service, and all its tokens",
  details: "Without an ID, the client of the profile is removed. The service may be running: it then rejects " +
    "the client's tokens within two seconds. The profile stays in the configuration.",
  args: [{ name: "client", help: "Client ID (default: the client of the profile)", type: "string", optional: true }],
  flags: { data: dataFlag, ...storeFlags },
  example: ["--profile decider", "client-9bX2mJt0Qk7a --data permits"],
  seeAlso: ["service add-client --help", "help profiles"],
  prefersView: true,
  async run(context, options) {
    const { removeClient } = await import("../../../service/admin/control.ts");
    await context.print(await removeClient({ ...options, profile: context.globals.profile }));
  },
});
