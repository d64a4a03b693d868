/** Reads metrics in the text format of Prometheus. */
import assert from "node:assert/strict";
import { within } from "./wait.ts";

/** Metrics of a process at one time. */
export interface ReadMetrics {
  /** All metrics as text. */
  readonly text: string;
  /** Returns the value of a metric with exactly these labels, if it exists. */
  value(name: string, labels: Readonly<Record<string, string>>): number | undefined;
}

/** Reads the metrics at an address. */
export async function readMetrics(url: string | undefined): Promise<ReadMetrics> {
  assert.ok(url !== undefined, "The process serves no metrics.");
  const response = await within("the metrics arrive", fetch(url));
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  return {
    text,
    value(name, labels) {
      const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`).sort().join(",");
      for (const [, found, list = "", value] of text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
        if (found === name && list.split(",").sort().join(",") === wanted) return Number(value);
      }
      return undefined;
    },
  };
}
