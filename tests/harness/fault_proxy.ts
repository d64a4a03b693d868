/**
 * A proxy between a client and a service that does to requests what networks and gateways do, by a plan that a seed
 * determines. What a fault says of the service is true: only those after the forwarding let it see the request.
 */
import { delay } from "../../utils/async/delay.ts";
import { SeededRandom } from "../../tasks/crash/seeded_random.ts";
import { bytesOf, close, ignoreBroken, jsonAnswer, type WireMessage, WireReader, writeAll } from "./http_wire.ts";

/** What can become of a request. */
export const FAULTS = [
  "pass",
  /** The connection ends before the request is forwarded. */
  "cut-before",
  /** The service has answered, and the connection ends instead of the answer. */
  "cut-after",
  /** The connection ends in the middle of the answer. */
  "cut-within",
  /** The request waits a moment before it is forwarded. */
  "delay",
  /** Refused, without forwarding; `-later` with `Retry-After`. */
  "429",
  "429-later",
  "503",
  "503-later",
  "502",
  /** Answered 502 although the service has done it. */
  "502-after",
] as const;

/** What can become of a request, by name. */
export type Fault = (typeof FAULTS)[number];

/** Where a proxy stands, and what it does. */
export interface FaultProxyOptions {
  /** Address of the service. */
  readonly target: URL;
  /** Determines the plan: the fate of the first request, the second, and so on. */
  readonly seed: number;
  /** How often each fault is among so many requests as all numbers together; what is left out never happens. */
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  /** Decides over a request by its head; where it says nothing, the seed decides. */
  readonly choose?: (head: string) => Fault | undefined;
  /** Milliseconds that a delay takes at most; 30 without it. */
  readonly delayMilliseconds?: number;
  /** What `Retry-After` says; 0 without it. */
  readonly retryAfterSeconds?: number;
}

/** A running proxy. */
export interface FaultProxy extends AsyncDisposable {
  /** Address for clients, without a slash at the end. */
  readonly url: string;
  /** How often each fault has happened. */
  readonly counts: Readonly<Record<Fault, number>>;
}

/** Starts a proxy on a free port of this machine. */
export function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  return Promise.resolve(new RunningProxy(options));
}

class RunningProxy implements FaultProxy {
  readonly url: string;
  readonly counts: Record<Fault, number>;
  readonly #options: FaultProxyOptions;
  readonly #random: SeededRandom;
  #deck: Fault[] = [];
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
    for (const connection of this.#connections) close(connection);
    await this.#serving;
  }

  async #serveAll(): Promise<void> {
    const serving = new Set<Promise<void>>();
    for await (const connection of this.#listener) {
      this.#connections.add(connection);
      const served = this.#serve(connection).catch(ignoreBroken).finally(() => {
        close(connection);
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
      const answer = await this.#fate(request);
      await writeAll(connection, answer.bytes);
      if (answer.ends) return;
    }
  }

  /** What the client gets, and whether its connection ends with that. */
  async #fate(request: WireMessage): Promise<{ bytes: string | Uint8Array; ends?: boolean }> {
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
        return { bytes: jsonAnswer(Number(fault), {}) };
      case "429-later":
      case "503-later":
        return { bytes: jsonAnswer(Number.parseInt(fault), {}, later) };
      case "delay":
        await delay(chance * (this.#options.delayMilliseconds ?? 30));
        break;
    }
    const answer = await this.#forward(request);
    if (answer === undefined || fault === "cut-after") return { bytes: "", ends: true };
    if (fault === "502-after") return { bytes: jsonAnswer(502, {}) };
    const bytes = bytesOf(answer);
    if (fault !== "cut-within") return { bytes };
    return { bytes: bytes.subarray(0, 1 + Math.floor(portion * (bytes.length - 1))), ends: true };
  }

  /** The answer of the service; undefined where it has none, because it was killed. */
  async #forward(request: WireMessage): Promise<WireMessage | undefined> {
    const { hostname, port } = this.#options.target;
    const upstream = await Deno.connect({ hostname, port: Number(port) });
    this.#connections.add(upstream);
    try {
      await writeAll(upstream, bytesOf(request));
      return await new WireReader(upstream).read();
    } finally {
      close(upstream);
      this.#connections.delete(upstream);
    }
  }

  /** Drawn as from a deck of cards, so that each fault happens in its turn, whatever the seed. */
  #pick(): Fault {
    if (this.#deck.length === 0) {
      this.#deck = FAULTS.flatMap((fault) => Array<Fault>(this.#options.faults[fault] ?? 0).fill(fault));
    }
    return this.#deck.splice(Math.floor(this.#random.next() * this.#deck.length), 1)[0] ?? "pass";
  }
}
