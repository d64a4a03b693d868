import type { ApiAnswer, ApiCaller, ApiCallOptions } from "../../tests/harness/service.ts";
import { textAt, valueAt } from "../../tests/harness/service_engine.ts";
import type { JsonObject } from "../../utils/json.ts";
import type { SeededRandom } from "../support/seeded_random.ts";
import { Service } from "../support/service.ts";
import { Workspace } from "../support/workspace.ts";
import { openCallers } from "./open_caller.ts";
import { createResult, scaleNumber, type Scenario, type SoakOptions, type SoakResult } from "./scenario.ts";

const CLIENTS = 64;
const CASES = 10;
const CALLS = 2000;
const CASE_TYPE = "Race-Work-Item";

/** Number of attempts to perform an assignment, because others change the same case. */
const MAX_ATTEMPTS = 1000;

/** Status of a change whose entity tag is out of date. */
const STALE = 412;

/** The moves of a client. Repeated names are more frequent. */
const MOVES = ["read", "change", "change", "repeat", "work", "work", "tag", "follow", "post", "link"] as const;

/** Clients of different operators change the same cases, and everything is compared with a model. */
export const concurrentClients: Scenario = {
  name: "clients",
  what: `${CLIENTS} clients on ${CASES} cases, operations mixed, against a model`,
  target: "0 lost updates, 0 assignments given twice",
  seconds: 240,
  run: raceClients,
};

async function raceClients({ random, scale, program, signal, onProgress }: SoakOptions): Promise<SoakResult> {
  await using workspace = await Workspace.open(program);
  const operators = Array.from({ length: scaleNumber(CLIENTS, scale, 8) }, (_, n) => `worker${n}@race`);
  const app = `${workspace.directory}/race.yaml`;
  await Deno.writeTextFile(app, JSON.stringify(defineApplication(operators)));
  await using service = new Service(workspace, { flags: ["--app", app] });
  await service.start();
  const callers = await openCallers(workspace, service, app, operators);
  const race = new Race(random);
  for (let n = 0; n < CASES; n++) race.add(await create(callers));
  const calls = scaleNumber(CALLS, scale, 60);
  let done = 0;
  await Promise.all([...callers].map(async ([operator, caller]) => {
    const client = new RacingClient(race, operator, caller);
    for (let n = 0; n < calls && !signal.aborted; n++) {
      await client.move();
      if (++done % 10_000 === 0) onProgress(`${done} of ${calls * operators.length} operations`);
    }
  }));
  for (const [, caller] of [...callers].slice(0, 1)) await race.check(caller);
  await workspace.svc("service", "verify", "--data", service.data);
  const { changes, stale, given, lost, givenTwice, others } = race;
  return createResult(
    `${done} operations of ${operators.length} clients, ${changes} changes, ${stale} refused as stale, ` +
      `${given} assignments given; ${lost.length} lost updates, ${givenTwice.length} given twice, ${others.length} other faults`,
    [...lost, ...givenTwice, ...others],
  );
}

/** Defines a case whose only assignment returns to the queue whenever it is performed. */
function defineApplication(operators: readonly string[]) {
  const work = { name: "Work", route: { queue: "Shared" }, fields: ["Counter", "By"], next: [{ step: "Work" }] };
  return {
    application: { id: "Race", name: "Race", organisation: "Race" },
    operators: Object.fromEntries(operators.map((id) => [id, { name: id, queues: ["Shared"] }])),
    queues: { Shared: { name: "Shared work" } },
    caseTypes: {
      [CASE_TYPE]: {
        name: "Item",
        prefix: "I",
        workPool: "RACE-WORK",
        fields: { Counter: { type: "Integer", default: 0 }, By: { type: "Text" } },
        stages: { PRIM0: { name: "Work", processes: { Loop: { name: "Loop", steps: { Work: work } } } } },
        attachmentCategories: { URL: { name: "Link", type: "URL" } },
      },
    },
  };
}

async function create(callers: ReadonlyMap<string, ApiCaller>): Promise<ApiAnswer> {
  const [caller] = callers.values();
  const answer = await caller?.call("POST", "/cases", { body: { caseTypeID: CASE_TYPE } });
  if (answer?.status === 201) return answer;
  throw new Error(`No case was created: ${JSON.stringify(answer?.body)}`);
}

/** State of a case, as the responses imply it. */
interface CaseModel {
  readonly id: string;
  readonly path: string;
  readonly firstTag: string;
  /** The tag after a change by the tag before it. */
  readonly changes: Map<string, string>;
  /** The counter by tag. */
  readonly counters: Map<string, number>;
  readonly tags: Set<string>;
  readonly followers: Set<string>;
  readonly links: Set<string>;
  messages: number;
  /** The client that has the assignment. */
  holder?: { readonly operator: string; isPerforming: boolean };
}

/** The model of all cases. */
class Race {
  readonly cases: CaseModel[] = [];
  readonly random: SeededRandom;
  changes = 0;
  stale = 0;
  given = 0;
  readonly lost: string[] = [];
  readonly givenTwice: string[] = [];
  readonly others: string[] = [];

  constructor(random: SeededRandom) {
    this.random = random;
  }

  add({ body, headers }: ApiAnswer): void {
    const id = textAt(body, "id");
    const firstTag = headers.get("etag") ?? "";
    this.cases.push({
      id,
      path: `/cases/${encodeURIComponent(id)}`,
      firstTag,
      changes: new Map(),
      counters: new Map([[firstTag, 0]]),
      tags: new Set(),
      followers: new Set(),
      links: new Set(),
      messages: 0,
    });
  }

  pick(): CaseModel {
    const [first, ...rest] = this.cases;
    if (first === undefined) throw new Error("There are no cases.");
    return this.random.pick([first, ...rest]);
  }

  /** Records that a change with a tag succeeded. */
  record(model: CaseModel, before: string, after: string, counter: number): void {
    const earlier = model.changes.get(before);
    if (earlier !== undefined && earlier !== after) {
      this.lost.push(`${model.id}: the state ${before} was changed twice, to ${earlier} and ${after}`);
    }
    if (earlier === after) return; // The repetition of a change.
    model.changes.set(before, after);
    model.counters.set(after, counter);
    this.changes++;
  }

  /** Checks that a state that was read is one that a change made. Its change may not have been answered yet. */
  checkRead(model: CaseModel, tag: string, counter: number): void {
    const known = model.counters.get(tag);
    if (known === undefined) model.counters.set(tag, counter);
    else if (known !== counter) this.lost.push(`${model.id}: the counter of ${tag} was ${known} and is ${counter}`);
  }

  /** Compares the final state of all cases with the model. */
  async check(caller: ApiCaller): Promise<void> {
    for (const model of this.cases) {
      const { body, headers } = await caller.call("GET", model.path);
      const counter = valueAt(body, "data.caseInfo.content.Counter");
      let [tag, length] = [model.firstTag, 0];
      for (let next = model.changes.get(tag); next !== undefined; next = model.changes.get(tag)) {
        [tag, length] = [next, length + 1];
      }
      if (tag !== headers.get("etag") || length !== model.changes.size || counter !== length) {
        this.lost.push(
          `${model.id}: ${model.changes.size} changes succeeded, ${length} of them in a row; ` +
            `the counter is ${counter}, the tag ${headers.get("etag")} instead of ${tag}`,
        );
      }
      await this.#compare(caller, model, "tags", "tagsList", "tagName", model.tags);
      await this.#compare(caller, model, "followers", "followers", "id", model.followers);
      await this.#compare(caller, model, "attachments", "attachments", "name", model.links);
      await this.#countMessages(caller, model);
    }
  }

  async #compare(
    caller: ApiCaller,
    model: CaseModel,
    resource: string,
    list: string,
    member: string,
    expected: ReadonlySet<string>,
  ): Promise<void> {
    const listed = valueAt((await caller.call("GET", `${model.path}/${resource}`)).body, list);
    const found = (Array.isArray(listed) ? listed : []).map((one) => textAt(one, member)).toSorted().join();
    const wanted = [...expected].toSorted().join();
    if (found !== wanted) this.lost.push(`${model.id}: the ${resource} are '${found}' instead of '${wanted}'`);
  }

  async #countMessages(caller: ApiCaller, model: CaseModel): Promise<void> {
    const query = new URLSearchParams({ filterBy: "messages", filterFor: model.id, pageSize: "100" });
    const ids = new Set<string>();
    for (let hasMore = true; hasMore;) {
      const { body } = await caller.call("GET", `/messages?${query}`);
      const listed = valueAt(body, "messages");
      const messages = Array.isArray(listed) ? listed : [];
      for (const message of messages) ids.add(textAt(message, "id"));
      hasMore = valueAt(body, "hasMoreResults") === true;
      if (hasMore) query.set("olderThan", textAt(messages.at(-1), "postedTime"));
    }
    if (ids.size !== model.messages) this.lost.push(`${model.id}: ${ids.size} messages instead of ${model.messages}`);
  }
}

/** A client that makes one call after the other. */
class RacingClient {
  readonly #race: Race;
  readonly #operator: string;
  readonly #caller: ApiCaller;
  #sent = 0;

  constructor(race: Race, operator: string, caller: ApiCaller) {
    this.#race = race;
    this.#operator = operator;
    this.#caller = caller;
  }

  /** Makes a random move on a random case. */
  async move(): Promise<void> {
    const model = this.#race.pick();
    const moves: Readonly<Record<typeof MOVES[number], () => Promise<unknown>>> = {
      read: () => this.#read(model),
      change: () => this.#change(model),
      repeat: () => this.#changeTwice(model),
      work: () => this.#work(),
      tag: () => this.#toggle(model.tags, this.#operator, `${model.path}/tags`, (Name) => ({ tags: [{ Name }] })),
      follow: () =>
        this.#toggle(model.followers, this.#operator, `${model.path}/followers`, (ID) => ({ users: [{ ID }] })),
      post: () => this.#post(model),
      link: () => this.#link(model),
    };
    await moves[this.#race.random.pick(MOVES)]();
  }

  async #read(model: CaseModel): Promise<{ tag: string; counter: number }> {
    const { body, headers } = await this.#expect([200], "GET", model.path);
    const tag = headers.get("etag") ?? "";
    const counter = Number(valueAt(body, "data.caseInfo.content.Counter"));
    this.#race.checkRead(model, tag, counter);
    return { tag, counter };
  }

  /** Increments the counter of a case if it is unchanged since it was read. */
  async #change(model: CaseModel): Promise<void> {
    const { tag, counter } = await this.#read(model);
    await this.#increment(model, `${model.path}/actions/pyUpdateCaseDetails`, tag, counter);
  }

  /** Sends the same change twice at the same time. It must be applied at most once. */
  async #changeTwice(model: CaseModel): Promise<void> {
    const { tag, counter } = await this.#read(model);
    const key = crypto.randomUUID();
    const path = `${model.path}/actions/pyUpdateCaseDetails`;
    const tags = await Promise.all([1, 2].map(() => this.#increment(model, path, tag, counter, key)));
    const changed = tags.filter((one) => one !== undefined);
    if (new Set(changed).size > 1) this.#race.lost.push(`${model.id}: one key changed it to ${changed.join(" and ")}`);
  }

  /** Returns the tag after the change, or undefined if the change was refused. */
  async #increment(
    model: CaseModel,
    path: string,
    before: string,
    counter: number,
    key: string = crypto.randomUUID(),
  ): Promise<string | undefined> {
    const { status, headers } = await this.#expect([200, STALE], "PATCH", path, {
      body: { content: { Counter: counter + 1, By: this.#operator } },
      headers: { "if-match": before, "idempotency-key": key },
    });
    if (status === STALE) {
      this.#race.stale++;
      return undefined;
    }
    const after = headers.get("etag") ?? "";
    this.#race.record(model, before, after, counter + 1);
    return after;
  }

  /** Gets the next assignment and performs it. Meanwhile no other client may get it. */
  async #work(): Promise<void> {
    const { status, body } = await this.#expect([200, 404], "GET", "/assignments/next");
    if (status === 404) return; // The other clients have all of them.
    this.#race.given++;
    const assignment = textAt(body, "data.caseInfo.assignments.0.ID");
    const model = this.#race.cases.find(({ id }) => assignment.includes(`${id}!`));
    if (model === undefined) throw new Error(`The assignment ${assignment} belongs to no case.`);
    const { holder } = model;
    if (holder !== undefined && !holder.isPerforming) {
      this.#race.givenTwice.push(`${assignment}: given to ${this.#operator} while ${holder.operator} has it`);
    }
    const mine = { operator: this.#operator, isPerforming: false };
    model.holder = mine;
    const path = `/assignments/${encodeURIComponent(assignment)}/actions/Work`;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { tag, counter } = await this.#read(model);
      mine.isPerforming = true;
      if (await this.#increment(model, path, tag, counter) !== undefined) break;
      mine.isPerforming = false;
      if (model.holder !== mine) {
        this.#race.givenTwice.push(`${assignment}: ${this.#operator} lost it without performing it`);
      }
    }
    if (model.holder === mine) model.holder = undefined;
  }

  /** Adds the client's own element to a list of a case, or removes it. */
  async #toggle(
    elements: Set<string>,
    element: string,
    path: string,
    toBody: (element: string) => JsonObject,
  ): Promise<void> {
    if (elements.has(element)) {
      await this.#expect([200], "DELETE", `${path}/${encodeURIComponent(element)}`);
      elements.delete(element);
      return;
    }
    const { body } = await this.#expect([207], "POST", path, { body: toBody(element) });
    const status = valueAt(body, "0.status");
    if (status !== "201") this.#race.others.push(`POST ${path}: ${status} for ${element}`);
    elements.add(element);
  }

  async #post(model: CaseModel): Promise<void> {
    await this.#expect([201], "POST", "/messages", { body: { context: model.id, message: `From ${this.#operator}` } });
    model.messages++;
  }

  async #link(model: CaseModel): Promise<void> {
    const name = `Link ${++this.#sent} of ${this.#operator}`;
    const link = { type: "URL", category: "URL", name, url: "https://link.example" };
    await this.#expect([201], "POST", `${model.path}/attachments`, { body: { attachments: [link] } });
    model.links.add(name);
  }

  /** Makes a call. Throws if its status is not one of those expected. */
  async #expect(
    statuses: readonly number[],
    method: string,
    path: string,
    options?: ApiCallOptions,
  ): Promise<ApiAnswer> {
    const answer = await this.#caller.call(method, path, options);
    if (statuses.includes(answer.status)) return answer;
    throw new Error(`${method} ${path} responded with ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
}
