/** Renews the token of a profile: one process exchanges the secret, the others wait for the cached token. */
import { getErrorMessage, SvcError } from "../errors.ts";
import { getRequestPath } from "../http/address.ts";
import { Deadline } from "../http/limits.ts";
import { abortable } from "../../utils/async/abort.ts";
import { FileLock } from "../../utils/fs/file_lock.ts";
import { makePrivateDirectory, writePrivateFile } from "../../utils/fs/private_file.ts";
import { trimLineEnds } from "../../utils/text/line_ends.ts";
import { decodeUtf8 } from "../../utils/text/utf8.ts";
import { formatDuration } from "../../utils/time/format_duration.ts";
import { type ClientAuth, listOtherMethods } from "./client_auth.ts";
import { isCredential } from "./profiles.ts";
import { type Credentials, getTokenUrl, type SecretSource } from "./settings.ts";
import { formatToken, getTokenFile, type IssuedToken, readToken, type Token } from "./token_cache.ts";
import { exchangeToken, revokeToken } from "./token_exchange.ts";

/** Returns a token other than the rejected one: from the cache if another process has renewed it, or from an exchange. */
export async function renewToken(
  credentials: Credentials,
  rejected: Token | undefined,
  signal: AbortSignal,
): Promise<IssuedToken> {
  using deadline = Deadline.started(credentials.target, signal);
  using lock = await lockCache(credentials, deadline);
  const cached = await readToken(credentials);
  if (cached && cached.accessToken !== rejected?.accessToken) return { token: cached, isNew: false };
  return { token: await exchangeAndCache(credentials, lock, deadline), isNew: true };
}

/** Exchanges the secret for a new token, whether or not there is a cached one, and caches it. */
export async function issueToken(credentials: Credentials, signal: AbortSignal): Promise<Token> {
  using deadline = Deadline.started(credentials.target, signal);
  using lock = await lockCache(credentials, deadline);
  return await exchangeAndCache(credentials, lock, deadline);
}

/** Methods of authentication that were tried. */
export interface TriedMethods {
  /** The first method that the server accepted. */
  readonly accepted?: ClientAuth;
  readonly tried: readonly ClientAuth[];
}

/** Tries the other methods of authentication. The tokens are neither cached nor used. */
export async function tryOtherMethods(credentials: Credentials, signal: AbortSignal): Promise<TriedMethods> {
  using deadline = Deadline.started(credentials.target, signal);
  const secret = await readSecret(credentials.secret, deadline);
  const tried: ClientAuth[] = [];
  for (const clientAuth of listOtherMethods(credentials.clientAuth, credentials.clientId, secret)) {
    tried.push(clientAuth);
    try {
      await exchangeToken({ ...credentials, clientAuth }, secret, deadline.signal);
      return { accepted: clientAuth, tried };
    } catch (error) {
      if (signal.aborted) throw error;
    }
  }
  return { tried };
}

/** Revokes a token at the service. */
export async function revoke(
  credentials: Credentials,
  revocationPath: string,
  token: Token,
  signal: AbortSignal,
): Promise<void> {
  using deadline = Deadline.started(credentials.target, signal);
  const secret = await readSecret(credentials.secret, deadline);
  const url = credentials.target.baseUrl + revocationPath;
  try {
    await revokeToken(url, token, credentials, secret, deadline.signal);
  } catch (error) {
    throw deadline.explain(error, `POST ${url}`);
  }
}

async function exchangeAndCache(
  credentials: Credentials,
  lock: FileLock | undefined,
  deadline: Deadline,
): Promise<Token> {
  const token = await exchange(credentials, deadline);
  // A failure to lock has already caused the warning.
  await cacheToken(lock === undefined ? { ...credentials, warn() {} } : credentials, token);
  return token;
}

async function exchange(credentials: Credentials, deadline: Deadline): Promise<Token> {
  const secret = await readSecret(credentials.secret, deadline);
  const url = getTokenUrl(credentials);
  const started = performance.now();
  try {
    return await exchangeToken(credentials, secret, deadline.signal);
  } catch (error) {
    if (!(error instanceof SvcError)) {
      const request = { method: "POST", path: getRequestPath(url), milliseconds: performance.now() - started };
      const { message } = deadline.explain(error, `${request.method} ${request.path}`);
      credentials.onFailure({ ...request, message });
    }
    throw deadline.explain(error, `POST ${url}`);
  }
}

/** Longest wait for the lock in seconds. */
const MAX_LOCK_SECONDS = 10;

/** Share of the timeout after which the wait ends at the latest, so that time is left for an exchange. */
const LOCK_SHARE = 1 / 3;

/**
 * Locks the cached token. Returns undefined if there is no cache, if it cannot be written, or if another process does not
 * release the lock in time. That process may be suspended.
 */
async function lockCache(credentials: Credentials, deadline: Deadline): Promise<FileLock | undefined> {
  const { cacheDirectory, target, warn } = credentials;
  if (cacheDirectory === undefined) return undefined;
  const path = `${cacheDirectory}/token.${target.profile}.lock`;
  const milliseconds = 1000 * Math.min(MAX_LOCK_SECONDS, target.timeoutSeconds * LOCK_SHARE);
  const limit = AbortSignal.timeout(milliseconds);
  try {
    await makePrivateDirectory(cacheDirectory);
    return await FileLock.acquire(path, AbortSignal.any([deadline.signal, limit]));
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.explain(error, `The svc process that holds ${path}`);
    warn(limit.aborted ? describeLock(path, milliseconds) : describeCacheFailure(error));
    return undefined;
  }
}

async function cacheToken(credentials: Credentials, token: Token): Promise<void> {
  const { cacheDirectory, target, warn } = credentials;
  if (cacheDirectory === undefined) return;
  try {
    const text = await formatToken(credentials, token, cacheDirectory);
    await writePrivateFile(getTokenFile(cacheDirectory, target.profile), text);
  } catch (error) {
    warn(describeCacheFailure(error)); // The token itself is valid.
  }
}

function describeLock(path: string, milliseconds: number): string {
  return `Another svc process has locked ${path} for ${
    formatDuration(milliseconds)
  }. This process exchanges a token of its own.`;
}

function describeCacheFailure(error: unknown): string {
  return `The token cannot be cached, so every command exchanges a new one: ${getErrorMessage(error)}`;
}

/** Reads the client secret, from its command if there is one. The output of the command appears nowhere else. */
async function readSecret(source: SecretSource, deadline: Deadline): Promise<string> {
  if ("text" in source) return source.text;
  const [program = "", ...args] = source.command;
  const { signal } = deadline;
  const { code, stdout } = await abortable(runCommand(program, args, signal), signal).catch((error: unknown) => {
    throw signal.aborted ? deadline.explain(error, `clientSecretCommand ${program}`) : error;
  });
  if (code !== 0) throw secretCommandError(program, `exited with code ${code}`);
  const text = decodeUtf8(stdout);
  if (text === undefined) throw secretCommandError(program, "did not print UTF-8 text");
  const secret = trimLineEnds(text);
  if (secret === "") throw secretCommandError(program, "printed nothing");
  if (!isCredential(secret)) throw secretCommandError(program, "printed a control character, such as a second line");
  return secret;
}

async function runCommand(program: string, args: string[], signal: AbortSignal): Promise<Deno.CommandOutput> {
  try {
    const options = { args, signal, stdin: "null", stdout: "piped", stderr: "inherit" } as const;
    return await new Deno.Command(program, options).output();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw secretCommandError(program, "does not exist");
    if (error instanceof Deno.errors.PermissionDenied) throw secretCommandError(program, "cannot be executed");
    throw error;
  }
}

function secretCommandError(program: string, problem: string): SvcError {
  return new SvcError("INVALID_CONFIG", `clientSecretCommand: ${program} ${problem}.`, {
    hint: "Run it yourself: it must print the client secret and nothing else.",
  });
}
