import type { Reply } from "../../lib/client/response/reply.ts";
import type { Values } from "../../lib/client/request/values.ts";
import type { OperationRef } from "../../lib/operation/operation.ts";
import type { CommandContext } from "../commands/command.ts";
import { type HandledCall, needsHandles } from "./handles.ts";

/** Makes a call. Full handles are sent as they are. For others, the full handle is found if the service needs it. */
export async function callWithHandles(
  context: CommandContext,
  ref: OperationRef,
  values: Values,
  call: (values: Values) => Promise<Reply>,
): Promise<HandledCall> {
  if (!needsHandles(ref.operation, values)) return { reply: await call(values), values };
  const { callResolved } = await import("./call_resolved.ts");
  return await callResolved(context, ref, values, call);
}
