/** A hostile guest: a process that sends any bytes to the host. */
import { pathToFileURL } from "node:url";
import { loadOperations } from "../../../workflows/scripts/permissions.ts";
import { OpenWorkflow } from "../../../workflows/scripts/open_workflow.ts";
import type { Limits } from "../../../workflows/sandbox/host/limits.ts";
import { localLibrary } from "../../../workflows/sandbox/host/library.ts";
import {
  GuestMessage,
  HostMessage,
  MAX_MESSAGE_BYTES,
  PROTOCOL,
} from "../../../workflows/sandbox/protocol/messages.ts";
import { LIBRARY } from "../../harness/workflow.ts";

/**
 * The beginning of a hostile program: functions that send frames, also with wrong lengths, and that start the run. The
 * program does not end by itself.
 */
export const PRELUDE: string = `
const kinds = ${JSON.stringify(GuestMessage)};
const replies = ${JSON.stringify(HostMessage)};
const MAX_MESSAGE_BYTES = ${MAX_MESSAGE_BYTES};
const get = JSON.stringify({ operation: "cases.get", args: ["{case}"] });
function frame(kind, id, content, length) {
  const text = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const bytes = new Uint8Array(13 + text.length);
  const header = new DataView(bytes.buffer);
  header.setUint32(0, length ?? text.length);
  header.setUint8(4, kind);
  header.setUint32(5, id);
  bytes.set(text, 13);
  return bytes;
}
function write(...frames) {
  const bytes = new Uint8Array(frames.reduce((sum, one) => sum + one.length, 0));
  let end = 0;
  for (const one of frames) {
    bytes.set(one, end);
    end += one.length;
  }
  for (let at = 0; at < end;) at += Deno.stdout.writeSync(bytes.subarray(at));
}
function send(kind, id, content, length) {
  write(frame(kind, id, content, length));
}
async function take(length) {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length;) at += await Deno.stdin.read(bytes.subarray(at));
  return bytes;
}
async function read() {
  for (;;) {
    const header = new DataView((await take(13)).buffer);
    const text = new TextDecoder().decode(await take(header.getUint32(0)));
    if (header.getUint8(4) !== replies.wake) return text;
  }
}
async function readErrorCode() {
  const text = await read();
  return JSON.parse(text.slice(text.indexOf("\\n") + 1)).code;
}
async function start(allow = ["cases.get"]) {
  send(kinds.ready, 0, JSON.stringify({ protocol: ${PROTOCOL}, name: "hostile", allow }));
  return await read();
}
setInterval(() => {}, 1000);
`;

/** Opens a workflow whose guests run a program. */
export async function openHostileGuest(
  program: string,
  folder: string,
  limits: Limits,
  granted: readonly string[],
): Promise<OpenWorkflow> {
  const place = await Deno.makeTempDir({ prefix: "svc-test-" }); // The workflow removes it.
  const path = `${folder}/hostile.js`;
  await Deno.writeTextFile(path, program);
  const script = pathToFileURL(path);
  const library = { ...LIBRARY ?? await localLibrary(place), guest: script.href };
  const removal = { [Symbol.asyncDispose]: () => Deno.remove(place, { recursive: true }) };
  const workflow = new OpenWorkflow({ script, folder: place, library }, removal, limits, { script: path });
  workflow.operations = await loadOperations();
  workflow.grants = new Set(granted);
  return workflow;
}
