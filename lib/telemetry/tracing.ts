/** Detects whether OpenTelemetry is on, without loading its library. */

/** Symbol under which OpenTelemetry keeps its providers. Deno registers one if `OTEL_DENO` is true. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");

/** Reports whether traces are on. */
export function isTracing(): boolean {
  const registered: unknown = Reflect.get(globalThis, REGISTRY);
  return typeof registered === "object" && registered !== null && "trace" in registered;
}
