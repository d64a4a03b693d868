/** Visits whose forms are read, drawn and submitted over HTTP. */
import assert from "node:assert/strict";
import { ChoiceLoader, createChoiceSource, type Form, type FormQuestion, readForm } from "../../../../lib/forms/mod.ts";
import { type Client, createClient } from "../../../../mod.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from "../../../../utils/json.ts";
import { openService, type TestService } from "../../../harness/service.ts";
import { objectAt, textAt } from "../../../harness/service_engine.ts";
import { VISITS } from "./_definition.ts";

const RECORDS: Readonly<Record<string, readonly JsonObject[]>> = {
  D_Countries: [{ Code: "NO", Name: "Norway" }, { Code: "SE", Name: "Sweden" }],
  D_RegionRecords: [
    { Country: "NO", Code: "W", Name: "West" },
    { Country: "NO", Code: "E", Name: "East" },
    { Country: "SE", Code: "W", Name: "Väst" },
  ],
  D_TownRecords: [{ Code: "b", Region: "W", Name: "Bergen" }, { Code: "o", Region: "E", Name: "Oslo" }],
  D_DepotRecords: [
    { ID: 1, City: "Oslo", Zip: "0150", Size: "Large" },
    { ID: 2, City: "Bergen", Zip: "5003", Size: "Small" },
  ],
  D_Skills: [{ ID: 1, Text: "Driving" }, { ID: 2, Text: "Cooking" }, { ID: 3, Text: "Singing" }],
};

/** Names of the forms. */
export const TYPE = "Acme-Visits-Work-Visit";

/** The response with a form, and the form that is drawn from it. */
export interface OpenForm {
  readonly action: string;
  readonly body: JsonObject;
  readonly form: Form;
}

/** The office in which visits are planned. */
export class Office implements AsyncDisposable {
  readonly service: TestService;
  readonly client: Client;
  /** Loads the choices of forms. */
  readonly loader: ChoiceLoader;

  private constructor(service: TestService, client: Client) {
    this.service = service;
    this.client = client;
    this.loader = new ChoiceLoader(createChoiceSource(client));
  }

  /** Opens an office with its records for all tests of a file. */
  static async openForAll(): Promise<Office> {
    const service = await openService({ yaml: VISITS, logRequests: true, logFormat: "json" });
    const credentials = await service.service.addClient("ada@acme");
    const client = createClient({ baseUrl: service.service.url, ...credentials, noCache: true });
    for (const [view, records] of Object.entries(RECORDS)) {
      for (const data of records) await client.data.create(view, { data });
    }
    const office = new Office(service, client);
    Deno.test.afterAll(async () => await office[Symbol.asyncDispose]());
    return office;
  }

  /** Creates a visit. */
  async visit(data: JsonObject = {}): Promise<Visit> {
    const created = await this.client.cases.create({ type: TYPE, data });
    assert.ok(isJsonObject(created));
    return new Visit(this, textAt(created, "id"), textAt(created, "nextAssignmentInfo.ID"));
  }

  /** Returns a function that lists the operations of the calls since now, without the requests of tokens. */
  watch(): () => string[] {
    const { log } = this.service;
    const start = log.length;
    const read = (line: string) => String(parseJsonObject(line)?.operation);
    return () => log.slice(start).map(read).filter((operation) => operation !== "token");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
  }
}

/** A visit. */
export class Visit {
  readonly office: Office;
  readonly caseId: string;
  readonly assignmentId: string;

  constructor(office: Office, caseId: string, assignmentId: string) {
    this.office = office;
    this.caseId = caseId;
    this.assignmentId = assignmentId;
  }

  /** Sends a request below the API, which must succeed. */
  async send(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
    const headers = { "if-match": "*" };
    const answer = await this.office.service.call(method, path, { body, headers });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return isJsonObject(answer.body) ? answer.body : {};
  }

  /** Path of an action of the assignment. */
  path(action: string): string {
    return `/assignments/${this.assignmentId}/actions/${action}`;
  }

  /** Reads and draws the form of an action. */
  async open(action: string): Promise<OpenForm> {
    const body = await this.send("GET", `${this.path(action)}?viewType=form`);
    return { action, body, form: readForm(body, { action, timeZone: "Europe/Oslo" }) };
  }

  /** Submits a form and returns the content of the case. */
  async submit(action: string, form: Form): Promise<JsonObject> {
    const { content, pageInstructions } = form.toSubmission();
    await this.send("PATCH", this.path(action), { content, pageInstructions });
    return await this.content();
  }

  /** Submits a form that must be refused, and returns the body of the response. */
  async refused(action: string, form: Form): Promise<{ status: number; body: JsonObject }> {
    const { content, pageInstructions } = form.toSubmission();
    const headers = { "if-match": "*" };
    const body = { content, pageInstructions };
    const answer = await this.office.service.call("PATCH", this.path(action), { body, headers });
    assert.ok(isJsonObject(answer.body) && answer.status >= 400, JSON.stringify(answer.body));
    return { status: answer.status, body: answer.body };
  }

  /** Sends the call that a form needs after a change, and continues with its response. */
  async refresh(action: string, form: Form, path?: string): Promise<Form> {
    const needed = form.refreshFor(path);
    assert.ok(needed, "the form needs a refresh");
    const operation = needed.operation === undefined ? "" : `?operation=${needed.operation}`;
    return form.apply(await this.send("PATCH", `${this.path(action)}/refresh${operation}`, needed.body));
  }

  /** Reads the content of the case. */
  async content(): Promise<JsonObject> {
    return objectAt(await this.send("GET", `/cases/${this.caseId}`), "data.caseInfo.content");
  }
}

/** Returns the part of a form at a path, which must be of a type. */
export function part<T extends FormQuestion["type"]>(form: Form, path: string, type: T): FormQuestion & { type: T } {
  const question = form.find(path);
  assert.ok(question !== undefined && isOfType(question, type), `${path} is a ${type}`);
  return question;
}

function isOfType<T extends FormQuestion["type"]>(
  question: FormQuestion,
  type: T,
): question is FormQuestion & { type: T } {
  return question.type === type;
}

/** Removes the classes of pages, which no form shows. */
export function withoutClasses(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((part) => withoutClasses(part) ?? null);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => name !== "classID");
  return Object.fromEntries(members.map(([name, member]) => [name, withoutClasses(member)]));
}
