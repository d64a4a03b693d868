/** Permits in a queue, and robots that review them. */
import { type Client, createClient } from "../../../mod.ts";
import { startService } from "../../../service/mod.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { type CommandResult, makeFolder, runCommand } from "../../harness/svc.ts";
import { scriptText, workflowCommand } from "../../harness/workflow.ts";
import { within } from "../../harness/wait.ts";

/** Completes the review of a permit: three screens. */
export const REVIEW = `
    const perform = (action, data) => svc.assignments.perform(input.assignment, { action, data });
    await perform("CheckApplication", {});
    await perform("CheckDocuments", {});
    const { status } = await perform("GiveAdvice", { Complete: true, Advice: "Grant." });
    return { [input.businessID]: status };`;

/** A service with permits in the queue Review, and robots that act as a reviewer. */
export interface Review extends AsyncDisposable {
  readonly clerk: Client;
  readonly robot: Client;
  /** Adds a permit to the queue. */
  register(applicant: string): Promise<void>;
  /** Replaces the body of the script. */
  write(text: string): Promise<void>;
  /** Runs a robot until it ends. */
  work(...args: string[]): Promise<CommandResult>;
  /** Starts a robot. */
  start(...args: string[]): Deno.ChildProcess;
  /** Runs `svc workflow`. */
  svc(...args: string[]): Promise<CommandResult>;
  /** Lists where the assignments of the robot are: `P-1 Review`, `P-2 worklist`. */
  listPlaces(): Promise<string[]>;
}

/**
 * Opens a service with some permits, and robots whose script has a body. Default: a journal in SQLite. `findProxy` returns the
 * address at which robots reach the service.
 */
export async function openReview(
  body: string,
  count: number,
  journal?: string,
  findProxy = (url: string) => url,
): Promise<Review> {
  const service = await startService();
  const clerk = await connect(service, "clerk@city");
  const register = async (applicant: string) => {
    const data = { Applicant: applicant, Address: "Main St 1" };
    const { nextAssignmentInfo: next } = await clerk.client.cases.create({ type: "City-Permit-Work-Permit", data });
    await clerk.client.assignments.perform(next?.ID ?? "", { action: "Register", data });
  };
  for (let n = 1; n <= count; n++) await register(`A${n}`);
  const robot = await connect(service, "reviewer@city");
  const folder = await makeFolder({ "script.ts": scriptText(body, ["assignments.perform", "data.count"]) });
  const config = await makeFolder();
  const env = {
    SVC_BASE_URL: findProxy(service.url),
    SVC_CLIENT_ID: robot.clientId,
    SVC_CLIENT_SECRET: robot.clientSecret,
  };
  const at = journal === undefined ? [] : ["--journal", journal];
  const command = (...args: string[]) =>
    workflowCommand(["work", "script.ts", "--queue", "Review", "--allow-declared", ...at, ...args], {
      directory: config.path,
      env,
      cwd: folder.path,
    });
  return {
    clerk: clerk.client,
    robot: robot.client,
    register,
    write: (text: string) => Deno.writeTextFile(`${folder.path}/script.ts`, scriptText(text, ["assignments.perform"])),
    work: (...args: string[]): Promise<CommandResult> => runCommand(command(...args)),
    start: (...args: string[]) => command(...args).spawn(),
    svc: (...args: string[]) =>
      runCommand(workflowCommand([...args, ...at], { directory: config.path, env, cwd: folder.path })),
    async listPlaces() {
      const { assignments } = await robot.client.work.inbox();
      return assignments.map(({ businessID, assigneeInfo }) =>
        `${businessID} ${assigneeInfo?.type === "worklist" ? "worklist" : assigneeInfo?.ID}`
      ).toSorted();
    },
    async [Symbol.asyncDispose]() {
      await within("the service closes", service.close());
      await folder[Symbol.asyncDispose]();
      await config[Symbol.asyncDispose]();
    },
  };
}

async function connect(
  service: Awaited<ReturnType<typeof startService>>,
  operator: string,
): Promise<{ client: Client; clientId: string; clientSecret: string }> {
  const { clientId, clientSecret } = await service.addClient(operator);
  return {
    client: createClient({ baseUrl: service.url, clientId, clientSecret, noCache: true }),
    clientId,
    clientSecret,
  };
}

export function readResults({ stdout }: CommandResult): Record<string, unknown>[] {
  return stdout.trimEnd().split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** Tests a property of one robot with a journal in each database. */
export function testRobot(
  name: string,
  body: string,
  count: number,
  check: (review: Review, database: "SQLite" | "PostgreSQL") => Promise<void>,
): void {
  Deno.test(`SQLite: ${name}`, async () => {
    await using review = await openReview(body, count);
    await check(review, "SQLite");
  });
  Deno.test(`PostgreSQL: ${name}`, async () => {
    await using schema = useTestSchema();
    await using review = await openReview(body, count, schema.location);
    await check(review, "PostgreSQL");
  });
}
