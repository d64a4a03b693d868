/** Fingerprints of files of inputs: whether a file has changed, and where. */
import { LINE_FEED } from "./lines.ts";

/** Length and checksums of a file of inputs. */
export interface Fingerprint {
  /** Number of bytes. */
  readonly bytes: number;
  /** Number of lines. */
  readonly lines: number;
  /** SHA-256 digest, in hexadecimal. */
  readonly sha256: string;
  /** Number of lines of each block. The last block may have fewer. */
  readonly linesPerBlock: number;
  /** Checksum of each block of lines, without their line feeds. They tell where a file has changed. */
  readonly blocks: readonly number[];
}

/** How a file of inputs differs from an earlier one. */
export interface FileChange {
  /** Number of lines before. */
  readonly linesBefore: number;
  /** Number of lines now. */
  readonly lines: number;
  /** First line that may differ, and the last one of its block. Undefined if lines were only appended or cut off. */
  readonly changed?: { readonly first: number; readonly last: number };
}

/** Number of blocks from which two neighbours are combined. Lines are found exactly in files with fewer lines. */
const MAX_BLOCKS = 256;

/** Factor of the checksum of a line, and of that of a block. A block's sum is a polynomial, so that blocks combine. */
const LINE_FACTOR = 0x01000193;
const BLOCK_FACTOR = 0x5f356495;

/** Computes the fingerprint of a file while it is read. */
export async function readFingerprint(
  bytes: AsyncIterable<Uint8Array>,
  linesPerBlock?: number,
): Promise<Fingerprint> {
  const { createHash } = await import("node:crypto"); // Loaded here, because most runs have no file.
  const hash = createHash("sha256");
  const sums = new LineSums(linesPerBlock);
  let length = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    sums.add(chunk);
    length += chunk.length;
  }
  sums.end();
  const { lines, blocks, linesPerBlock: size } = sums;
  return { bytes: length, lines, sha256: hash.digest("hex"), linesPerBlock: size, blocks };
}

/**
 * Describes how a file has changed. Returns undefined if its lines are the same. Both fingerprints need blocks of the same
 * size.
 */
export function findChange(before: Fingerprint, now: Fingerprint): FileChange | undefined {
  if (before.bytes === now.bytes && before.sha256 === now.sha256) return undefined;
  const change = { linesBefore: before.lines, lines: now.lines };
  const size = before.linesPerBlock;
  const shorter = Math.min(before.lines, now.lines);
  // The last common block is complete in only one of the files if their numbers of lines differ.
  const count = before.lines === now.lines ? before.blocks.length : Math.floor(shorter / size);
  for (let block = 0; block < count; block++) {
    if (before.blocks[block] === now.blocks[block]) continue;
    return { ...change, changed: { first: block * size + 1, last: Math.min((block + 1) * size, shorter) } };
  }
  return before.lines === now.lines ? undefined : change;
}

/** Sums of lines, in blocks that double in size when there are too many. */
class LineSums {
  /** Number of lines so far. */
  lines = 0;
  /** Number of lines of each block. */
  linesPerBlock: number;
  /** Sums of the blocks. */
  blocks: number[] = [];
  readonly #isFixed: boolean;
  /** Factor by which a block is shifted before another one is appended. */
  #shift = BLOCK_FACTOR;
  #line = 1;
  #length = 0;
  #block = 0;
  #linesInBlock = 0;

  constructor(linesPerBlock?: number) {
    this.#isFixed = linesPerBlock !== undefined;
    this.linesPerBlock = linesPerBlock ?? 1;
  }

  add(bytes: Uint8Array): void {
    let line = this.#line;
    let length = this.#length;
    for (const byte of bytes) {
      if (byte !== LINE_FEED) {
        line = Math.imul(line ^ byte, LINE_FACTOR);
        length++;
        continue;
      }
      this.#endLine(line, length);
      line = 1;
      length = 0;
    }
    this.#line = line;
    this.#length = length;
  }

  end(): void {
    if (this.#length > 0) this.#endLine(this.#line, this.#length);
    if (this.#linesInBlock > 0) this.#endBlock();
  }

  #endLine(sum: number, length: number): void {
    this.lines++;
    this.#block = (Math.imul(this.#block, BLOCK_FACTOR) + (sum ^ length)) | 0;
    if (++this.#linesInBlock < this.linesPerBlock) return;
    this.#endBlock();
    if (!this.#isFixed && this.blocks.length === MAX_BLOCKS) this.#combine();
  }

  #endBlock(): void {
    this.blocks.push(this.#block);
    this.#block = 0;
    this.#linesInBlock = 0;
  }

  #combine(): void {
    const { blocks } = this;
    const shift = this.#shift;
    this.blocks = Array.from(
      { length: blocks.length / 2 },
      (_, i) => (Math.imul(blocks[2 * i] ?? 0, shift) + (blocks[2 * i + 1] ?? 0)) | 0,
    );
    this.#shift = Math.imul(shift, shift);
    this.linesPerBlock *= 2;
  }
}
