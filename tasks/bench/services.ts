import { startPostgres } from "../../tests/harness/postgres.ts";
import { delay } from "../../utils/async/abort.ts";
import { PROGRAM } from "../build.ts";
import { Service } from "../support/service.ts";
import { API_ROOT, Workspace } from "../support/workspace.ts";
import { type Figure, measureInTurns } from "./figure.ts";
import { runForNumber } from "./processes.ts";
import { createActivity, createCase } from "./work.ts";

/** Number of services that are compared with one. */
const SERVICES = 2;

/** Number of clients of each service. */
const CLIENTS = 16;

/** Calls of all clients of a service. */
const CALLS = { reads: 1500, performs: 600 };

/**
 * Milliseconds of the turn of a service, and until the next turn. A service runs only during its turn, so that the services do
 * not compete with each other for the processors, and less with the clients and the database.
 */
const TURN = 40;
const PAUSE = 40;

/** Compares the calls per second of several services on one database with those of one. Processor time limits each service. */
export async function measureServices(): Promise<Figure[]> {
  await using postgres = await startPostgres({ settings: { fsync: "on" } });
  await using workspace = await Workspace.open(PROGRAM);
  await using stack = new AsyncDisposableStack();
  const services: Service[] = [];
  for (let index = 0; index < SERVICES; index++) {
    const own = index === 0 ? {} : { data: `${workspace.directory}/data${index}`, profile: `service${index}` };
    const service = stack.use(
      new Service(workspace, { flags: ["--store", `${postgres.location}?schema=bench`], ...own }),
    );
    await service.start();
    services.push(service);
  }
  const token = await workspace.token("default");
  const path = `/cases/${encodeURIComponent(await createCase(workspace))}`;
  const assignments: string[] = [];
  while (assignments.length < SERVICES * CLIENTS) assignments.push(await createActivity(workspace));
  const toApi = ({ port }: Service) => `http://127.0.0.1:${port}${API_ROOT}`;
  const read = (service: Service) =>
    runForNumber("load_get.ts", [toApi(service) + path, token, String(CLIENTS), String(CALLS.reads)]);
  const perform = (service: Service, index: number) => {
    const own = assignments.slice(index * CLIENTS, (index + 1) * CLIENTS);
    return runForNumber("load_perform.ts", [toApi(service), token, String(CALLS.performs), ...own]);
  };
  using _turns = new Turns(services);
  const figures: Figure[] = [];
  for (const [name, load] of [["GET /cases/{id}", read], ["perform", perform]] as const) {
    const measure = (services: readonly Service[]) => async () => {
      return (await Promise.all(services.map(load))).reduce((sum, rate) => sum + rate, 0);
    };
    const [ours = NaN, theirs = NaN] = await measureInTurns([measure(services), measure(services.slice(0, 1))]);
    figures.push({
      name: `${name}, ${SERVICES} services`,
      baseline: "one service",
      ours,
      theirs,
      unit: "/s",
      limit: 1.6,
    });
  }
  return figures;
}

/** Lets services run in turns. */
class Turns implements Disposable {
  readonly #services: readonly Service[];
  readonly #end = () => this[Symbol.dispose]();
  #hasEnded = false;

  constructor(services: readonly Service[]) {
    this.#services = services;
    Deno.addSignalListener("SIGINT", this.#end); // A stopped process would not end.
    for (const service of services) service.signal("SIGSTOP");
    void this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#hasEnded) {
      for (const service of this.#services) {
        service.signal("SIGCONT");
        await delay(TURN);
        if (this.#hasEnded) return;
        service.signal("SIGSTOP");
        await delay(PAUSE);
      }
    }
  }

  [Symbol.dispose](): void {
    this.#hasEnded = true;
    for (const service of this.#services) service.signal("SIGCONT");
    Deno.removeSignalListener("SIGINT", this.#end);
  }
}
