/** A registry of packages on loopback that takes what `deno publish` sends, and gives it as JSR does. */
import assert from "node:assert/strict";
import configuration from "../../deno.json" with { type: "json" };
import { CHECKOUT, denoDirectory } from "./readme.ts";
import { type Folder, makeFolder } from "./workflow.ts";

/** A registry that has this checkout. */
export interface Registry extends AsyncDisposable {
  /** What makes Deno ask it, and not JSR. */
  readonly env: Readonly<Record<"JSR_URL", string>>;
  /** Folder of what it was given. */
  readonly files: string;
  /** Ends it; nothing is left. */
  close(): Promise<void>;
}

const { name, version } = configuration;

/** Publishes this checkout. */
export async function publish(): Promise<Registry> {
  const resources = new AsyncDisposableStack();
  const { path: folder } = resources.use(await makeFolder({ [`${name}/${version}/deno.json`]: "" }));
  const files = `${folder}/${name}/${version}`;
  const server = resources.use(
    Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => answer(request, folder)),
  );
  // By this name: who may call 127.0.0.1 alone may not call it.
  const env = { JSR_URL: `http://localhost:${server.addr.port}/` };
  const args = ["publish", "--token=x", "--no-provenance", "--no-check", "--allow-dirty"];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: CHECKOUT, env }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const close = () => resources.disposeAsync();
  return { env, files, close, [Symbol.asyncDispose]: close };
}

/** A cache that has the packages of npm, which are the same everywhere, and no module that came from a URL. */
export async function emptyCache(): Promise<Folder> {
  const [cache, directory] = await Promise.all([makeFolder(), denoDirectory()]);
  await Deno.symlink(`${directory}/npm`, `${cache.path}/npm`);
  return cache;
}

async function answer(request: Request, folder: string): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.method === "POST") return await take(request, folder);
  if (pathname.startsWith("/api/")) return Response.json({}, { status: pathname.includes("/versions/") ? 404 : 200 });
  const file = await Deno.readFile(folder + decodeURIComponent(pathname)).catch(() => undefined);
  return file === undefined ? new Response("", { status: 404 }) : new Response(file, { headers: typeOf(pathname) });
}

function typeOf(pathname: string): HeadersInit {
  return pathname.endsWith(".ts") ? { "content-type": "text/typescript" } : {};
}

async function take(request: Request, folder: string): Promise<Response> {
  const [archive, files] = [`${folder}/package.tgz`, `${folder}/${name}/${version}`];
  await Deno.writeFile(archive, await request.bytes());
  const { success } = await new Deno.Command("tar", { args: ["-xzf", archive, "-C", files] }).output();
  assert.ok(success);
  const manifest: Record<string, unknown> = {};
  for await (const path of filesBelow(files)) {
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

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesBelow(`${folder}/${name}`);
    else yield `${folder}/${name}`;
  }
}
