/** The memory that a test uses. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Measures the memory of this thread in bytes, after a garbage collection. That of the process includes other test files. */
export function measureMemory(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc()");
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}
