/** Measures how the time of each kind of call grows with the number of cases. */
import { type Client, createClient } from "../../mod.ts";
import { type ServiceOptions, startService } from "../../service/mod.ts";
import { openStore } from "../../service/store/open_store.ts";
import type { Transaction } from "../../service/store/store.ts";
import type { JsonObject } from "../../utils/json.ts";
import { startPostgres } from "../../tests/harness/postgres.ts";
import { parseLocation } from "../../utils/postgres/location.ts";
import { openPool } from "../../utils/postgres/pool.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { type Figure, median } from "./figure.ts";

/** Number of cases of the baseline. */
const FEW = 1000;

/** Number of times that each call is measured, after one that is not. */
const CALLS = 9;

/** Number of starts that are measured, after one that is not. */
const STARTS = 5;

const TYPE = "City-Permit-Work-Permit";
const OPEN = 0.1;
const BATCH = 2000;
const STATUSES = ["Pending-Review", "Pending-Decision", "Resolved-Completed", "Resolved-Rejected"] as const;
const WORDS = ["roof", "garage", "fence", "bridge", "terrace", "chimney", "cellar", "balcony"] as const;
const CHANNELS = ["Internet", "Desk", "Post", "E-mail"] as const;

/** A call that is measured. It receives the number of the repetition. */
type Call = (svc: Client, turn: number) => Promise<unknown>;

/** The data of a service, its definition, and its location on PostgreSQL if it is there. */
type Place = Pick<ServiceOptions, "store" | "app"> & { readonly data: string };

/** Measures each call with 1,000 cases and with `cases`. */
export async function measureGrowth(
  directory: string,
  cases: number,
  kind: "sqlite" | "postgres",
): Promise<Figure[]> {
  await using postgres = kind === "postgres" ? await startPostgres({ settings: { fsync: "on" } }) : undefined;
  const place = (name: string): Place => ({
    data: `${directory}/${name}`,
    ...(postgres && { store: `${postgres.location}?schema=${name}` }),
  });
  const app = await writeDefinition(directory);
  const sizes = [FEW, cases];
  const places = [place("few"), place("many")].map((one) => ({ ...one, app }));
  for (const [index, one] of places.entries()) await seed(one, sizes[index] ?? 0);
  const times = await measureCalls(places, sizes);
  return [...times].map(([name, [theirs = NaN, ours = NaN]]) => ({
    name: `${name}, ${cases.toLocaleString("en")} cases${postgres ? " on PostgreSQL" : ""}`,
    baseline: `${FEW.toLocaleString("en")} cases`,
    ours,
    theirs,
    unit: "ms",
    limit: name === "start" ? 2 : 1.5,
  }));
}

/** Writes the sample application with an index of the applicant. Returns the path. */
async function writeDefinition(directory: string): Promise<string> {
  const sample = await Deno.readTextFile(new URL("../../service/sample/permit.yaml", import.meta.url));
  const path = `${directory}/permit.yaml`;
  await Deno.writeTextFile(path, sample.replace("{ type: Text, label: Applicant,", "$& indexed: true,"));
  return path;
}

/** Measures each call with each service in turns, so that the load of the machine is the same for both. */
async function measureCalls(places: readonly Place[], sizes: readonly number[]): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  const starts: number[][] = places.map(() => []);
  for (let turn = 0; turn <= STARTS; turn++) {
    for (const [index, place] of places.entries()) {
      const start = performance.now();
      await using _service = await startService({ ...place, log: () => {} });
      if (turn > 0) starts[index]?.push(performance.now() - start);
    }
  }
  times.set("start", starts.map(median));
  await using services = new AsyncDisposableStack();
  const measures: { calls: Record<string, Call>; svc: Client }[] = [];
  for (const [index, place] of places.entries()) {
    const service = services.use(await startService({ ...place, log: () => {} }));
    const credentials = await service.addClient("clerk@city");
    const svc = createClient({ baseUrl: service.url, ...credentials, noCache: true });
    measures.push({ calls: listCalls(sizes[index] ?? 0), svc });
  }
  for (const name of Object.keys(listCalls(FEW))) {
    const measured: number[][] = measures.map(() => []);
    for (let turn = 0; turn <= CALLS; turn++) {
      for (const [index, { calls, svc }] of measures.entries()) {
        const start = performance.now();
        await calls[name]?.(svc, turn).catch((cause: unknown) => {
          throw new Error(`The call '${name}' failed with ${sizes[index]} cases.`, { cause });
        });
        if (turn > 0) measured[index]?.push(performance.now() - start);
      }
    }
    times.set(name, measured.map(median));
  }
  return times;
}

function listCalls(cases: number): Record<string, Call> {
  const middle = `CITY-PERMIT-WORK P-${cases / 2}`;
  const created: string[] = [];
  const query = (svc: Client, body: JsonObject, paging: JsonObject = { maxResultsToFetch: 20 }) =>
    svc.data.query("D_Permits", { data: { query: body, paging } });
  const select = ["pyID", "Applicant", "pyStatusWork", "pxCreateDateTime", "pxUpdateDateTime", "Address"];
  const is = (field: string, comparator: string, value: string) => ({
    filter: { filterConditions: { F1: { lhs: { field }, comparator, rhs: { value } } } },
  });
  const by = (field: string, type = "DESC") => ({ sortBy: [{ field, type }] });
  return {
    "get": (svc) => svc.cases.get(middle),
    "history": (svc) => svc.social.getFeed("pyCaseFeed", { filterFor: middle }),
    "inbox": (svc) => svc.work.inbox(),
    "get-next": (svc) => svc.assignments.getNext(),
    "create": async (svc, turn) => {
      created[turn] = (await svc.cases.create({ type: TYPE, data: { Applicant: `New ${turn}` } })).id;
    },
    "perform": (svc, turn) =>
      svc.assignments.perform(`ASSIGN-WORKLIST ${created[turn]}!INTAKE`, {
        action: "Register",
        data: { Applicant: `Perform ${turn}`, Address: "Main Street 1" },
      }),
    "find a rare text": (svc, turn) => svc.work.find({ text: `applicant ${cases / 2 + turn}x` }),
    "find a frequent text": (svc) => svc.work.find({ text: "harbour" }),
    "find a missing text": (svc) => svc.work.find({ text: "nowhere to be found" }),
    "find by number": (svc) => svc.work.find({ businessId: `P-${cases / 2}` }),
    "first page": (svc) => query(svc, { select, ...by("pxCreateDateTime") }),
    "update order": (svc) => query(svc, { select, ...by("pxUpdateDateTime") }),
    "status and update order": (svc) =>
      query(svc, { select, ...is("pyStatusWork", "EQ", STATUSES[0]), ...by("pxUpdateDateTime") }),
    "start of a status": (svc) =>
      query(svc, { select, ...is("pyStatusWork", "STARTS_WITH", "Resolved-"), ...by("pxCreateDateTime") }),
    "status and creation order": (svc) =>
      query(svc, { select, ...is("pyStatusWork", "EQ", STATUSES[2]), ...by("pxCreateDateTime") }),
    "page after page": (svc, turn) =>
      query(svc, { select, ...by("pxCreateDateTime") }, { pageNumber: cases / 50 + turn - 10, pageSize: 25 }),
    "indexed field": (svc, turn) => query(svc, { select, ...is("Applicant", "EQ", `Applicant ${cases / 2 + turn}x`) }),
    "indexed order": (svc) => query(svc, { select, ...by("Applicant", "ASC") }),
    "contains": (svc, turn) => query(svc, { select, ...is("Applicant", "CONTAINS", `ant ${cases / 2 + turn}x`) }),
    "count": (svc) => svc.data.count("D_Permits"),
    "count of a status": (svc) =>
      query(svc, { select: ["pyID"], ...is("pyStatusWork", "EQ", STATUSES[0]) }, {
        maxResultsToFetch: 1,
        includeTotalCount: true,
      }),
    "insight by status": (svc) => svc.pages.insight("PermitsByStatus"),
    "insight of fees": (svc) => svc.pages.insight("FeesByChannel"),
    "tag search": (svc) => svc.social.searchTags({ searchFor: "roo" }),
    "tag suggestions": (svc) => svc.social.listSuggestedTags({ context: middle }),
    "mention suggestions": (svc) => svc.social.listMentions({ mentionsType: "Users", context: middle }),
    "feed of an operator": (svc) => svc.social.getFeed("pyUserFeed", { filterFor: "surveyor@city" }),
    "feed of the application": (svc) => svc.social.getFeed("pyDashboardFeed", { filterFor: "CityPermits" }),
  };
}

/** Fills a new database with cases of all statuses, a tenth of them open, with history, tags and messages. */
async function seed(place: Place, cases: number): Promise<void> {
  const { data, store: location } = place;
  await Deno.mkdir(data, { recursive: true, mode: 0o700 });
  // Creates the indexes and sums of the definition while there are no cases. Otherwise PostgreSQL would build them in the
  // background, while the calls are measured.
  if (location !== undefined) await (await startService({ ...place, log: () => {} })).close();
  const random = new SeededRandom(34);
  const store = await openStore(location === undefined ? { file: `${data}/service.db` } : { location });
  const batch = location === undefined ? BATCH : BATCH / 10;
  for (let first = 1; first <= cases; first += batch) {
    await store.transact(async (tx) => {
      for (let n = first; n < Math.min(first + batch, cases + 1); n++) await putPermit(tx, n, random);
    });
  }
  await store.close();
  if (location !== undefined) await collectStatistics(location);
}

/** Does what PostgreSQL otherwise does soon after many changes. */
async function collectStatistics(location: string): Promise<void> {
  const pool = await openPool(parseLocation(location, ""), { applicationName: "bench", statementSeconds: Infinity });
  await pool.use((connection) => connection.run("VACUUM ANALYZE")).finally(() => pool.close());
}

async function putPermit(tx: Transaction, n: number, random: SeededRandom): Promise<void> {
  const number = await tx.nextNumber("CITY-PERMIT-WORK P");
  const id = `CITY-PERMIT-WORK P-${number}`;
  const createdAt = new Date(Date.UTC(2024, 0, 1) + n * 20_000).toISOString();
  const updatedAt = new Date(Date.UTC(2024, 0, 1) + (n * 20 + Math.floor(random.next() * 1e6)) * 1000).toISOString();
  const isOpen = random.chance(OPEN);
  const status = isOpen ? STATUSES[0] : random.pick([STATUSES[1], STATUSES[2], STATUSES[2], STATUSES[3]]);
  const content = {
    Applicant: `Applicant ${n}x`,
    Channel: random.pick(CHANNELS),
    Address: `${random.pick(["Canal", "Harbour", "Church", "Market"])} Street ${n % 977}`,
    Area: Math.floor(random.next() * 1000),
    Urgent: random.chance(0.1),
    Fee: Math.floor(random.next() * 4000) / 2 + 50,
    Documents: [{ Title: `Plan of the ${random.pick(WORDS)}`, Pages: 3, Cost: 1.5 }],
    Contact: { Name: `Contact ${n}`, Phone: `+31 ${n}` },
    Advice: Array.from({ length: 30 }, () => random.pick(["the", "city", "permits", "no", "change"])).join(" "),
    pyLabel: `Permit for applicant ${n}`,
  };
  await tx.putCase({
    ...{ id, businessId: `P-${number}`, typeId: TYPE, status, urgency: 10, stageId: isOpen ? "PRIM1" : "PRIM2" },
    ...{ createdBy: "clerk@city", createdAt, updatedBy: "reviewer@city", updatedAt, tag: "20240101T000000.000 GMT" },
    ...{ content, flow: { visits: { PRIM0: 1 }, followers: ["clerk@city"] } },
  });
  if (isOpen) {
    await tx.putAssignment({
      ...{ id: `ASSIGN-WORKBASKET ${id}!REVIEW`, caseId: id, processId: "Review", stepId: "Check" },
      ...{ urgency: 20 + n % 3, createdAt, assignee: { kind: "queue", id: "Review" }, state: { task: "Check" } },
    });
  }
  for (const [kind, text] of [["created", "Created"], ["performed", "Registered"], ["stage", "Review"]] as const) {
    await tx.addEvent({ caseId: id, at: createdAt, by: "clerk@city", kind, text, facts: { type: TYPE } });
  }
  const tag = random.pick(WORDS);
  const common = { owner: id, at: createdAt };
  await tx.putItem({ ...common, kind: "caseTag", id: `${id}!${tag}`, content: { name: tag, addedBy: "clerk@city" } });
  if (!random.chance(0.2)) return;
  const message = {
    ...{ author: "clerk@city", text: `See the #${tag}`, mentions: ["planner@city"], tags: [tag], likes: [] },
    ...{ tag: "20240101T000000.000 GMT" },
  };
  await tx.putItem({ ...common, kind: "message", id: `PEGASOCIAL-MESSAGE ${n}`, content: message });
}
