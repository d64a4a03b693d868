/** What the compiler says of programs that import `@svc/lib`. */
import { pathToFileURL } from "node:url";
import { makeFolder } from "./workflow.ts";
import { linkedProject } from "./readme.ts";

/** Programs by name. */
type Programs<N extends string> = Readonly<Record<N, string>>;

/**
 * What is wrong with each of several programs of a project as the README has it: nothing where the compiler takes it,
 * with Deno's own options. It is asked once: that takes long.
 */
export async function compiled<N extends string>(programs: Programs<N>): Promise<Programs<N>> {
  await using folder = await makeFolder({ "deno.json": linkedProject() });
  return await compiledIn(folder.path, programs);
}

/** The same for programs that are written into a folder, which may have a configuration of its own. */
export async function compiledIn<N extends string>(
  folder: string,
  programs: Programs<N>,
): Promise<Programs<N>> {
  const paths = new Map<string, N>();
  for (const name in programs) {
    const path = `${folder}/${name}.ts`;
    await Deno.writeTextFile(path, programs[name]);
    paths.set(pathToFileURL(path).href, name);
  }
  const args = ["check", "--quiet", ...paths.keys()];
  const { code, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: folder, env: { NO_COLOR: "1" } })
    .output();
  const said = new TextDecoder().decode(stderr);
  const faults = said.split(/^(?=TS\d+ \[ERROR\])/m).filter((text) => text.startsWith("TS"));
  const all: Record<N, string> = { ...programs };
  for (const [path, name] of paths) all[name] = faults.filter((fault) => fault.includes(`at ${path}:`)).join("");
  const areTheirs = faults.every((fault) => paths.keys().some((path) => fault.includes(`at ${path}:`)));
  if ((code === 0) !== (faults.length === 0) || !areTheirs) throw new Error(said); // Something else is wrong.
  return all;
}
