/** Processor time, to which a busy machine adds less than to the time on the clock. */
import process from "node:process";

/** Returns the milliseconds of processor time that this thread has used. Other test files run in other threads. */
export function readCpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
