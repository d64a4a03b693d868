/** Receives traces as a collector of OpenTelemetry does: OTLP over HTTP, as JSON. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../utils/json.ts";
import { within } from "./wait.ts";

/** A received span. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: "internal" | "server" | "client" | "other";
  readonly attributes: Readonly<Record<string, JsonValue>>;
  /** Process that has sent it, by the variable `OTEL_SERVICE_NAME`. */
  readonly service: string;
}

/** A running collector. */
export interface TraceCollector extends AsyncDisposable {
  /** Spans, in the order of their arrival. */
  readonly spans: readonly ReceivedSpan[];
  /** All that was received, as text. */
  readonly text: string;
  /** Returns the variables that make a process send its traces here. */
  environment(service: string): Record<string, string>;
}

const KINDS = ["other", "internal", "server", "client"] as const;

/** Starts a collector. */
export function startTraceCollector(): TraceCollector {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const text = await request.text();
    if (new URL(request.url).pathname === "/v1/traces") {
      texts.push(text);
      spans.push(...readSpans(parseJson(text)));
    }
    return Response.json({});
  });
  return {
    spans,
    get text() {
      return texts.join("\n");
    },
    environment: (service) => ({
      OTEL_DENO: "true",
      OTEL_DENO_CONSOLE: "ignore",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.addr.port}`,
      OTEL_SERVICE_NAME: service,
    }),
    [Symbol.asyncDispose]: () => within("the collector stops", server.shutdown()),
  };
}

function readSpans(body: JsonValue): ReceivedSpan[] {
  return members(body, "resourceSpans").flatMap((group) => {
    const service = readAttributes(group.resource)["service.name"];
    return members(group, "scopeSpans").flatMap((scope) => members(scope, "spans")).map((span) => ({
      traceId: String(span.traceId),
      spanId: String(span.spanId),
      parentSpanId: String(span.parentSpanId ?? ""),
      name: String(span.name),
      kind: KINDS[Number(span.kind)] ?? "other",
      attributes: readAttributes(span),
      service: String(service),
    }));
  });
}

function readAttributes(value: JsonValue | undefined): Record<string, JsonValue> {
  return Object.fromEntries(
    members(value, "attributes").map(({ key, value }) => {
      return [String(key), isJsonObject(value) ? Object.values(value)[0] ?? null : null];
    }),
  );
}

function members(value: JsonValue | undefined, name: string): JsonObject[] {
  const list = isJsonObject(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
