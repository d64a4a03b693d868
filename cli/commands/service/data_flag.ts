import type { Flag } from "../command.ts";

/** The flag that names the data directory of the service. */
export const dataFlag = {
  help: "Data directory (default: 'service' in the configuration directory)",
  type: "path",
  placeholder: "dir",
} as const satisfies Flag;
