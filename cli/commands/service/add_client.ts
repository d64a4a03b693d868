import { SvcError } from "../../../lib/errors.ts";
import type { CommandContext } from "../command.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";
import { storeFlags } from "./store_flags.ts";

/** `svc service add-client`. */
export const addClientCommand: LocalCommand = localCommand({
  summary: "Create another client with its own operator, and write its profile",
  details: "--profile names the profile to write. The service may be running or stopped.",
  flags: {
    data: dataFlag,
    ...storeFlags,
    operator: { help: "Operator of the client", type: "string", required: true },
  },
  example: [
    "--operator decider@city --profile decider",
    "--operator decider@city --profile decider --data permits",
  ],
  seeAlso: ["help profiles"],
  prefersView: true,
  async run(context, options) {
    const { addClientProfile } = await import("../../../service/admin/control.ts");
    await context.print(await addClientProfile({ ...options, profile: getProfile(context) }));
  },
});

function getProfile({ globals: { profile } }: CommandContext): string {
  if (profile !== undefined) return profile;
  throw new SvcError("INVALID_ARGS", "--profile is required.", {
    hint: "Name the profile to write, e.g. --profile decider.",
  });
}
