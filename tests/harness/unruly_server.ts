/** A server that gives out tokens as it should, and does with every other request what a test wants. */
import type { SessionOptions } from "../../lib/auth/settings.ts";
import { close, headerOf, ignoreBroken, jsonAnswer, type WireMessage, WireReader, writeAll } from "./http_wire.ts";

/** What the server does with a request that it has read. */
export type Behaviour = (connection: Deno.Conn, request: WireMessage) => void | Promise<void>;

/** A running server. */
export interface UnrulyServer extends Disposable {
  /** How a client reaches it. */
  readonly options: SessionOptions;
  /** The requests that were read whole, apart from those for tokens. */
  readonly received: WireMessage[];
  /** What it does with requests. */
  behave: Behaviour;
  /** What it does with requests for tokens; none without it. */
  token?: Behaviour;
}

/** Ends the connection without a word. */
export const cut: Behaviour = (connection) => close(connection);

/** Sends a text and ends the connection. */
export function say(text: string): Behaviour {
  return async (connection) => {
    await writeAll(connection, text);
    close(connection);
  };
}

/** Answers as a gateway does that finds no service behind it. */
export const noBackend: Behaviour = say(
  "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\nno backend",
);

/** Answers with JSON and goes on. */
export function answer(status: number, body: unknown, headers?: Record<string, string>): Behaviour {
  return (connection) => writeAll(connection, jsonAnswer(status, body, headers));
}

/** Does one after another, and the last for ever. */
export function inTurn(...behaviours: readonly [Behaviour, ...Behaviour[]]): Behaviour {
  let next = 0;
  return (connection, request) => {
    const behave = behaviours[Math.min(next++, behaviours.length - 1)];
    return behave?.(connection, request);
  };
}

const grant = answer(200, { access_token: "token", token_type: "Bearer", expires_in: 3600 });

/** Starts a server on a free port. */
export function startUnruly(behave: Behaviour): UnrulyServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const server: UnrulyServer = {
    options: {
      baseUrl: `http://127.0.0.1:${listener.addr.port}`,
      clientId: "id",
      clientSecret: "secret",
      noCache: true,
    },
    received: [],
    behave,
    [Symbol.dispose]() {
      listener.close();
      for (const connection of open) close(connection);
    },
  };

  async function serve(connection: Deno.Conn): Promise<void> {
    open.add(connection);
    const reader = new WireReader(connection);
    for (let request = await reader.read(); request !== undefined; request = await reader.read()) {
      if (request.head.startsWith("POST /oauth2/token ")) await (server.token ?? grant)(connection, request);
      else {
        server.received.push(request);
        await server.behave(connection, request);
      }
    }
    close(connection);
  }

  (async () => {
    for await (const connection of listener) serve(connection).catch(ignoreBroken);
  })();
  return server;
}

/** The keys of the requests that were received. */
export function keysOf({ received }: UnrulyServer): (string | undefined)[] {
  return received.map(({ head }) => headerOf(head, "idempotency-key"));
}
