/** Metrics of every svc process: version, memory and processor time. */
import { Counter, Gauge, type Registry } from "prom-client";
import { cpuUsage } from "node:process";
import { VERSION } from "../version.ts";

/** Adds the metrics of this process to a registry. */
export function addProcessMetrics(registry: Registry): void {
  const registers = [registry];
  new Gauge({ name: "svc_build_info", help: "Version of svc; the value is 1.", labelNames: ["version"], registers })
    .set({ version: VERSION }, 1);
  new Gauge({
    name: "process_start_time_seconds",
    help: "Start of the process in seconds since 1970.",
    registers,
  }).set(performance.timeOrigin / 1000);
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory of the process.",
    registers,
    collect() {
      this.set(Deno.memoryUsage().rss);
    },
  });
  new Gauge({
    name: "process_heap_bytes",
    help: "Memory of the JavaScript heap in use.",
    registers,
    collect() {
      this.set(Deno.memoryUsage().heapUsed);
    },
  });
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time of the process.",
    registers,
    collect() {
      const { user, system } = cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}
