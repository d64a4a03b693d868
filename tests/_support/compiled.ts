/** What the compiler says of a program that imports `@svc/lib`. */
import { makeFolder } from "./workflow.ts";
import { CHECKOUT } from "./readme.ts";

/** The exit code of the compiler for a program, and what it says. */
export async function compiled(source: string): Promise<[code: number, said: string]> {
  await using folder = await makeFolder({ "program.ts": source });
  const args = ["check", "--quiet", `--config=${CHECKOUT}/deno.json`, `${folder.path}/program.ts`];
  const { code, stderr } = await new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" } }).output();
  return [code, new TextDecoder().decode(stderr)];
}
