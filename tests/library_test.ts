/** What a program gets that imports the library: what its documentation shows, with the permissions that it names. */
import assert from "node:assert/strict";
import configuration from "../deno.json" with { type: "json" };
import { CHECKOUT } from "./_support/readme.ts";

/** A page of `deno doc --json`. */
interface Page {
  readonly symbols: readonly { readonly name: string; readonly declarations: readonly { readonly kind: string }[] }[];
}

Deno.test("every function, class and constant that the documentation shows can be imported", async () => {
  for (const path of Object.values(configuration.exports)) {
    const shown = (await pageOf(path)).symbols
      .filter(({ declarations }) => declarations.some(({ kind }) => ["function", "class", "variable"].includes(kind)))
      .map(({ name }) => name);
    assert.deepEqual(shown.sort(), Object.keys(await import(`${CHECKOUT}/${path}`)).sort(), path);
  }
});

async function pageOf(path: string): Promise<Page> {
  const args = ["doc", "--quiet", "--json", path];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, cwd: CHECKOUT, stderr: "null" }).output();
  const { nodes }: { nodes: Readonly<Record<string, Page>> } = JSON.parse(new TextDecoder().decode(stdout));
  const [page] = Object.values(nodes);
  assert.ok(page !== undefined, path);
  return page;
}
