/**
 * The files of a script, as they were when they were checked. Every sandbox loads them anew: what somebody has changed
 * meanwhile was not checked, and is not what the run began with.
 */
import { sha256, sha256Text } from "../../utils/text/sha256.ts";
import { editedMeanwhile } from "../engine/diverged.ts";

/** The files of a script. */
export class ScriptFiles {
  /** Digest of what is in them. */
  digest = "";
  #files: readonly string[] = [];
  #marks = "";

  /** Takes note of them. */
  async take(files: readonly string[]): Promise<void> {
    this.#files = files;
    this.#marks = marksOf(files);
    this.digest = await digestOf(files);
  }

  /** Throws where one of them is not what it was. */
  async check(): Promise<void> {
    const marks = marksOf(this.#files);
    if (marks === this.#marks) return;
    if (marks.includes(GONE) || await digestOf(this.#files) !== this.digest) throw editedMeanwhile();
    this.#marks = marks;
  }
}

/** SHA-256 over the contents of the files, in the order of their paths; where they lie does not matter. */
async function digestOf(files: readonly string[]): Promise<string> {
  const digests: string[] = [];
  for (const file of [...new Set(files)].sort()) digests.push((await sha256(await Deno.readFile(file))).toHex());
  return (await sha256Text(digests.join("\n"))).toHex();
}

const GONE = "gone";

/** What changes with a file: to read them all for each of a million inputs would take as long as the inputs. */
function marksOf(files: readonly string[]): string {
  return files.map(markOf).join("\n");
}

function markOf(file: string): string {
  try {
    const { ino, size, mtime, ctime } = Deno.statSync(file);
    return `${ino} ${size} ${mtime?.getTime()} ${ctime?.getTime()}`;
  } catch {
    return GONE; // Whatever the reason: it is not what it was.
  }
}
