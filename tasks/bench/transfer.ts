import { isJsonObject } from "../../utils/json.ts";
import { Workspace } from "../support/workspace.ts";
import type { Figure } from "./figure.ts";
import { measureCommand, readPeakMemory } from "./peak_memory.ts";

const MEBIBYTE = 1024 * 1024;
const FILE_MIB = 256;

/** Memory limit of each side, as a share of the file. */
const LIMIT = 120 / FILE_MIB;

/** Measures the memory that a transfer of a large file takes on both sides. Returns no figures except on Linux. */
export async function measureTransfer(): Promise<Figure[]> {
  if (Deno.build.os !== "linux") return [];
  await using workspace = await Workspace.open();
  await workspace.startService();
  const file = `${workspace.directory}/large.bin`;
  await writeLargeFile(file);
  const caseId = readMember(await workspace.svc("cases", "create", "--type", "City-Permit-Work-Permit"), "id");
  const service = Number(readMember(await workspace.svc("service", "status"), "pid"));
  const idle = await measureCommand(workspace, ["cases", "get", caseId]);
  const serviceIdle = await readPeakMemory(service);

  const upload = await measureCommand(workspace, ["attachments", "upload", "-f", file]);
  const attachments = JSON.stringify([{ type: "File", category: "File", ID: readMember(upload.stdout, "ID") }]);
  await workspace.svc("attachments", "add", caseId, "--attachments", attachments);
  const id = /LINK-ATTACHMENT [^"]+/.exec(await workspace.svc("attachments", "list", caseId))?.[0] ?? "";
  const download = await measureCommand(workspace, ["attachments", "get", id, "-o", `${file}.back`]);
  return [
    createFigure("svc attachments upload", upload.peak - idle.peak),
    createFigure("svc attachments get", download.peak - idle.peak),
    createFigure("the service of both", await readPeakMemory(service) - serviceIdle),
  ];
}

function createFigure(name: string, ours: number): Figure {
  return {
    name: `${name}, memory above idle`,
    baseline: "the file",
    ours,
    theirs: FILE_MIB,
    unit: "MiB",
    limit: LIMIT,
  };
}

async function writeLargeFile(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true });
  const piece = crypto.getRandomValues(new Uint8Array(65536));
  for (let written = 0; written < FILE_MIB * MEBIBYTE; written += piece.length) await file.write(piece);
}

function readMember(json: string, name: string): string {
  const value: unknown = JSON.parse(json);
  if (isJsonObject(value) && value[name] !== undefined) return String(value[name]);
  throw new Error(`The response has no ${name}: ${json}`);
}
