import { sha256, sha256Text } from "../../utils/text/sha256.ts";
import { editedDuringRun } from "../engine/divergence.ts";

/**
 * The files of a script at the time of their check. Every sandbox loads the files again, so a change during the run must be
 * detected: the changed script was not checked, and is not the script that the run started with.
 */
export class ScriptFiles {
  /** Digest of their contents. */
  digest = "";
  #files: readonly string[] = [];
  #fingerprint = "";

  /** Records the current state of the files. */
  async record(files: readonly string[]): Promise<void> {
    this.#files = files;
    this.#fingerprint = fingerprint(files);
    this.digest = await digest(files);
  }

  /** Throws if a file has changed since. */
  async check(): Promise<void> {
    const current = fingerprint(this.#files);
    if (current === this.#fingerprint) return;
    if (current.includes(MISSING) || await digest(this.#files) !== this.digest) throw editedDuringRun();
    this.#fingerprint = current;
  }
}

/** Computes the SHA-256 of the contents in the order of the paths. It does not depend on the folder. */
async function digest(files: readonly string[]): Promise<string> {
  const digests: string[] = [];
  for (const file of [...new Set(files)].sort()) digests.push((await sha256(await Deno.readFile(file))).toHex());
  return (await sha256Text(digests.join("\n"))).toHex();
}

const MISSING = "missing";

/** Summarizes the metadata of the files: reading all files for each input would take too long. */
function fingerprint(files: readonly string[]): string {
  return files.map(describeFile).join("\n");
}

function describeFile(file: string): string {
  try {
    const { ino, size, mtime, ctime } = Deno.statSync(file);
    return `${ino} ${size} ${mtime?.getTime()} ${ctime?.getTime()}`;
  } catch {
    return MISSING; // For whatever reason: it has changed.
  }
}
