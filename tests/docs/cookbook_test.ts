/** Runs the command lines of the cookbook in a shell, in order, against a service with the sample application. */
import assert from "node:assert/strict";
import { toExitCode } from "../../cli/exit.ts";
import { ERROR_CODES, SvcError } from "../../lib/errors.ts";
import { Workspace } from "../../tasks/support/workspace.ts";
import { PROGRAM } from "../harness/svc.ts";
import { followPage } from "./_recipes.ts";

const PAGE = new URL("../../docs/cookbook.md", import.meta.url);
const EXAMPLES = new URL("../../workflows/examples/", import.meta.url);

Deno.test("every block of the cookbook prints what the page shows", async (test) => {
  await using workspace = await Workspace.open(PROGRAM);
  await workspace.startService();
  await copyExamples(`${workspace.directory}/workflows/examples`);
  await followPage(test, workspace, PAGE);
});

Deno.test("the cookbook lists the exit code of every error", async () => {
  const rows = (await Deno.readTextFile(PAGE)).matchAll(/^\| (\d+) +\|([^|]+)\|/gm);
  const exitCodes = new Map([...rows].flatMap(([, exit, codes = ""]) => {
    return [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(exit)] as const);
  }));
  for (const code of ERROR_CODES) assert.equal(exitCodes.get(code) ?? 1, toExitCode(new SvcError(code, "")), code);
});

/** Copies the examples, because workflows read only their own folder, and the recipes write files beside it. */
async function copyExamples(to: string): Promise<void> {
  await Deno.mkdir(`${to}/helpers`, { recursive: true });
  for (const folder of ["", "helpers/"]) {
    for await (const { name, isFile } of Deno.readDir(new URL(folder, EXAMPLES))) {
      if (isFile) await Deno.copyFile(new URL(folder + name, EXAMPLES), `${to}/${folder}${name}`);
    }
  }
}
