import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { ApiAnswer, ApiCaller, ApiCallOptions } from "../../tests/harness/service.ts";
import { objectAt, textAt, valueAt } from "../../tests/harness/service_engine.ts";
import { forEachConcurrently } from "../support/for_each_concurrently.ts";
import type { SeededRandom } from "../support/seeded_random.ts";

const PERMIT = "City-Permit-Work-Permit";
const CHECK_CONCURRENCY = 16;
const MAX_REVISIONS = 6;
const FILE_BYTES = 20_000;

/** Chances of the writes of a case. */
const FILE_CHANCE = 0.3;
const REGISTER_CHANCE = 0.3;

/** Chance that a writer never repeats a write that was interrupted. */
const ABANDON_CHANCE = 0.2;

/** Statuses of a service that could not do a write, but will be able to. */
const TEMPORARY = [503, 507];

/** Options of a load. */
export interface WriteLoadOptions {
  /** Number of concurrent writers. */
  readonly writers: number;
  /** Random numbers. */
  readonly random: SeededRandom;
  /** Waits after an interrupted write until the service is available. */
  readonly waitUntilAvailable: () => Promise<void>;
  /** Called after a write has succeeded. */
  readonly onAnswer?: () => void;
}

/** State of a case. Each revision changes several fields at once. */
interface Revision {
  /** Value of `Area`, and part of `Address`. */
  readonly number: number;
  /** True if the case has reached its second stage. */
  readonly isRegistered: boolean;
  /** Contents of its files. */
  readonly files: readonly string[];
}

/** A case that a writer has created, or has tried to. */
export interface WrittenCase {
  /** Value of `Applicant`, by which the case is found. */
  readonly key: string;
  /** Handle, if the creation was answered. */
  id?: string;
  /** State after the last write that was answered. */
  confirmed?: Revision;
  /** True if its writer has moved on to another case. */
  isFinished: boolean;
  /** State after a write that was interrupted and never repeated. It may have been done. */
  unknown?: Revision;
}

/** A write that was interrupted and is not repeated. */
class Abandoned extends Error {}

/**
 * Writers that create and change cases, each write with an idempotency key, and remember what was answered. An
 * interrupted write is repeated with its key or abandoned.
 */
export class WriteLoad {
  /** The cases of all writers. */
  readonly cases: WrittenCase[] = [];
  /** Number of writes that were answered. */
  answered = 0;
  /** Number of writes that were interrupted. */
  interrupted = 0;
  /** Answers that must not occur. */
  readonly faults: string[] = [];
  readonly #caller: ApiCaller;
  readonly #options: WriteLoadOptions;

  /** Creates a load on a service. */
  constructor(caller: ApiCaller, options: WriteLoadOptions) {
    this.#caller = caller;
    this.#options = options;
  }

  /** Writes until a signal aborts and all current writes have ended. */
  async run(signal: AbortSignal): Promise<void> {
    const writers = Array.from({ length: this.#options.writers }, async (_, writer) => {
      for (let n = 1; !signal.aborted; n++) await this.#writeCase(`${writer}-${n}`, signal);
    });
    await Promise.all(writers);
  }

  /** Compares cases with what the service returns, and lists the differences. Default: all cases. */
  async check(caller: ApiCaller, cases: readonly WrittenCase[] = this.cases): Promise<string[]> {
    const faults = [...this.faults];
    await forEachConcurrently(cases, CHECK_CONCURRENCY, async (written) => {
      const found = await checkCase(caller, written);
      faults.push(...found.map((fault) => `case ${written.id ?? "without an answer"} of ${written.key}: ${fault}`));
    });
    return faults;
  }

  async #writeCase(key: string, signal: AbortSignal): Promise<void> {
    const written: WrittenCase = { key, isFinished: false };
    this.cases.push(written);
    try {
      await this.#advance(written, signal);
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
    }
    written.isFinished = true;
  }

  async #advance(written: WrittenCase, signal: AbortSignal): Promise<void> {
    const { random } = this.#options;
    let next: Revision = { number: 1, isRegistered: false, files: [] };
    const content = createContent(written.key, next);
    const created = await this.#write(written, next, "POST", "/cases", { body: { caseTypeID: PERMIT, content } });
    if (created === undefined) return;
    written.id = textAt(created.body, "id");
    let tag = created.headers.get("etag");
    const path = `/cases/${encodeURIComponent(written.id)}`;
    const assignment = encodeURIComponent(textAt(created.body, "nextAssignmentInfo.ID"));
    const revisions = 1 + Math.floor(random.next() * MAX_REVISIONS);
    for (let revision = 1; revision <= revisions && !signal.aborted; revision++) {
      if (random.chance(FILE_CHANCE)) {
        next = { ...next, files: [...next.files, createFile(written.key, next)] };
        if (!await this.#attach(written, next, path)) return;
      }
      const isRegistering = revision === revisions && random.chance(REGISTER_CHANCE);
      next = { ...next, number: next.number + 1, isRegistered: isRegistering };
      const action = isRegistering
        ? `/assignments/${assignment}/actions/Register`
        : `${path}/actions/pyUpdateCaseDetails`;
      const changed = await this.#write(written, next, "PATCH", action, {
        body: { content: createContent(written.key, next) },
        headers: tag === null ? {} : { "if-match": tag }, // The write fails if the previous one was lost.
      });
      if (changed === undefined) return;
      tag = changed.headers.get("etag");
    }
  }

  /** Uploads a file and attaches it. Returns false if that failed. */
  async #attach(written: WrittenCase, next: Revision, path: string): Promise<boolean> {
    const form = new FormData();
    form.append("file", new File([next.files.at(-1) ?? ""], "plan.txt"));
    // A browser chooses the boundary of the form, which is part of the content type.
    const [text, type] = await encodeForm(form);
    const options = { text, headers: { "content-type": type } };
    const uploaded = await this.#write(written, undefined, "POST", "/attachments/upload", options);
    if (uploaded === undefined) return false;
    const attachment = { type: "File", category: "File", ID: textAt(uploaded.body, "ID") };
    const body = { attachments: [attachment] };
    return await this.#write(written, next, "POST", `${path}/attachments`, { body }) !== undefined;
  }

  /**
   * Sends a write until it is answered. Afterwards the case has the next state, if there is one. Returns undefined and
   * records a fault if the service refuses the write.
   */
  async #write(
    written: WrittenCase,
    next: Revision | undefined,
    method: string,
    path: string,
    options: ApiCallOptions,
  ): Promise<ApiAnswer | undefined> {
    const headers = { ...options.headers, "idempotency-key": crypto.randomUUID() };
    for (;;) {
      const answer = await this.#call(method, path, { ...options, headers });
      if (answer !== undefined && !TEMPORARY.includes(answer.status)) {
        return this.#record(written, next, answer, `${method} ${path}`);
      }
      this.interrupted++;
      if (answer === undefined && next !== undefined && this.#options.random.chance(ABANDON_CHANCE)) {
        written.unknown = next;
        throw new Abandoned();
      }
      await this.#options.waitUntilAvailable();
    }
  }

  #record(written: WrittenCase, next: Revision | undefined, answer: ApiAnswer, request: string): ApiAnswer | undefined {
    if (answer.status >= 300) {
      this.faults.push(`${request} was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
      return undefined;
    }
    if (next !== undefined) written.confirmed = next;
    this.answered++;
    this.#options.onAnswer?.();
    return answer;
  }

  /** Returns undefined if the connection breaks before the answer is complete. */
  async #call(method: string, path: string, options: ApiCallOptions): Promise<ApiAnswer | undefined> {
    try {
      return await this.#caller.call(method, path, options);
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }
}

function createContent(key: string, { number }: Revision): JsonObject {
  return { Applicant: key, Area: number, Address: createAddress(key, number) };
}

function createAddress(key: string, number: number): string {
  return `Address ${number} of ${key}`;
}

function createFile(key: string, { number }: Revision): string {
  return `Plan ${number} of ${key}\n`.repeat(Math.ceil(FILE_BYTES / 20));
}

async function encodeForm(form: FormData): Promise<[body: Blob, type: string]> {
  const response = new Response(form);
  return [await response.blob(), response.headers.get("content-type") ?? ""];
}

/** Lists how a case differs from every state that it may have. */
async function checkCase(caller: ApiCaller, { key, id, confirmed, unknown }: WrittenCase): Promise<string[]> {
  const handle = id ?? await findByApplicant(caller, key);
  if (handle === undefined) return [];
  const path = `/cases/${encodeURIComponent(handle)}`;
  const found = await caller.call("GET", path);
  if (found.status !== 200) return [`the case is lost: ${found.status}`];
  const allowed = [confirmed, unknown].filter((revision) => revision !== undefined);
  const revision = await readRevision(caller, path, found.body);
  const { Applicant, Area, Address, Fee } = objectAt(found.body, "data.caseInfo.content");
  const kinds = await readHistory(caller, handle);
  const expected = allowed.find((one) => isSame(one, revision));
  const assignment = String(valueAt(found.body, "data.caseInfo.assignments.0.ID"));
  const history = { created: 1, stage: revision.isRegistered ? 2 : 1, performed: Number(Area) - 1 };
  return [
    ...expected === undefined ? [`it is ${summarize(revision)} instead of ${allowed.map(summarize).join(" or ")}`] : [],
    ...assignment.endsWith(revision.isRegistered ? "!REVIEW" : "!INTAKE")
      ? []
      : [`the status is ${textAt(found.body, "status")}, but the assignment is ${assignment}`],
    ...Applicant === key && Address === createAddress(key, Number(Area)) && Fee === 50 + Number(Area) * 2.5
      ? []
      : [`a write was half done: ${JSON.stringify({ Applicant, Area, Address, Fee })}`],
    ...Object.entries(history).flatMap(([kind, count]) => {
      const actual = kinds.filter((one) => one === kind).length;
      return actual === count ? [] : [`the history has ${actual} lines '${kind}' instead of ${count}`];
    }),
  ];
}

async function readRevision(caller: ApiCaller, path: string, body: JsonValue | undefined): Promise<Revision> {
  const listed = valueAt((await caller.call("GET", `${path}/attachments`)).body, "attachments");
  const files = await Promise.all((Array.isArray(listed) ? listed : []).map(async (one) => {
    return await readFile(caller, textAt(one, "ID"));
  }));
  return {
    number: Number(valueAt(body, "data.caseInfo.content.Area")),
    isRegistered: textAt(body, "status") !== "New",
    files,
  };
}

/** Returns the text of a file. */
async function readFile({ api, token }: ApiCaller, id: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${api}/attachments/${encodeURIComponent(id)}`, { headers });
  return atob(await response.text());
}

async function readHistory(caller: ApiCaller, handle: string): Promise<string[]> {
  const body = { dataViewParameters: { CaseInstanceKey: handle } };
  const rows = valueAt((await caller.call("POST", "/data_views/D_pyWorkHistory", { body })).body, "data");
  return (Array.isArray(rows) ? rows : []).map((row) => textAt(row, "pyHistoryType"));
}

/** Finds a case whose creation was not answered. */
async function findByApplicant(caller: ApiCaller, key: string): Promise<string | undefined> {
  const filterConditions = { F1: { lhs: { field: "Applicant" }, comparator: "EQ", rhs: { value: key } } };
  const body = { query: { select: [{ field: "pyID" }], filter: { logic: "F1", filterConditions } } };
  const rows = valueAt((await caller.call("POST", "/data_views/D_Permits", { body })).body, "data");
  const [first, ...others] = Array.isArray(rows) ? rows : [];
  if (others.length > 0) throw new Error(`One creation made ${others.length + 1} cases of ${key}`);
  return first === undefined ? undefined : `CITY-PERMIT-WORK ${textAt(first, "pyID")}`;
}

function isSame(one: Revision, other: Revision): boolean {
  return one.number === other.number && one.isRegistered === other.isRegistered &&
    one.files.toSorted().join() === other.files.toSorted().join();
}

function summarize({ number, isRegistered, files }: Revision): string {
  return `revision ${number} with ${files.length} files${isRegistered ? ", registered" : ""}`;
}
