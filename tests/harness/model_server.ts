/** A server with the chat-completions interface, over loopback. */
import { isJsonObject, type JsonObject } from "../../utils/json.ts";

/** A running model server. */
export interface ModelServer extends AsyncDisposable {
  /** Its address: what the environment variable of a definition holds. */
  readonly address: string;
  /** What it was asked, with the header that carried the key. */
  readonly asked: { readonly path: string; readonly authorization: string | null; readonly body: JsonObject }[];
  /** How it answers from now on. */
  answer: (question: string) => Response | Promise<Response>;
}

/** The answer of a model, as the interface has it. */
export function completion(content: unknown): Response {
  return Response.json({ id: "c-1", object: "chat.completion", choices: [{ index: 0, message: { content } }] });
}

/** Starts a server that repeats what it is asked. */
export function startModel(): ModelServer {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const body: unknown = await request.json();
    if (!isJsonObject(body)) return new Response(null, { status: 400 });
    const { pathname: path } = new URL(request.url);
    model.asked.push({ path, authorization: request.headers.get("authorization"), body });
    const last = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
    return await model.answer(isJsonObject(last) ? String(last.content) : "");
  });
  const model: ModelServer = {
    address: `http://127.0.0.1:${server.addr.port}/v1`,
    asked: [],
    answer: (question) => completion(`You said: ${question}`),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return model;
}

/** An application with one agent, whose model is at the address that a variable names. */
export function oracleApplication(addressVariable: string): string {
  return `
application: { id: Talk, name: Talk, organisation: Org }
operators: { ada@talk: { name: Ada } }
caseTypes: {}
agents:
  "@baseclass!Oracle":
    name: Oracle
    model: { addressVariable: ${addressVariable}, name: small-1, instructions: Be brief. }
`;
}
