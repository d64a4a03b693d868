import { delay } from "../../utils/async/abort.ts";
import { quantile } from "../support/quantile.ts";
import { Service } from "../support/service.ts";
import { Workspace } from "../support/workspace.ts";
import { openCaller } from "./open_caller.ts";
import { createResult, scaleNumber, type Scenario, type SoakOptions, type SoakResult } from "./scenario.ts";
import { WriteLoad } from "./write_load.ts";

const KILLS = 500;
const WRITERS = 16;

/** Longest time in milliseconds from the first answered write after a start to the next kill. */
const MAX_DELAY = 500;

/** Share of starts that are killed before they are complete. */
const EARLY_SHARE = 0.1;

/** Longest time in milliseconds until a starting service is killed. */
const MAX_START_DELAY = 600;

/** Milliseconds in which the service must be back. */
const MAX_RESTART = 1000;

/** Number of kills between two checks of the store, which read all of it. */
const VERIFY_INTERVAL = 50;

/** Kills the service with SIGKILL under a load of writes. */
export const serviceKills: Scenario = {
  name: "kills",
  what: `service killed under write load, ${KILLS} times`,
  target: "no answered write lost, no half write, integrity ok, restart ≤ 1 s",
  seconds: 900,
  run: killService,
};

async function killService(options: SoakOptions): Promise<SoakResult> {
  const { random, scale, ignoresLimits, program, signal, onProgress } = options;
  await using workspace = await Workspace.open(program);
  await using service = new Service(workspace);
  await service.start();
  const kills = scaleNumber(KILLS, scale);
  const restarts: number[] = [];
  let available = Promise.withResolvers<void>();
  available.resolve();
  let firstAnswer = Promise.withResolvers<void>();
  const load = new WriteLoad(await openCaller(workspace), {
    writers: WRITERS,
    random,
    waitUntilAvailable: () => available.promise,
    onAnswer: () => firstAnswer.resolve(),
  });
  const over = new AbortController();
  const writing = load.run(over.signal);

  async function kill(): Promise<void> {
    await Promise.race([firstAnswer.promise, writing]);
    await delay(random.next() * MAX_DELAY);
    available = Promise.withResolvers<void>();
    firstAnswer = Promise.withResolvers<void>();
    await service.kill();
    if (random.chance(EARLY_SHARE)) await killStart();
    const started = performance.now();
    await service.start();
    restarts.push(performance.now() - started);
    available.resolve();
  }

  async function killStart(): Promise<void> {
    const start = service.start().catch(() => {}); // It was killed before it was complete.
    await delay(random.next() * MAX_START_DELAY);
    await service.kill();
    await start;
  }

  const verify = () => workspace.svc("service", "verify", "--data", service.data);
  try {
    while (restarts.length < kills && !signal.aborted) {
      await kill();
      if (restarts.length % VERIFY_INTERVAL !== 0) continue;
      await verify();
      onProgress(`${restarts.length} of ${kills} kills, ${load.answered} writes`);
    }
  } finally {
    over.abort();
  }
  await writing;
  onProgress(`checking ${load.cases.length} cases`);
  const faults = await load.check(await openCaller(workspace));
  await verify();
  const sorted = restarts.toSorted((a, b) => a - b);
  const typical = Math.round(quantile(sorted, 0.5) ?? 0);
  const worst = Math.round(sorted.at(-1) ?? 0);
  return createResult(
    `${restarts.length} kills, ${load.answered} writes answered, ${load.interrupted} interrupted, ${faults.length} faults; ` +
      `restart ${typical} ms (median), ${worst} ms (worst)`,
    ignoresLimits || typical <= MAX_RESTART ? faults : [...faults, `The median restart took ${typical} ms`],
  );
}
