import ts from "typescript";
import { applyMutant, type Mutant } from "./find_mutants.ts";

/**
 * Selects the mutants that compile. One check of copies next to their files is many times faster than a check of each
 * mutant.
 */
export async function selectCompiling<M extends Mutant>(checkout: string, mutants: readonly M[]): Promise<M[]> {
  const copies = mutants.flatMap((mutant, index) => {
    const source = `${checkout}/${mutant.file}`;
    const text = applyMutant(Deno.readTextFileSync(source), mutant);
    return isParsed(text) ? [{ mutant, text, path: source.replace(/\.ts$/, `.mutant-${index}.ts`) }] : [];
  });
  if (copies.length === 0) return [];
  for (const { path, text } of copies) await Deno.writeTextFile(path, text);
  try {
    const command = new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", `--config=${checkout}/deno.json`, ...copies.map(({ path }) => path)],
      env: { NO_COLOR: "1" },
      stdout: "null",
    });
    const errors = new TextDecoder().decode((await command.output()).stderr);
    return copies.filter(({ path }) => !errors.includes(`${path}:`)).map(({ mutant }) => mutant);
  } finally {
    for (const { path } of copies) await Deno.remove(path);
  }
}

/** A file that cannot be parsed would end the check of all others. */
function isParsed(text: string): boolean {
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext };
  return ts.transpileModule(text, { compilerOptions: options, reportDiagnostics: true }).diagnostics?.length === 0;
}
