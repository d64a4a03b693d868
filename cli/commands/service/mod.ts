import type { LocalGroup } from "../local_command.ts";
import { addClient } from "./add_client.ts";
import { reset } from "./reset.ts";
import { schema } from "./schema.ts";
import { start } from "./start.ts";
import { status } from "./status.ts";
import { stop } from "./stop.ts";

/** The commands of `svc service`, in the order of the help. */
export const commands: LocalGroup = { start, status, stop, reset, schema, addClient };
