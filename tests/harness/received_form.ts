import type { ServiceRequest } from "../../service/connections/received_request.ts";

/** Creates a form as the service receives it. */
export function createReceivedForm(
  type: string,
  content: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>,
): Pick<ServiceRequest, "header" | "body"> {
  return { body: new Response(content).body, header: (name) => name === "content-type" ? type : undefined };
}
