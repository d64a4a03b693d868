/**
 * Proves that svc wrote a text on this machine as this user, with a key that only this user can read. The proof reveals
 * nothing about the text.
 */
import { makePrivateDirectory, writePrivateFile } from "../../utils/fs/private_file.ts";
import { describeUntrusted, findUntrusted } from "../../utils/fs/trusted_path.ts";
import { SvcError } from "../errors.ts";
import { sha256, sha256Text } from "../../utils/text/sha256.ts";

const KEY_BYTES = 32;

const LOCK_TIMEOUT_MILLISECONDS = 10_000;

/**
 * Creates the proof of a text. Creates the key in the configuration directory if it does not exist. Throws if others can
 * change that directory: the key would prove nothing.
 */
export async function createProof(directory: string, text: string): Promise<string> {
  return await compute(readKey(directory) ?? await createKey(directory), text);
}

/** Reports whether a proof is that of a text. */
export async function isProofOf(directory: string, text: string, proof: unknown): Promise<boolean> {
  const key = readKey(directory);
  return key !== undefined && proof === await compute(key, text);
}

/** Hashes the text first: the digest of key and text together would also prove longer texts. */
async function compute(key: Uint8Array, text: string): Promise<string> {
  return (await sha256(new Uint8Array([...key, ...await sha256Text(text)]))).toHex();
}

function getKeyFile(directory: string): string {
  return `${directory}/local.key`;
}

/** Reads the key. One that is damaged or unreadable, or that others could have written, counts as missing. */
function readKey(directory: string): Uint8Array | undefined {
  const path = getKeyFile(directory);
  try {
    const key = Uint8Array.fromHex(Deno.readTextFileSync(path).trim());
    return key.length === KEY_BYTES && findUntrusted(path) === undefined ? key : undefined;
  } catch {
    return undefined;
  }
}

async function createKey(directory: string): Promise<Uint8Array> {
  await makePrivateDirectory(directory);
  const untrusted = findUntrusted(directory);
  if (untrusted !== undefined) {
    const problem = `${describeUntrusted(untrusted)}. Set SVC_CONFIG_DIR to a directory of your own.`;
    throw new SvcError("INVALID_CONFIG", problem);
  }
  const { FileLock } = await import("../../utils/fs/file_lock.ts"); // Loaded here, because the key usually exists.
  const timeout = AbortSignal.timeout(LOCK_TIMEOUT_MILLISECONDS);
  using _lock = await FileLock.acquire(`${getKeyFile(directory)}.lock`, timeout, { isTemporary: true });
  const existing = readKey(directory); // Another process may have created it before the lock.
  if (existing !== undefined) return existing;
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  await writePrivateFile(getKeyFile(directory), key.toHex() + "\n");
  return key;
}
