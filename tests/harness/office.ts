/** A service with a script that works on it, in processes of `svc workflow` that share a journal. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createClient } from "../../mod.ts";
import { startService } from "../../service/mod.ts";
import { makeFolder, scriptText } from "./workflow.ts";
import { type Ended, endOf, workflowCommand } from "./workflow_process.ts";

/** Creates a case. */
export const CREATE =
  `const made = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada", Address: "B" } });`;

/** Waits until the test has made a further case: the number of cases is what the script looks at. */
export const UNTIL_TOLD =
  `while ((await svc.data.count("D_Permits")).resultCount < 2) await new Promise((again) => setTimeout(again, 20));`;

/** A service, a script and a journal. */
export interface Office extends AsyncDisposable {
  readonly folder: string;
  readonly config: string;
  write(body: string): Promise<void>;
  svc(...args: string[]): Promise<Ended>;
  start(...args: string[]): Deno.ChildProcess;
  /** Starts a command that reads what the test writes. */
  pipe(...args: string[]): Deno.ChildProcess;
  /** Calls another service, or this one as somebody else. */
  turnTo(other: { baseUrl?: string; clientId?: string }): void;
  /** Calls its own service again. */
  turnBack(): void;
  permits(): Promise<number>;
  createPermit(): Promise<void>;
  /** Changes the journal, to what a kill at a certain moment leaves. */
  sql(text: string): void;
}

/** Opens one with a script whose `run` has this body. */
export async function openOffice(body: string): Promise<Office> {
  const service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const folder = await makeFolder({ "script.ts": scriptText(body) });
  const config = await makeFolder();
  const client = createClient({ baseUrl: service.url, clientId, clientSecret, noCache: true });
  const env = {
    SVC_BASE_URL: service.url,
    SVC_CLIENT_ID: clientId,
    SVC_CLIENT_SECRET: clientSecret,
  };
  const command = (args: string[], stdin?: "piped") => {
    return workflowCommand(args, { directory: config.path, env, cwd: folder.path, stdin });
  };
  return {
    folder: folder.path,
    config: config.path,
    write: (text) => Deno.writeTextFile(`${folder.path}/script.ts`, scriptText(text)),
    svc: (...args) => endOf(command(args)),
    start: (...args) => command(args).spawn(),
    pipe: (...args) => command(args, "piped").spawn(),
    turnTo({ baseUrl, clientId: other }) {
      if (baseUrl !== undefined) env.SVC_BASE_URL = baseUrl;
      if (other !== undefined) env.SVC_CLIENT_ID = other;
    },
    turnBack: () => Object.assign(env, { SVC_BASE_URL: service.url, SVC_CLIENT_ID: clientId }),
    permits: async () => (await client.data.count("D_Permits")).resultCount,
    async createPermit() {
      await client.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "B", Address: "C" } });
    },
    sql(text) {
      using db = new DatabaseSync(`${config.path}/workflows.db`, { timeout: 10_000 }); // A run may be writing.
      db.exec(text);
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
      await config[Symbol.asyncDispose]();
    },
  };
}

/** Reads a process's stderr until it says this; gives all that it says in the end. */
export async function untilItSays(process: Deno.ChildProcess, text: string): Promise<{ rest: Promise<string> }> {
  const reader = process.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!said.includes(text)) {
    const { value, done } = await reader.read();
    if (done) assert.fail(`it ended and said only ${said}`);
    said += value;
  }
  const rest = async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return said;
      said += value;
    }
  };
  return { rest: rest() };
}

/** Kills a process as soon as it says this, and waits until it is gone. */
export async function killWhenItSays(process: Deno.ChildProcess, text: string): Promise<void> {
  const { rest } = await untilItSays(process, text);
  process.kill("SIGKILL");
  await Promise.all([rest, process.stdout.cancel(), process.status]);
}

/** Arguments that begin a run of it. */
export const RUN = ["run", "script.ts", "--allow-declared", "--run-id", "r1"];
