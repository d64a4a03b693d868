import { FINISHED_CALLS } from "../journal.ts";
import { measurePerformRate, measureReadRate, toCaseUrl } from "../load.ts";
import type { Side } from "./side.ts";

/** A measurement of the basic path that both checkouts take. */
export interface Row {
  /** Name for `--only`. */
  readonly name: string;
  /** Description for people. */
  readonly what: string;
  /** Unit of the values. */
  readonly unit: "ms" | "/s";
  /** Measurements of each side in a round. Their median counts. */
  readonly turns: number;
  /** Measures one side. */
  measure(side: Side): Promise<number>;
}

/** The rows of the comparison. */
export const ROWS: readonly Row[] = [
  {
    name: "start-up",
    what: "svc --version",
    unit: "ms",
    turns: 15,
    measure: (side) => side.timeCommand("--version"),
  },
  {
    name: "one-call",
    what: "svc cases get",
    unit: "ms",
    turns: 15,
    measure: async (side) => await side.timeCommand("cases", "get", (await side.target()).caseId),
  },
  {
    name: "reads",
    what: "service GET /cases/{id}",
    unit: "/s",
    turns: 7,
    async measure(side) {
      const target = await side.target();
      return await measureReadRate(toCaseUrl(target), target.token, side.reduce(2500));
    },
  },
  {
    name: "performs",
    what: "service perform",
    unit: "/s",
    turns: 7,
    measure: async (side) => await measurePerformRate(await side.target(), side.reduce(1200)),
  },
  {
    name: "steps",
    what: "journalled steps",
    unit: "/s",
    turns: 5,
    measure: (side) => side.runs.measureStepRate(side.reduce(1200)),
  },
  {
    name: "resume",
    what: "svc workflow resume, to its first new call",
    unit: "ms",
    turns: 5,
    measure: (side) => side.runs.measureResume(side.reduce(FINISHED_CALLS)),
  },
];
