import { createClient } from "../../mod.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import { permissionName } from "../../lib/operation/operation.ts";
import type { ClientCredentials } from "../../service/mod.ts";
import {
  operationTests,
  parseCall,
  prepareCases,
  type Step,
  testsPath,
} from "../../tests/lib/resources/_operation_tests.ts";
import { valueAt } from "../../tests/harness/service_engine.ts";
import { makeFolder, splitWords, svcInProcess } from "../../tests/harness/svc.ts";
import { ObservingProxy, type ProxiedRequest } from "./observing_proxy.ts";
import { API_ROOT } from "../support/workspace.ts";

/** A request that a command has sent. */
export interface RecordedCall {
  /** Permission name of the operation, e.g. `cases.create`. */
  readonly operation: string;
  readonly method: string;
  /** Path below the root of the API, with the query. */
  readonly path: string;
  /** Headers, except for the authorization. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A service and credentials of its operators. */
export interface Target {
  /** Base URL. */
  readonly url: string;
  /** Credentials by operator. */
  readonly clients: ReadonlyMap<string, ClientCredentials>;
}

/** The recorded calls of all operations. */
export interface Recording {
  readonly calls: readonly RecordedCall[];
  /** Operations that a command has called successfully. */
  readonly accepted: ReadonlySet<string>;
  /** Errors of commands. */
  readonly refused: readonly string[];
}

/** Headers that describe the request and not the connection. */
const RECORDED_HEADERS = ["accept", "content-type", "if-match", "idempotency-key"];

const DEFAULT_OPERATOR = "clerk@city";

/**
 * Calls every operation as its tests do, and records the requests. If `keepsTargets` is true, requests that delete
 * something are recorded and not sent, so that what they name still exists afterwards.
 */
export async function recordCalls({ url, clients }: Target, keepsTargets: boolean): Promise<Recording> {
  const calls: RecordedCall[] = [];
  let operation = "";
  await using proxy = new ObservingProxy(url, (request) => {
    if (!request.path.startsWith(API_ROOT)) return undefined;
    calls.push(record(operation, request));
    return request.method === "DELETE" && keepsTargets ? new Response() : undefined;
  });
  await using folder = await makeFolder({ "plan.txt": "The plan\n" });
  await using _place = enterFolder(folder.path);
  const accepted = new Set<string>();
  const refused: string[] = [];

  for (const [group, steps] of await loadSteps()) {
    const names = new Map<string, string>();
    const credentials = clients.get(DEFAULT_OPERATOR);
    const prepared = await prepareCases(createClient({ baseUrl: proxy.url, ...credentials, noCache: true }));
    for (const [name, value] of Object.entries(prepared)) names.set(name, value);
    for (const step of steps) {
      const { group: called, name } = parseCall(step.line);
      operation = permissionName(called, name);
      const error = await runStep(step, names, proxy.url, clients.get(step.as ?? DEFAULT_OPERATOR), folder.path);
      if (error === undefined) accepted.add(operation);
      else refused.push(`${group}: svc ${step.line}: ${error}`);
    }
  }
  return { calls, accepted, refused };
}

/** Returns the permission names of all operations. */
export async function listOperations(): Promise<string[]> {
  return Object.entries(await loadResources()).flatMap(([group, operations]) =>
    Object.keys(operations).map((name) => permissionName(group, name))
  );
}

/** Loads the accepted calls of all groups from the files with their tests. */
async function loadSteps(): Promise<[group: string, steps: readonly Step[]][]> {
  const groups = Object.keys(await loadResources());
  await Promise.all(groups.map((group) => import(new URL(`../../${testsPath(group)}`, import.meta.url).href)));
  // Its calls expect the oldest assignment to be their own.
  groups.sort((one, other) => Number(other === "work") - Number(one === "work"));
  return groups.map((group) => [group, operationTests.get(group)?.steps ?? []]);
}

/** Runs a step in this process. Returns the error if it fails. */
async function runStep(
  { line, keep = {} }: Step,
  names: Map<string, string>,
  url: string,
  client: ClientCredentials | undefined,
  folder: string,
): Promise<string | undefined> {
  const filled = line.replace(/\{(\w+)\}/g, (placeholder, name) => names.get(name) ?? placeholder);
  using _variables = setVariables({
    SVC_BASE_URL: url,
    SVC_CLIENT_ID: client?.clientId ?? "",
    SVC_CLIENT_SECRET: client?.clientSecret ?? "",
    SVC_CONFIG_DIR: folder,
  });
  const { code, stdout, stderr } = await svcInProcess(splitWords(filled));
  if (code !== 0) return stderr;
  const kept = Object.entries(keep);
  if (kept.length > 0 && stdout !== "") {
    const body = JSON.parse(stdout);
    for (const [name, path] of kept) names.set(name, String(valueAt(body, path)));
  }
  return undefined;
}

/** Enters a folder until the result is disposed. */
function enterFolder(path: string): AsyncDisposable {
  const previous = Deno.cwd();
  Deno.chdir(path);
  return {
    [Symbol.asyncDispose]() {
      Deno.chdir(previous);
      return Promise.resolve();
    },
  };
}

/** Sets environment variables until the result is disposed. */
function setVariables(variables: Readonly<Record<string, string>>): Disposable {
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  return {
    [Symbol.dispose]() {
      for (const name of Object.keys(variables)) Deno.env.delete(name);
    },
  };
}

function record(operation: string, { method, path, headers, body }: ProxiedRequest): RecordedCall {
  const recorded = RECORDED_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { operation, method, path: path.slice(API_ROOT.length), headers: Object.fromEntries(recorded), body };
}
