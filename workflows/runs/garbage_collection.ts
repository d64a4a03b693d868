/** Full collections of garbage, for a process that starts thousands of others. */

/**
 * Gives a function that collects. What the runtime holds for a process that has ended is freed only by a full
 * collection, and since it is not on the engine's heap, it causes none: it would grow by ten kilobytes per process.
 */
export async function garbageCollector(): Promise<() => void> {
  const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all([import("node:v8"), import("node:vm")]);
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  return typeof collect === "function" ? () => void collect() : () => {};
}
