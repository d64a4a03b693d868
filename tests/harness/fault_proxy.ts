/**
 * A proxy between a client and a service that applies the faults of networks and gateways to requests. A seed determines
 * the plan. The service receives a request only with the faults that follow the forwarding.
 */
import { delay } from "../../utils/async/abort.ts";
import { SeededRandom } from "../../tasks/support/seeded_random.ts";
import {
  closeConnection,
  formatJsonResponse,
  ignoreBroken,
  toBytes,
  type WireMessage,
  WireReader,
  writeToConnection,
} from "./faults.ts";
import { within } from "./wait.ts";

/** Fates of a request. */
export const FAULTS = [
  "pass",
  /** The connection ends before the request is forwarded. */
  "cut-before",
  /** The connection ends after the service has answered, without the response. */
  "cut-after",
  /** The connection ends in the middle of the response. */
  "cut-within",
  /** The request is forwarded after a delay. */
  "delay",
  /** The request is rejected and not forwarded. `-later` adds `Retry-After`. */
  "429",
  "429-later",
  "503",
  "503-later",
  "502",
  /** The response is 502 although the service has applied the request. */
  "502-after",
] as const;

/** The fate of a request. */
export type ProxyFault = (typeof FAULTS)[number];

/** Options of a fault proxy. */
export interface FaultProxyOptions {
  /** Address of the service. */
  readonly target: URL;
  /** Determines the plan: the fates of the requests, in order. */
  readonly seed: number;
  /** Frequency of each fault in a number of requests that is the sum of all frequencies. Default: 0. */
  readonly faults: Readonly<Partial<Record<ProxyFault, number>>>;
  /** Chooses the fate of a request by its head. Default: the plan. */
  readonly choose?: (head: string) => ProxyFault | undefined;
  /** Longest delay in milliseconds. Default: 30. */
  readonly delayMilliseconds?: number;
  /** Value of `Retry-After`. Default: 0. */
  readonly retryAfterSeconds?: number;
}

/** A running proxy. */
export interface FaultProxy extends AsyncDisposable {
  /** Base URL for clients, without a slash at the end. */
  readonly url: string;
  /** Number of requests by fate. */
  readonly counts: Readonly<Record<ProxyFault, number>>;
}

/** Starts a proxy on a free port of this machine. */
export function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  return Promise.resolve(new RunningProxy(options));
}

class RunningProxy implements FaultProxy {
  readonly url: string;
  readonly counts: Record<ProxyFault, number>;
  readonly #options: FaultProxyOptions;
  readonly #random: SeededRandom;
  #deck: ProxyFault[] = [];
  readonly #listener: Deno.TcpListener;
  readonly #connections = new Set<Deno.Conn>();
  readonly #serving: Promise<void>;

  constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.counts = {
      "pass": 0,
      "cut-before": 0,
      "cut-after": 0,
      "cut-within": 0,
      "delay": 0,
      "429": 0,
      "429-later": 0,
      "503": 0,
      "503-later": 0,
      "502": 0,
      "502-after": 0,
    };
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.url = `http://127.0.0.1:${this.#listener.addr.port}`;
    this.#serving = this.#serveAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#connections) closeConnection(connection);
    await within("the requests of the fault proxy end", this.#serving);
  }

  async #serveAll(): Promise<void> {
    const serving = new Set<Promise<void>>();
    for await (const connection of this.#listener) {
      this.#connections.add(connection);
      const served = this.#serve(connection).catch(ignoreBroken).finally(() => {
        closeConnection(connection);
        this.#connections.delete(connection);
        serving.delete(served);
      });
      serving.add(served);
    }
    await Promise.all(serving);
  }

  async #serve(connection: Deno.Conn): Promise<void> {
    const reader = new WireReader(connection);
    for (let request = await reader.read(); request !== undefined; request = await reader.read()) {
      const answer = await this.#treat(request);
      await writeToConnection(connection, answer.bytes);
      if (answer.ends) return;
    }
  }

  /** Returns the bytes for the client, and whether its connection ends after them. */
  async #treat(request: WireMessage): Promise<{ bytes: string | Uint8Array; ends?: boolean }> {
    const fault = this.#options.choose?.(request.head) ?? this.#pick();
    const [chance, portion] = [this.#random.next(), this.#random.next()];
    this.counts[fault]++;
    const later = { "retry-after": String(this.#options.retryAfterSeconds ?? 0) };
    switch (fault) {
      case "cut-before":
        return { bytes: "", ends: true };
      case "429":
      case "503":
      case "502":
        return { bytes: formatJsonResponse(Number(fault), {}) };
      case "429-later":
      case "503-later":
        return { bytes: formatJsonResponse(Number.parseInt(fault), {}, later) };
      case "delay":
        await delay(chance * (this.#options.delayMilliseconds ?? 30));
        break;
    }
    const answer = await this.#forward(request);
    if (answer === undefined || fault === "cut-after") return { bytes: "", ends: true };
    if (fault === "502-after") return { bytes: formatJsonResponse(502, {}) };
    const bytes = toBytes(answer);
    if (fault !== "cut-within") return { bytes };
    return { bytes: bytes.subarray(0, 1 + Math.floor(portion * (bytes.length - 1))), ends: true };
  }

  /** Returns the response of the service, or undefined when it was killed before it answered. */
  async #forward(request: WireMessage): Promise<WireMessage | undefined> {
    const { hostname, port } = this.#options.target;
    const upstream = await Deno.connect({ hostname, port: Number(port) });
    this.#connections.add(upstream);
    try {
      await writeToConnection(upstream, toBytes(request));
      return await new WireReader(upstream).read();
    } finally {
      closeConnection(upstream);
      this.#connections.delete(upstream);
    }
  }

  /** Draws a fault like a card from a deck, so that each fault happens with every seed. */
  #pick(): ProxyFault {
    if (this.#deck.length === 0) {
      this.#deck = FAULTS.flatMap((fault) => Array<ProxyFault>(this.#options.faults[fault] ?? 0).fill(fault));
    }
    return this.#deck.splice(Math.floor(this.#random.next() * this.#deck.length), 1)[0] ?? "pass";
  }
}
