/** The memory that a large file takes on its way, on both sides, above what they have without it. */
import { isJsonObject } from "../../utils/json.ts";
import { Workspace } from "../workspace.ts";
import type { Figure } from "./figure.ts";
import { measured, peakOf } from "./memory.ts";

const MEBIBYTE = 1024 * 1024;
const FILE_MIB = 256;

/** What either side may take, as a part of the file. */
const LIMIT = 120 / FILE_MIB;

/** Uploads and downloads a file; nothing where the system does not tell what a process had at most. */
export async function transferFigures(): Promise<Figure[]> {
  if (Deno.build.os !== "linux") return [];
  await using workspace = await Workspace.open();
  await workspace.startService();
  const file = `${workspace.directory}/large.bin`;
  await writeLarge(file);
  const caseId = memberOf(await workspace.svc("cases", "create", "--type", "City-Permit-Work-Permit"), "id");
  const service = Number(memberOf(await workspace.svc("service", "status"), "pid"));
  const idle = await measured(workspace, ["cases", "get", caseId]);
  const serviceIdle = await peakOf(service);

  const upload = await measured(workspace, ["attachments", "upload", "-f", file]);
  const attachments = JSON.stringify([{ type: "File", category: "File", ID: memberOf(upload.stdout, "ID") }]);
  await workspace.svc("attachments", "add", caseId, "--attachments", attachments);
  const id = /LINK-ATTACHMENT [^"]+/.exec(await workspace.svc("attachments", "list", caseId))?.[0] ?? "";
  const download = await measured(workspace, ["attachments", "get", id, "-o", `${file}.back`]);
  return [
    figure("svc attachments upload", upload.peak - idle.peak),
    figure("svc attachments get", download.peak - idle.peak),
    figure("the service of both", await peakOf(service) - serviceIdle),
  ];
}

function figure(what: string, ours: number): Figure {
  return {
    what: `${what}, memory above idle`,
    baseline: "the file",
    ours,
    theirs: FILE_MIB,
    unit: "MiB",
    limit: LIMIT,
  };
}

async function writeLarge(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true });
  const piece = crypto.getRandomValues(new Uint8Array(65536));
  for (let written = 0; written < FILE_MIB * MEBIBYTE; written += piece.length) await file.write(piece);
}

function memberOf(json: string, name: string): string {
  const answer: unknown = JSON.parse(json);
  if (isJsonObject(answer) && answer[name] !== undefined) return String(answer[name]);
  throw new Error(`The answer has no ${name}: ${json}`);
}
