/** The client secret: as it is, or from the program that keeps it. */
import type { Deadline } from "../http/deadline.ts";
import { SvcError } from "../errors.ts";
import { decodeUtf8 } from "../../utils/text/utf8.ts";
import { orAbort } from "./shared.ts";
import type { SecretSource } from "./settings.ts";

/** The text of a secret. What its program prints shows up nowhere else. */
export async function readSecret(source: SecretSource, deadline: Deadline): Promise<string> {
  if ("text" in source) return source.text;
  const [program = "", ...args] = source.command;
  const { signal } = deadline;
  const { code, stdout } = await orAbort(run(program, args, signal), signal).catch((error: unknown) => {
    throw signal.aborted ? deadline.explain(error, `clientSecretCommand ${program}`) : error;
  });
  if (code !== 0) throw failed(program, `ended with exit code ${code}`);
  const secret = decodeUtf8(stdout)?.replace(/\r?\n$/, "");
  if (!secret) throw failed(program, secret === undefined ? "printed what is no text" : "printed nothing");
  return secret;
}

async function run(program: string, args: string[], signal: AbortSignal): Promise<Deno.CommandOutput> {
  try {
    const options = { args, signal, stdin: "null", stdout: "piped", stderr: "inherit" } as const;
    return await new Deno.Command(program, options).output();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw failed(program, "does not exist");
    if (error instanceof Deno.errors.PermissionDenied) throw failed(program, "cannot be executed");
    throw error;
  }
}

function failed(program: string, what: string): SvcError {
  return new SvcError("INVALID_CONFIG", `clientSecretCommand: ${program} ${what}.`, {
    hint: "Run it by itself: it must print the client secret and nothing else.",
  });
}
