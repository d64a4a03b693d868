/** Runs the command lines of the cookbook in a shell, in order, against a service with the sample application. */
import assert from "node:assert/strict";
import { toExitCode } from "../../cli/exit.ts";
import { ERROR_CODES, SvcError } from "../../lib/errors.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { Workspace } from "../../tasks/support/workspace.ts";
import { LimitedCommand, PROGRAM } from "../harness/svc.ts";

const PAGE = new URL("../../docs/cookbook.md", import.meta.url);
const EXAMPLES = new URL("../../workflows/examples/", import.meta.url);

/** A block of command lines, and its output. */
interface Recipe {
  readonly heading: string;
  readonly script: string;
  readonly shown: string;
}

Deno.test("every block of the cookbook prints what the page shows", async (test) => {
  await using workspace = await Workspace.open(PROGRAM);
  await workspace.startService();
  await Deno.mkdir(`${workspace.directory}/bin`);
  const program = [Deno.execPath(), "run", "--quiet", "--allow-all", PROGRAM].map(shellQuote).join(" ");
  const svc = `#!/bin/sh\nexec ${program} "$@"\n`;
  await Deno.writeTextFile(`${workspace.directory}/bin/svc`, svc, { mode: 0o755 });
  await copyExamples(`${workspace.directory}/workflows/examples`);
  for (const { heading, script, shown } of parseRecipes(await Deno.readTextFile(PAGE))) {
    const worked = await test.step(`${heading}: ${script.split("\n", 1)[0]}`, async () => {
      const shell = new LimitedCommand("sh", {
        args: ["-eu", "-c", script],
        cwd: workspace.directory,
        env: { ...workspace.env, PATH: `${workspace.directory}/bin:${Deno.env.get("PATH")}` },
        stdin: "null",
      });
      const { code, stdout, stderr } = await shell.output();
      const [printed, error = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      assert.equal(code, 0, error);
      assert.doesNotMatch(error, /"error":/); // A pipe hides the exit codes of all commands except the last.
      assert.equal(printed, shown);
    });
    if (!worked) break; // Later blocks depend on this one.
  }
});

Deno.test("the cookbook lists the exit code of every error", async () => {
  const rows = (await Deno.readTextFile(PAGE)).matchAll(/^\| (\d+) +\|([^|]+)\|/gm);
  const exitCodes = new Map([...rows].flatMap(([, exit, codes = ""]) => {
    return [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(exit)] as const);
  }));
  for (const code of ERROR_CODES) assert.equal(exitCodes.get(code) ?? 1, toExitCode(new SvcError(code, "")), code);
});

function parseRecipes(page: string): Recipe[] {
  const recipes = page.split(/^## /m).flatMap((section) => {
    const heading = section.split("\n", 1)[0] ?? "";
    const blocks = section.matchAll(/```sh\n(.*?)```\n\n(?:```text\n(.*?)```)?/gs);
    return [...blocks].map(([, script = "", shown = ""]) => ({ heading, script, shown }));
  });
  assert.equal(recipes.length, page.split("```sh").length - 1);
  return recipes;
}

/** Copies the examples, because workflows read only their own folder, and the recipes write files beside it. */
async function copyExamples(to: string): Promise<void> {
  await Deno.mkdir(`${to}/helpers`, { recursive: true });
  for (const folder of ["", "helpers/"]) {
    for await (const { name, isFile } of Deno.readDir(new URL(folder, EXAMPLES))) {
      if (isFile) await Deno.copyFile(new URL(folder + name, EXAMPLES), `${to}/${folder}${name}`);
    }
  }
}
