import { Batch } from "../workers/batch.ts";
import { Cluster } from "../workers/cluster.ts";
import { SVC_ENGINE } from "../workers/svc_engine.ts";
import { type Figure, measureInTurns } from "./figure.ts";

/** Number of inputs per worker in a batch. Batches grow with the workers, so that the start takes the same share of the time. */
const INPUTS = 50;

/** Number of calls that each input makes one after another. */
const STEPS = 10;

/** Milliseconds that a request and its response are on the way. */
const DISTANCE = 50;

/** Number of workers that are compared with one. */
const WORKERS = 4;

/** Compares the inputs per second of several workers with those of one. The service is far away. */
export async function measureWorkers(): Promise<Figure> {
  await using several = await openCluster(WORKERS);
  await using one = await openCluster(1);
  await runBatch(several, WORKERS); // Warms up the workers.
  const [ours = NaN, theirs = NaN] = await measureInTurns([
    () => runBatch(several, WORKERS),
    () => runBatch(one, 1),
  ]);
  return {
    name: `inputs of ${STEPS} calls by ${WORKERS} workers, ${DISTANCE} ms away`,
    baseline: "by one worker",
    ours,
    theirs,
    unit: "/s",
    limit: 3.5,
  };
}

function openCluster(workers: number): Promise<Cluster> {
  return Cluster.open({
    engine: SVC_ENGINE,
    steps: STEPS,
    workers,
    services: 1,
    hasProxies: false,
    delayMilliseconds: DISTANCE / 2,
  });
}

/** Runs a batch with the size for a number of workers, and returns its inputs per second. */
async function runBatch(cluster: Cluster, workers: number): Promise<number> {
  const size = INPUTS * workers;
  const started = performance.now();
  const batch = new Batch(SVC_ENGINE.createBatch(cluster), (inputs) => inputs < size);
  const { code, stderr } = await batch.ended;
  if (code !== 0) throw new Error(`The batch failed:\n${stderr}`);
  return size / (performance.now() - started) * 1000;
}
