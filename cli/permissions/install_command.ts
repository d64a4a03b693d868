/** The command that installs svc again with a permission that it lacks. */
import { fileURLToPath } from "node:url";
import { ENVIRONMENT_VARIABLES } from "../../lib/auth/environment.ts";
import { getKeyringProgram } from "../../lib/auth/keyring.ts";
import { findConfigDirectory, readProfiles } from "../../lib/auth/profiles.ts";
import type { SvcError } from "../../lib/errors.ts";
import { resolveOwnFile, resolveOwnModule } from "../../lib/own_files.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";

/** A permission that svc needs. */
export interface NeededPermission {
  /** Kind: `net` for a host, `run` for a program. */
  readonly name: "net" | "run";
  /** Host or program. */
  readonly value: string;
}

/** Reports whether svc has a permission. */
export function isPermitted({ name, value }: NeededPermission): boolean {
  return isGranted(name === "net" ? { name, host: value } : { name, command: value });
}

/** Adds the command that installs svc with a missing permission to the hint of an error. */
export function addInstallCommand(error: SvcError): SvcError {
  const needed = parseDenial(error.message);
  const command = needed && buildInstallCommand([needed]);
  return command === undefined ? error : error.with({ hint: `Install svc again with this permission: ${command}` });
}

function parseDenial(message: string): NeededPermission | undefined {
  const [, name, value = ""] = /Requires (net|run) access to "([^"]+)"/.exec(message) ?? [];
  if (name === "run") return { name, value };
  // All ports, because a diagnosis also resolves the name.
  return name === "net" ? { name, value: value.replace(/:\d+$/, "") } : undefined;
}

/** Returns the command that installs svc with its permissions and others. Undefined if svc is embedded elsewhere. */
export function buildInstallCommand(needed: readonly NeededPermission[]): string | undefined {
  const program = resolveOwnModule("cli.ts");
  if (Deno.mainModule !== program.href) return undefined;
  const isLocal = program.protocol === "file:";
  return [
    "deno install --global --force --name svc --no-prompt",
    ...(isLocal ? [`--config ${shellQuote(fileURLToPath(resolveOwnFile("deno.json")))}`] : []),
    ...listPermissions(needed),
    isLocal ? shellQuote(fileURLToPath(program)) : "jsr:@svc/lib/cli",
  ].join(" ");
}

/** Deno does not list the permissions of a program, so those that svc may have are queried. */
function listPermissions(needed: readonly NeededPermission[]): string[] {
  const directory = findConfigDirectory();
  const profiles = directory === undefined ? [] : Object.values(readProfiles(directory));
  const urls = profiles.flatMap(({ baseUrl }) => URL.parse(baseUrl ?? "") ?? []);
  const isHostPermitted = (host: string) => isPermitted({ name: "net", value: host });
  const hosts = [
    "127.0.0.1",
    "localhost",
    ...urls.map(({ hostname, host }) => isHostPermitted(hostname) ? hostname : host),
  ];
  const programs = [
    ...profiles.flatMap(({ clientSecretCommand }) => clientSecretCommand?.[0] ?? []),
    getKeyringProgram() ?? [],
    "/bin/sh",
    "deno",
  ].flat();
  const variables = Object.keys(ENVIRONMENT_VARIABLES).flatMap((name) => [name, name.toLowerCase()]);
  const paths = [directory ?? [], fileURLToPath(resolveOwnFile("."))].flat();
  const select = (name: "net" | "run") => needed.filter((one) => one.name === name).map(({ value }) => value);
  return [
    describe("net", hosts, (host) => ({ name: "net", host }), select("net")),
    describe("read", paths, (path) => ({ name: "read", path })),
    describe("write", paths, (path) => ({ name: "write", path })),
    describe("env", variables, (variable) => ({ name: "env", variable })),
    describe("sys", ["uid"], (kind) => kind === "uid" ? { name: "sys", kind } : { name: "sys" }),
    describe("run", programs, (command) => ({ name: "run", command }), select("run")),
  ].filter((flag) => flag !== undefined);
}

/** Returns the flag for a kind of permission: without values if all of them are granted. */
function describe(
  name: Deno.PermissionDescriptor["name"],
  candidates: readonly string[],
  createDescriptor: (value: string) => Deno.PermissionDescriptor,
  added: readonly string[] = [],
): string | undefined {
  if (isGranted({ name })) return `--allow-${name}`;
  const granted = candidates.filter((value) => isGranted(createDescriptor(value)));
  const values = [...new Set([...granted, ...added])];
  return values.length === 0 ? undefined : `--allow-${name}=${shellQuote(values.join(","))}`;
}

function isGranted(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}
