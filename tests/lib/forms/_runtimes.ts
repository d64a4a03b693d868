/** Bundles the form engine for other JavaScript runtimes. */
import assert from "node:assert/strict";
import { build, stop } from "esbuild";
import configuration from "../../../deno.json" with { type: "json" };
import { isJsonObject, type JsonObject } from "../../../utils/json.ts";

const CHECKOUT = new URL("../../../", import.meta.url).pathname;

/** Returns the bodies in all modules of `fixtures`. */
export async function readFixtures(): Promise<JsonObject[]> {
  const folder = new URL("fixtures/", import.meta.url);
  const bodies: JsonObject[] = [];
  for (const { name } of Deno.readDirSync(folder)) {
    const exported: readonly unknown[] = Object.values(await import(new URL(name, folder).href));
    bodies.push(...exported.flat().filter(isJsonObject).filter(({ uiResources }) => isJsonObject(uiResources)));
  }
  assert.notEqual(bodies.length, 0);
  return bodies;
}

/** Bundles the engine and `summarize` into one module for browsers. */
export async function bundleForBrowsers(): Promise<string> {
  const contents = 'export * from "./lib/forms/mod.ts"; export { summarize } from "./tests/lib/forms/_summary.ts";';
  try {
    const { outputFiles: [file], metafile } = await build({
      stdin: { contents, resolveDir: CHECKOUT },
      bundle: true,
      format: "esm",
      platform: "browser",
      target: "es2023",
      alias: configuration.imports,
      metafile: true,
      write: false,
    });
    assert.ok(file);
    assert.deepEqual(Object.values(metafile.outputs).flatMap(({ imports }) => imports), []);
    return file.text;
  } finally {
    await stop();
  }
}
