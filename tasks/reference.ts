/**
 * Writes the reference from the descriptions of the commands: a page per group and a start page in docs/reference, and
 * the table of groups in README.md. With `--check` it changes nothing, and fails if a file is out of date.
 */
import { ignoreMissing } from "../utils/fs/ignore_missing.ts";
import { describeGroups, frontPage, groupPage, groupTable, pagePath } from "./reference/pages.ts";

const FOLDER = "docs/reference";
const README = "README.md";
const MARKERS = ["<!-- groups: made by `deno task reference` -->", "<!-- end of groups -->"] as const;

Deno.chdir(new URL("..", import.meta.url));
const files = await format(await createFiles());
if (Deno.args.includes("--check")) await check();
else await write();

/** Returns the content of the files by path. */
async function createFiles(): Promise<Map<string, string>> {
  const groups = await describeGroups();
  const files = new Map(groups.map((group) => [pagePath(group), groupPage(group)]));
  files.set(`${FOLDER}/README.md`, frontPage(groups));
  return files.set(README, replaceTable(await Deno.readTextFile(README), groupTable(groups)));
}

function replaceTable(readme: string, table: string): string {
  const [start, end] = MARKERS.map((marker) => readme.indexOf(marker));
  if (start === undefined || end === undefined || start < 0 || end < start) {
    throw new Error(`${README} has no place for the table of groups. Add the lines ${MARKERS.join(" and ")}.`);
  }
  return readme.slice(0, start + MARKERS[0].length) + "\n\n" + table + "\n\n" + readme.slice(end);
}

/** Formats the files as `deno fmt` does. */
async function format(files: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const folder = await Deno.makeTempDir({ prefix: "svc-reference-" });
  try {
    await Deno.mkdir(`${folder}/${FOLDER}`, { recursive: true });
    for (const [path, text] of files) await Deno.writeTextFile(`${folder}/${path}`, text);
    const args = ["fmt", "--quiet", "--config", await Deno.realPath("deno.json"), folder];
    const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, stderr: "piped" }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const read = [...files.keys()].map(async (path): Promise<[string, string]> => {
      return [path, await Deno.readTextFile(`${folder}/${path}`)];
    });
    return new Map(await Promise.all(read));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function check(): Promise<void> {
  const problems: string[] = (await findStaleFiles()).map((path) => `${path} belongs to no group.`);
  for (const [path, text] of files) {
    if (await Deno.readTextFile(path).catch(ignoreMissing) !== text) {
      problems.push(`${path} is out of date.`);
    }
  }
  if (problems.length === 0) return;
  console.error([...problems, "Run 'deno task reference'."].join("\n"));
  Deno.exitCode = 1;
}

async function write(): Promise<void> {
  await Deno.mkdir(FOLDER, { recursive: true });
  for (const path of await findStaleFiles()) await Deno.remove(path);
  for (const [path, text] of files) await Deno.writeTextFile(path, text);
}

/** Finds pages of groups that do not exist. */
async function findStaleFiles(): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(FOLDER)).catch(ignoreMissing) ?? [];
  return entries.map(({ name }) => `${FOLDER}/${name}`).filter((path) => !files.has(path));
}
