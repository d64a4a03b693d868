/**
 * The reference: a page per group in docs/reference, one in front of them, and README's table of groups, all made from
 * the descriptions.
 * `--check` changes nothing and fails where a file is not what the descriptions say.
 */
import { ignoreMissing } from "../utils/fs/ignore_missing.ts";
import { describeGroups, frontPage, groupPage, groupTable, pagePath } from "./reference/pages.ts";

const FOLDER = "docs/reference";
const README = "README.md";
const MARKERS = ["<!-- groups: made by `deno task reference` -->", "<!-- end of groups -->"] as const;

Deno.chdir(new URL("..", import.meta.url));
const wanted = await formatted(await makeFiles());
if (Deno.args.includes("--check")) await check();
else await write();

/** The files by path. */
async function makeFiles(): Promise<Map<string, string>> {
  const groups = await describeGroups();
  const files = new Map(groups.map((group) => [pagePath(group), groupPage(group)]));
  files.set(`${FOLDER}/README.md`, frontPage(groups));
  return files.set(README, withTable(await Deno.readTextFile(README), groupTable(groups)));
}

function withTable(readme: string, table: string): string {
  const [start, end] = MARKERS.map((marker) => readme.indexOf(marker));
  if (start === undefined || end === undefined || start < 0 || end < start) {
    throw new Error(`${README} has no place for the groups: write ${MARKERS.join(" and ")} where they belong.`);
  }
  return readme.slice(0, start + MARKERS[0].length) + "\n\n" + table + "\n\n" + readme.slice(end);
}

/** The files as the project's formatter leaves them. */
async function formatted(files: ReadonlyMap<string, string>): Promise<Map<string, string>> {
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
  const wrong: string[] = (await strayFiles()).map((path) => `${path} is of no group.`);
  for (const [path, text] of wanted) {
    if (await Deno.readTextFile(path).catch(ignoreMissing) !== text) {
      wrong.push(`${path} is not what the descriptions say.`);
    }
  }
  if (wrong.length === 0) return;
  console.error([...wrong, "Run 'deno task reference'."].join("\n"));
  Deno.exitCode = 1;
}

async function write(): Promise<void> {
  await Deno.mkdir(FOLDER, { recursive: true });
  for (const path of await strayFiles()) await Deno.remove(path);
  for (const [path, text] of wanted) await Deno.writeTextFile(path, text);
}

/** Pages of groups that are no more. */
async function strayFiles(): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(FOLDER)).catch(ignoreMissing) ?? [];
  return entries.map(({ name }) => `${FOLDER}/${name}`).filter((path) => !wanted.has(path));
}
