/** Having a new token: one process exchanges, the others wait for what it puts into the cache. */
import { getErrorMessage } from "../errors.ts";
import { Deadline } from "../http/deadline.ts";
import { exchangeToken, tokenUrl } from "./oauth.ts";
import { FileLock } from "../../utils/fs/file_lock.ts";
import { makePrivateDirectory, writePrivateFile } from "../../utils/fs/private_file.ts";
import { readSecret } from "./secret.ts";
import type { Credentials } from "./settings.ts";
import { readToken, type Token, tokenFile, tokenText } from "./token_cache.ts";
import type { Taken } from "./token_source.ts";

/** A token other than the refused one: from the cache if another process has just renewed it, else by an exchange. */
export async function renewToken(
  credentials: Credentials,
  refused: Token | undefined,
  signal: AbortSignal,
): Promise<Taken> {
  using deadline = Deadline.started(credentials.target, signal);
  using held = await lock(credentials, deadline);
  const cached = readToken(credentials);
  if (cached && cached.accessToken !== refused?.accessToken) return { token: cached, isNew: false };
  return { token: await exchangeAndSave(credentials, held, deadline), isNew: true };
}

/** A token straight from the server, whatever the cache holds; the cache holds it afterwards. */
export async function freshToken(credentials: Credentials, signal: AbortSignal): Promise<Token> {
  using deadline = Deadline.started(credentials.target, signal);
  using held = await lock(credentials, deadline);
  return await exchangeAndSave(credentials, held, deadline);
}

async function exchangeAndSave(
  credentials: Credentials,
  held: FileLock | undefined,
  deadline: Deadline,
): Promise<Token> {
  const token = await exchange(credentials, deadline);
  await save(held === undefined ? { ...credentials, warn() {} } : credentials, token); // Without a lock it is said already.
  return token;
}

async function exchange(credentials: Credentials, deadline: Deadline): Promise<Token> {
  const secret = await readSecret(credentials.secret, deadline);
  try {
    return await exchangeToken(credentials, secret, deadline.signal);
  } catch (error) {
    throw deadline.explain(error, `POST ${tokenUrl(credentials)}`);
  }
}

/** The lock of the profile's token; undefined where there is no cache, or none that this process may write. */
async function lock(credentials: Credentials, deadline: Deadline): Promise<FileLock | undefined> {
  const { cacheDirectory, target, warn } = credentials;
  if (cacheDirectory === undefined) return undefined;
  const path = `${cacheDirectory}/token.${target.profile}.lock`;
  try {
    await makePrivateDirectory(cacheDirectory);
    return await FileLock.acquire(path, deadline.signal);
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.explain(error, `The svc process that holds ${path}`);
    warn(notCached(error));
    return undefined;
  }
}

/** A token that cannot be cached is good all the same. */
async function save(credentials: Credentials, token: Token): Promise<void> {
  const { cacheDirectory, target, warn } = credentials;
  if (cacheDirectory === undefined) return;
  try {
    await writePrivateFile(tokenFile(cacheDirectory, target.profile), tokenText(credentials, token));
  } catch (error) {
    warn(notCached(error));
  }
}

function notCached(error: unknown): string {
  return `The token cannot be cached, so that each run exchanges a new one: ${getErrorMessage(error)}`;
}
