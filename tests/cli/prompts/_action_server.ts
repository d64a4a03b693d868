/** A server with one action, whose form and responses a test chooses, for tests in a terminal. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../../utils/json.ts";
import { clientEnvironment, type FakeService, startFakeService } from "../../harness/fake_service.ts";
import { makeFolder } from "../../harness/svc.ts";
import { openTerminal, type Terminal } from "../../harness/terminal.ts";
import { ASSIGNMENT } from "../../lib/forms/_body.ts";

/** A request that the server received. */
export interface ReceivedRequest {
  /** Method, and the last part of the path. */
  readonly call: string;
  /** Query. */
  readonly query: URLSearchParams;
  /** Body; undefined without one. */
  readonly body: JsonObject | undefined;
}

/** Answers a request; undefined for the usual response. */
export type Answer = (request: ReceivedRequest) => Response | undefined;

/** A form in a terminal, with the server that it came from. */
export interface OpenedForm extends AsyncDisposable {
  /** The terminal. */
  readonly terminal: Terminal;
  /** Bodies of the requests of a call, e.g. `PATCH refresh`. */
  sent(call: string): (JsonObject | undefined)[];
  /** All requests, except for those for a token. */
  readonly requests: readonly ReceivedRequest[];
}

/** Opens the form of a response in a terminal. `files` are in the current folder, and `options` are further options. */
export async function openForm(
  response: JsonObject,
  answer: Answer = () => undefined,
  files: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<OpenedForm> {
  const requests: ReceivedRequest[] = [];
  const service = startFakeService({
    async api(request) {
      const { pathname, searchParams } = new URL(request.url);
      const text = await request.text();
      const body = request.headers.get("content-type")?.startsWith("application/json") ? parseJson(text) : undefined;
      const received: ReceivedRequest = {
        call: `${request.method} ${decodeURIComponent(pathname).split("/").at(-1)}`,
        query: searchParams,
        body: isJsonObject(body) ? body : undefined,
      };
      requests.push(received);
      return answer(received) ?? answerUsually(received, response, requests);
    },
  });
  const folder = await makeFolder({ ...files });
  const terminal = openTerminal([
    "assignments",
    "perform",
    ASSIGNMENT,
    "--action",
    "EditTrip",
    "--interactive",
    ...options,
  ], {
    env: { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path, TZ: "UTC" },
    cwd: folder.path,
  });
  return {
    terminal,
    requests,
    sent: (call) => requests.filter((request) => request.call === call).map(({ body }) => body),
    [Symbol.asyncDispose]: () => dispose(terminal, folder, service),
  };
}

async function dispose(...resources: (AsyncDisposable | FakeService)[]): Promise<void> {
  for (const resource of resources) await resource[Symbol.asyncDispose]();
}

function answerUsually(
  { call }: ReceivedRequest,
  response: JsonObject,
  requests: readonly ReceivedRequest[],
): Response {
  const headers = { etag: "20260102T030405.678 GMT" };
  if (call === "POST upload") {
    const count = requests.filter((request) => request.call === call).length;
    return Response.json({ ID: `file-${count}` }, { status: 201 });
  }
  if (call.startsWith("POST")) return Response.json({ data: [] });
  if (call.startsWith("GET") || call === "PATCH refresh") return Response.json(response, { headers });
  const { data } = response;
  const done: JsonValue = { ...(isJsonObject(data) ? data : {}) };
  return Response.json({ data: done, confirmationNote: "Thank you." }, { headers });
}
