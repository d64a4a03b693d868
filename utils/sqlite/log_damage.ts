/**
 * Finds damage to a write-ahead log. SQLite reads a log up to the first invalid frame, as after a power loss, and silently
 * drops the changes after it. Format: https://sqlite.org/fileformat2.html#the_write_ahead_log
 */
import { ignoreMissing } from "../fs/ignore_missing.ts";
import { pluralize } from "../text/wording.ts";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** First number of every log. If its lowest bit is set, checksums are computed from big-endian numbers. */
const MAGIC = 0x377f0682;

/** Number of reads that must find the same damage, because another process may be writing to the log. */
const READS = 3;

export interface LogDamage {
  /** Number of the first damaged frame, from 1, or 0 for the header. */
  readonly frame: number;
  /** Number of frames after it that were written later. */
  readonly lost: number;
}

/** Describes damage to the log of a database as a sentence. */
export function describeLogDamage(database: string, { frame, lost }: LogDamage): string {
  const place = frame === 0 ? "in its header" : `at frame ${frame}`;
  return `${locateLog(database)} is damaged ${place}: the changes in ${pluralize(lost, "later frame")} cannot be read`;
}

/** Copies a damaged log before SQLite discards it. Returns the path of the copy, or undefined for a log without damage. */
export function keepDamagedLog(database: string): { readonly damage: LogDamage; readonly copy: string } | undefined {
  const damage = findLogDamage(database);
  if (damage === undefined) return undefined;
  const copy = locateDamagedLog(database);
  Deno.copyFileSync(locateLog(database), copy);
  return { damage, copy };
}

/** Returns the path of the copy of a damaged log. */
export function locateDamagedLog(database: string): string {
  return `${locateLog(database)}.damaged`;
}

type Checksum = readonly [number, number];

/** Returns the path of the log of a database. */
export function locateLog(database: string): string {
  return `${database}-wal`;
}

/** Finds damage that is followed by confirmed changes. Damage to the last change looks like a power loss. */
export function findLogDamage(database: string): LogDamage | undefined {
  let found: LogDamage | undefined;
  for (let read = 0; read < READS; read++) {
    const before = found;
    found = findDamage(readLog(locateLog(database)));
    if (found === undefined || (before !== undefined && found.frame !== before.frame)) return undefined;
  }
  return found;
}

function readLog(path: string): Uint8Array<ArrayBuffer> {
  try {
    return Deno.readFileSync(path);
  } catch (error) {
    ignoreMissing(error);
    return new Uint8Array();
  }
}

/** Finds the first invalid frame that is followed by a commit and the frame of a later change. */
export function findDamage(bytes: Uint8Array<ArrayBuffer>): LogDamage | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = view.getUint32(0);
  const isKnown = (magic & ~1) === MAGIC;
  const isLittleEndian = (magic & 1) === 0;
  const pageSize = view.getUint32(8);
  if (!isKnown || !isPageSize(pageSize)) return bytes.length > HEADER_BYTES ? { frame: 0, lost: 1 } : undefined;
  const size = FRAME_HEADER_BYTES + pageSize;
  const count = Math.floor((bytes.length - HEADER_BYTES) / size);
  const locate = (frame: number) => HEADER_BYTES + (frame - 1) * size;
  const isOfLog = (frame: number) => {
    const offset = locate(frame);
    return view.getUint32(offset + 8) === view.getUint32(16) && view.getUint32(offset + 12) === view.getUint32(20);
  };
  const readChecksum = (offset: number): Checksum => [view.getUint32(offset), view.getUint32(offset + 4)];
  const isValid = (frame: number) => {
    const offset = locate(frame);
    const before = readChecksum(frame === 1 ? 24 : locate(frame - 1) + 16);
    const head = add(view, before, offset, 8, isLittleEndian);
    const computed = add(view, head, offset + FRAME_HEADER_BYTES, pageSize, isLittleEndian);
    return isEqual(computed, readChecksum(offset + 16));
  };
  const header = add(view, [0, 0], 0, 24, isLittleEndian);
  let damaged = isEqual(header, readChecksum(24)) ? undefined : 0;
  let hasCommit = damaged === 0; // The header is on the disk before the first frame.
  for (let frame = 1; frame <= count; frame++) {
    if (damaged === undefined) {
      if (isOfLog(frame) && isValid(frame)) continue;
      damaged = frame;
    } else if (hasCommit && isOfLog(frame) && isValid(frame)) return { frame: damaged, lost: count - damaged };
    // The frame of the next change was written after this commit was on the disk.
    if (damaged > 0 && isOfLog(frame) && view.getUint32(locate(frame) + 4) !== 0) hasCommit = true;
  }
  return undefined;
}

function isPageSize(size: number): boolean {
  return size >= 512 && size <= 65536 && (size & (size - 1)) === 0;
}

function isEqual(a: Checksum, b: Checksum): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

/** Adds bytes to a checksum of the log. */
function add(view: DataView, [first, second]: Checksum, start: number, length: number, isLittle: boolean): Checksum {
  let [a, b] = [first, second];
  for (let offset = start; offset < start + length; offset += 8) {
    a = (a + view.getUint32(offset, isLittle) + b) >>> 0;
    b = (b + view.getUint32(offset + 4, isLittle) + a) >>> 0;
  }
  return [a, b];
}
