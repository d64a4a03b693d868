/** `svc service start --detach`: a service in its own process, which keeps running when this one ends. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { explainWriteFailure, getConfigDirectory, getConfigFile } from "../../lib/auth/config.ts";
import { parseErrorRecord, SvcError } from "../../lib/errors.ts";
import { resolveLink } from "../../utils/fs/resolve_link.ts";
import { isJsonObject, parseJsonObject } from "../../utils/json.ts";
import { toKebab } from "../../lib/operation/names.ts";
import { resolveOwnModule } from "../../lib/own_files.ts";
import { delay } from "../../utils/async/delay.ts";
import { listModelHosts } from "../conversations/model_address.ts";
import {
  findApplication,
  locateFiles,
  lockDirectory,
  makeLog,
  readState,
  resolveDataDirectory,
  type ServiceState,
} from "../server/directory.ts";
import { MEMORY } from "../server/settings.ts";
import { findProfiles } from "./profiles.ts";
import type { StartOptions, StartReport } from "./start.ts";

/** Milliseconds that a start may take. */
const PATIENCE = 20_000;

/** Time between two checks whether the service responds, in milliseconds. */
const PAUSE = 20;

/** Options that are passed on the command line. */
export type DetachOptions = Omit<StartOptions, "hostname" | "tokenLifetimeSeconds" | "log">;

/** Starts a service in its own process and waits until it responds. Its output goes to a file in its directory. */
export async function startDetached(options: DetachOptions): Promise<StartReport> {
  const data = resolveDataDirectory(options.data);
  if (data === MEMORY) {
    throw new SvcError(
      "INVALID_ARGS",
      "A service in memory cannot be detached, because other commands could not find it.",
      {
        hint: "Name a directory with --data, or omit --detach.",
      },
    );
  }
  (await lockDirectory(data))[Symbol.dispose](); // the directory is there, and free
  const hosts = await listHosts(await findApplication(data, options.app));
  await makeLog(data);
  const child = launch({ ...options, data }, await permissions(data, hosts));
  const state = await ready(child, data);
  const { url, apiRoot, tokenPath, pid } = state;
  return { url, apiRoot, tokenPath, data, pid, profiles: findProfiles(data) };
}

/** The model servers that an application calls. The one that comes with svc calls none, so that it is not read for that. */
async function listHosts(app: string | undefined): Promise<string[]> {
  if (app === undefined) return [];
  const { loadApplication } = await import("../application/load.ts");
  return listModelHosts(await loadApplication(app));
}

interface Child {
  readonly pid: number;
  /** Settled when the process has ended. */
  readonly ended: Promise<void>;
}

function launch(options: DetachOptions & { data: string }, permissions: readonly string[]): Child {
  const log = openSync(locateFiles(options.data).log, "a", 0o600);
  try {
    const [program, ...args] = commandLine(options, permissions);
    const child = spawn(program, args, { detached: true, stdio: ["ignore", log, log] });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
    child.unref();
    return { pid: child.pid ?? 0, ended };
  } finally {
    closeSync(log);
  }
}

function commandLine(
  options: DetachOptions & { data: string },
  permissions: readonly string[],
): [string, ...string[]] {
  const flags = Object.entries(options).filter(([, value]) => value !== undefined).map(([name, value]) =>
    `--${toKebab(name)}=${value}`
  );
  const start = ["service", "start", ...flags];
  if (Deno.build.standalone) return [Deno.execPath(), ...start];
  const entry = resolveOwnModule("cli.ts");
  return [
    Deno.execPath(),
    "run",
    ...permissions,
    entry.protocol === "file:" ? fileURLToPath(entry) : entry.href,
    ...start,
  ];
}

/** Builds the Deno permissions of a service. It runs no programs, writes only its data and profiles, and calls only models. */
async function permissions(data: string, hosts: readonly string[]): Promise<string[]> {
  const directory = getConfigDirectory();
  const profiles = await resolveLink(getConfigFile(directory)).catch((error) => {
    throw explainWriteFailure(directory, error);
  });
  const writable = [data, directory, dirname(profiles)];
  const write = writable.some((path) => path.includes(",")) ? "" : "=" + writable.join(",");
  return [
    "--no-prompt",
    "--allow-env",
    "--allow-read",
    `--allow-write${write}`,
    `--allow-net=${["127.0.0.1", ...hosts].join(",")}`,
  ];
}

async function ready(child: Child, data: string): Promise<ServiceState> {
  let ended = false;
  child.ended.then(() => ended = true);
  for (const end = Date.now() + PATIENCE; Date.now() < end && !ended;) {
    const state = await readState(data);
    if (state?.pid === child.pid) return state;
    await delay(PAUSE);
  }
  if (ended) throw await failure(data);
  Deno.kill(child.pid);
  throw new SvcError("TIMEOUT", `The service did not respond within ${PATIENCE / 1000} s.`, {
    hint: `Its output is in ${locateFiles(data).log}.`,
  });
}

/** Why the process has ended: the error that it wrote last, or where its output is. */
async function failure(data: string): Promise<SvcError> {
  const { log } = locateFiles(data);
  const last = (await Deno.readTextFile(log)).trimEnd().split("\n").at(-1) ?? "";
  const { error } = parseJsonObject(last) ?? {};
  const told = isJsonObject(error) ? parseErrorRecord(error) : undefined;
  // A process that was killed leaves no record: its last words are all there is.
  return told ?? new SvcError("INTERNAL_ERROR", `The service has not started: ${last || "it said nothing"}`, {
    hint: `The service's output is in ${log}.`,
  });
}
