/** Secrets in the keyring of the system, through its command. */
import { SvcError } from "../errors.ts";

/** The client whose secret is kept. */
export interface KeyringEntry {
  /** Address of the service. */
  readonly baseUrl: string;
  /** Client ID. */
  readonly clientId: string;
}

/** The command of a keyring. */
interface Keyring {
  readonly program: string;
  /** Returns the arguments that print the secret. */
  readonly lookUp: (entry: KeyringEntry) => string[];
  /** Returns the arguments that delete the secret. */
  readonly clear: (entry: KeyringEntry) => string[];
  /** Returns the arguments and the standard input that store a secret. It is not an argument, which others could see. */
  readonly store: (entry: KeyringEntry, secret: string) => { readonly args: string[]; readonly input: string };
  /** Advice if the program is missing. */
  readonly installation: string;
}

const KEYRINGS: Partial<Record<typeof Deno.build.os, Keyring>> = {
  linux: {
    program: "secret-tool",
    lookUp: (entry) => ["lookup", ...listAttributes(entry)],
    clear: (entry) => ["clear", ...listAttributes(entry)],
    store: (entry, input) => ({
      args: ["store", `--label=svc ${entry.clientId} at ${entry.baseUrl}`, ...listAttributes(entry)],
      input,
    }),
    installation: "Install it, for example with the package libsecret-tools.",
  },
  darwin: {
    program: "security",
    lookUp: ({ baseUrl, clientId }) => ["find-generic-password", "-s", `svc ${baseUrl}`, "-a", clientId, "-w"],
    clear: ({ baseUrl, clientId }) => ["delete-generic-password", "-s", `svc ${baseUrl}`, "-a", clientId],
    store: ({ baseUrl, clientId }, secret) => {
      const quote = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
      const words = ["-U", "-s", quote(`svc ${baseUrl}`), "-a", quote(clientId), "-w", quote(secret)];
      return { args: ["-i"], input: `add-generic-password ${words.join(" ")}\n` };
    },
    installation: "It is a part of macOS.",
  },
};

function listAttributes({ baseUrl, clientId }: KeyringEntry): string[] {
  return ["application", "svc", "service", baseUrl, "client", clientId];
}

/** Returns the program of this system's keyring, or undefined if svc knows none. */
export function getKeyringProgram(): string | undefined {
  return KEYRINGS[Deno.build.os]?.program;
}

/** Returns the command that prints the secret of a client. */
export function createLookUpCommand(entry: KeyringEntry): string[] | undefined {
  const keyring = KEYRINGS[Deno.build.os];
  return keyring && [keyring.program, ...keyring.lookUp(entry)];
}

/** Reports whether the keyring's program can be run. */
export async function hasKeyring(): Promise<boolean> {
  const program = getKeyringProgram();
  if (program === undefined) return false;
  if (Deno.permissions.querySync({ name: "run", command: program }).state !== "granted") return false;
  try {
    await new Deno.Command(program, { args: ["help"], stdin: "null", stdout: "null", stderr: "null" }).output();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) return false;
    throw error;
  }
}

/** Stores the secret of a client. Returns the command that prints it. */
export async function storeSecret(entry: KeyringEntry, secret: string): Promise<string[]> {
  const keyring = KEYRINGS[Deno.build.os];
  if (keyring === undefined) {
    throw new SvcError("INVALID_ARGS", `svc knows no keyring on ${Deno.build.os}.`, { hint: INSTEAD });
  }
  // Its line-oriented input and output would change another secret.
  if (keyring.program === "security" && !/^[\x20-\x7e]+$/.test(secret)) {
    throw new SvcError("INVALID_ARGS", "The keyring of macOS cannot keep a secret with special characters.", {
      hint: INSTEAD,
    });
  }
  const { args, input } = keyring.store(entry, secret);
  const { code, reason } = await run(keyring, args, input);
  if (code === 0) return [keyring.program, ...keyring.lookUp(entry)];
  throw new SvcError("INVALID_CONFIG", `${keyring.program} did not store the secret: ${reason}.`, {
    hint: `Unlock the keyring. ${INSTEAD}`,
  });
}

/** Deletes the secret of a client. Returns the reason if that fails. */
export async function clearSecret(entry: KeyringEntry): Promise<string | undefined> {
  const keyring = KEYRINGS[Deno.build.os];
  if (keyring === undefined) return undefined;
  const { code, reason } = await run(keyring, keyring.clear(entry), "");
  return code === 0 ? undefined : `${keyring.program}: ${reason}`;
}

const INSTEAD = "To keep the secret in the configuration file instead, pass --secret-store file.";

async function run({ program, installation }: Keyring, args: string[], input: string) {
  try {
    const child = new Deno.Command(program, { args, stdin: "piped", stdout: "null", stderr: "piped" }).spawn();
    const writer = child.stdin.getWriter();
    const written = writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch((error) => {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error; // It reports its own failure.
    });
    const [{ code, stderr }] = await Promise.all([child.output(), written]);
    const [line = ""] = new TextDecoder().decode(stderr).trim().split("\n");
    return { code, reason: line.replace(/\.$/, "") || `exit code ${code}` };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new SvcError("INVALID_CONFIG", `The program ${program} of the keyring was not found.`, {
      cause: error,
      hint: `${installation} ${INSTEAD}`,
    });
  }
}
