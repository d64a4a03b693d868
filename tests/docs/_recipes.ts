/** Runs the command lines of a page of the documentation. */
import assert from "node:assert/strict";
import type { Workspace } from "../../tasks/support/workspace.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { LimitedCommand, PROGRAM } from "../harness/svc.ts";

/** A block of command lines, and its output. */
interface Recipe {
  readonly heading: string;
  readonly script: string;
  readonly shown: string;
}

/** Runs the blocks of a page in a shell, in order, and compares their output with the page. */
export async function followPage(test: Deno.TestContext, workspace: Workspace, page: URL): Promise<void> {
  await Deno.mkdir(`${workspace.directory}/bin`);
  const program = [Deno.execPath(), "run", "--quiet", "--allow-all", PROGRAM].map(shellQuote).join(" ");
  const svc = `#!/bin/sh\nexec ${program} "$@"\n`;
  await Deno.writeTextFile(`${workspace.directory}/bin/svc`, svc, { mode: 0o755 });
  for (const { heading, script, shown } of parseRecipes(await Deno.readTextFile(page))) {
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
}

function parseRecipes(page: string): Recipe[] {
  const recipes = page.split(/^## /m).flatMap((section) => {
    const heading = section.split("\n", 1)[0] ?? "";
    const blocks = section.matchAll(/```sh\n(.*?)```\n\n(?:```text\n(.*?)```)?/gs);
    return [...blocks].map(([, script = "", shown = ""]) => ({ heading, script, shown }));
  });
  assert.equal(recipes.length, page.split("```sh").length - 1);
  return recipes;
}
