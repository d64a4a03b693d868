/** Projects that use the library: the code blocks of the README, type checks, and a package registry. */
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import configuration from "../../deno.json" with { type: "json" };
import { CHECKOUT, type Folder, LimitedCommand, makeFolder, readDenoDirectory, runCommand } from "./svc.ts";

const README = await Deno.readTextFile(`${CHECKOUT}/README.md`);

/** Returns the code block of the README in a language that includes a text. */
export function readmeBlock(language: string, text: string): string {
  const blocks = README.split("\n```" + language + "\n").slice(1).map((rest) => rest.split("\n```")[0] ?? "");
  const found = blocks.find((code) => code.includes(text));
  assert.ok(found !== undefined, `The README has no ${language} block with ${text}.`);
  return found;
}

/** Returns the configuration of a project that imports the library of this checkout. */
export function linkedConfiguration(): string {
  return readmeBlock("json", "links").replace("/path/to/svc", CHECKOUT);
}

/** Returns a program that imports every entry point of the library and includes the script of the README. */
export function programWithEveryImport(): string {
  const imports = Object.keys(configuration.exports).map((path) => `import "${configuration.name}${path.slice(1)}";\n`);
  return imports.join("") + readmeBlock("ts", "createClient");
}

/** Returns the paths of the files that the README links to. */
export function linkedPaths(): string[] {
  return [...README.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = ""]) => path);
}

/** Programs by name. */
type Programs<N extends string> = Readonly<Record<N, string>>;

/** Type-checks programs of a project that imports the library. Returns the errors of each, or an empty text. */
export async function findTypeErrors<N extends string>(programs: Programs<N>): Promise<Programs<N>> {
  await using folder = await makeFolder({ "deno.json": linkedConfiguration() });
  return await findTypeErrorsIn(folder.path, programs);
}

/** Type-checks programs in a folder that may have a configuration. They are checked together, which saves time. */
export async function findTypeErrorsIn<N extends string>(folder: string, programs: Programs<N>): Promise<Programs<N>> {
  const paths = new Map<string, N>();
  for (const name in programs) {
    const path = `${folder}/${name}.ts`;
    await Deno.writeTextFile(path, programs[name]);
    paths.set(pathToFileURL(path).href, name);
  }
  const args = ["check", "--quiet", ...paths.keys()];
  const { code, stderr } = await runCommand(
    new LimitedCommand(Deno.execPath(), { args, cwd: folder, env: { NO_COLOR: "1" } }),
  );
  const errors = stderr.split(/^(?=TS\d+ \[ERROR\])/m).filter((text) => text.startsWith("TS"));
  const errorsByName: Record<N, string> = { ...programs };
  for (const [path, name] of paths) {
    errorsByName[name] = errors.filter((error) => error.includes(`at ${path}:`)).join("");
  }
  const areInPrograms = errors.every((error) => paths.keys().some((path) => error.includes(`at ${path}:`)));
  if ((code === 0) !== (errors.length === 0) || !areInPrograms) throw new Error(stderr); // Deno itself failed.
  return errorsByName;
}

/** A package registry with this checkout as its only package. */
export interface Registry extends AsyncDisposable {
  /** Environment of processes that use the registry instead of JSR. */
  readonly env: Readonly<Record<"JSR_URL", string>>;
  /** Folder of the published files. */
  readonly files: string;
  /** Stops the registry and removes its files. */
  close(): Promise<void>;
}

const { name, version } = configuration;

/** Publishes this checkout with `deno publish` in a new registry on loopback. */
export async function publishCheckout(): Promise<Registry> {
  const resources = new AsyncDisposableStack();
  const { path: folder } = resources.use(await makeFolder({ [`${name}/${version}/deno.json`]: "" }));
  const files = `${folder}/${name}/${version}`;
  const server = resources.use(
    Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => answer(request, folder)),
  );
  // A process that may call only 127.0.0.1 may not call the registry by this name.
  const env = { JSR_URL: `http://localhost:${server.addr.port}/` };
  const args = ["publish", "--token=x", "--no-provenance", "--no-check", "--allow-dirty"];
  const { code, stderr } = await runCommand(new LimitedCommand(Deno.execPath(), { args, cwd: CHECKOUT, env }));
  assert.equal(code, 0, stderr);
  const close = () => resources.disposeAsync();
  return { env, files, close, [Symbol.asyncDispose]: close };
}

/** Makes a Deno cache with the npm packages of this machine, but without modules from a URL. */
export async function emptyCache(): Promise<Folder> {
  const [cache, directory] = await Promise.all([makeFolder(), readDenoDirectory()]);
  await Deno.symlink(`${directory}/npm`, `${cache.path}/npm`);
  return cache;
}

async function answer(request: Request, folder: string): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.method === "POST") return await savePackage(request, folder);
  if (pathname.startsWith("/api/")) return Response.json({}, { status: pathname.includes("/versions/") ? 404 : 200 });
  const file = await Deno.readFile(folder + decodeURIComponent(pathname)).catch(() => undefined);
  if (file === undefined) return new Response("", { status: 404 });
  return new Response(file, { headers: pathname.endsWith(".ts") ? { "content-type": "text/typescript" } : {} });
}

/** Unpacks a published package, and writes the metadata that JSR would serve for it. */
async function savePackage(request: Request, folder: string): Promise<Response> {
  const [archive, files] = [`${folder}/package.tgz`, `${folder}/${name}/${version}`];
  await Deno.writeFile(archive, await request.bytes());
  const { code, stderr } = await runCommand(new LimitedCommand("tar", { args: ["-xzf", archive, "-C", files] }));
  assert.equal(code, 0, stderr);
  const manifest: Record<string, unknown> = {};
  for await (const path of listFiles(files)) {
    const bytes = await Deno.readFile(path);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    manifest[path.slice(files.length)] = { size: bytes.length, checksum: `sha256-${digest.toHex()}` };
  }
  const { exports } = configuration;
  await Deno.writeTextFile(
    `${folder}/${name}/meta.json`,
    JSON.stringify({ latest: version, versions: { [version]: {} } }),
  );
  await Deno.writeTextFile(`${files}_meta.json`, JSON.stringify({ manifest, exports }));
  return Response.json({ id: "1", status: "success", error: null });
}

async function* listFiles(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* listFiles(`${folder}/${name}`);
    else yield `${folder}/${name}`;
  }
}
