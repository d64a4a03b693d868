/** Decides whether OpenTelemetry is on. What traces need is loaded only then. */

/** Under this symbol, OpenTelemetry keeps what is registered. Deno registers its exporter if `OTEL_DENO` is true. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");

/** Reports whether something receives traces. */
export function isTracing(): boolean {
  const registered: unknown = Reflect.get(globalThis, REGISTRY);
  return typeof registered === "object" && registered !== null && "trace" in registered;
}
