/** What the README promises, done as it says: both installations, the tour, the script and the import of a project. */
import assert from "node:assert/strict";
import { startService } from "../service/mod.ts";

const CHECKOUT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
const README = await Deno.readTextFile(`${CHECKOUT}/README.md`);

/** A home directory of its own, and how to run a shell in it. */
class Home implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<Home> {
    return new Home(await Deno.makeTempDir({ prefix: "svc-readme-" }));
  }

  /** Runs shell lines; gives what they print, and throws what they write to stderr where they fail. */
  async run(lines: string, env: Record<string, string> = {}, cwd = CHECKOUT): Promise<string> {
    const { success, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-euc", lines.replaceAll("/path/to/svc", CHECKOUT)],
      cwd,
      env: {
        PATH: `${this.path}/bin:${Deno.execPath().replace(/\/[^/]*$/, "")}:${Deno.env.get("PATH") ?? ""}`,
        HOME: this.path,
        DENO_DIR: await denoDirectory(),
        DENO_INSTALL_ROOT: this.path,
        ...env,
      },
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}

Deno.test("svc installed for everything takes the tour", async () => {
  await using home = await Home.make();
  await home.run(block("sh", "--allow-run cli.ts"));
  const answers = await home.run(block("sh", "svc service start").replace("--detach", "--port 0 --detach"));
  assert.match(answers, /"id": "CITY-PERMIT-WORK P-1",\n {2}"status": "New"/);
  assert.match(answers, /"id": "ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE"/);
  assert.match(answers, /"status": "Pending-Review"/);
  assert.match(answers, /CITY-PERMIT-WORK P-2/);
  assert.match(answers, /^GET \/dx-api\/v2\/cases\/CITY-PERMIT-WORK%20P-1$/m);
  assert.match(answers, /"stopped": true/);
});

Deno.test("svc installed for calls alone makes them, logs in and writes nothing but its configuration", async () => {
  await using home = await Home.make();
  await home.run(block("sh", "USERPROFILE"));
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const env = { SVC_BASE_URL: service.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
  assert.match(await home.run("svc auth login", env), /"profile": "default"/);
  assert.match(await home.run("svc cases create --type City-Permit-Work-Permit", env), /"status": "New"/);
  assert.match(await home.run("svc case-types list --format yaml", env), /City-Permit-Work-Receipt/);
  assert.deepEqual([...Deno.readDirSync(home.path)].map(({ name }) => name).sort(), [".svc-cli", "bin"]);
});

Deno.test("the script of the README runs with the permissions that it names", async () => {
  await using home = await Home.make();
  await Deno.writeTextFile(`${home.path}/create.ts`, block("ts", "createClient"));
  assert.match(await runAgainstService(home, block("sh", "create.ts")), /^CITY-PERMIT-WORK P-1 New$/m);
});

Deno.test("a project of one's own imports the library, types included", async () => {
  await using home = await Home.make();
  await Deno.writeTextFile(`${home.path}/deno.json`, block("json", "links").replace("/path/to/svc", CHECKOUT));
  await Deno.writeTextFile(`${home.path}/create.ts`, block("ts", "createClient"));
  const lines = "deno check create.ts && deno run --allow-net --allow-read --allow-write --allow-env create.ts";
  assert.match(await runAgainstService(home, lines), /^CITY-PERMIT-WORK P-1 New$/m);
});

async function runAgainstService(home: Home, lines: string): Promise<string> {
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const env = { SVC_BASE_URL: service.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
  return await home.run(lines, env, home.path);
}

/** The code block of a language that holds a text. */
function block(language: string, text: string): string {
  const blocks = README.split("\n```" + language + "\n").slice(1).map((rest) => rest.split("\n```")[0] ?? "");
  const found = blocks.find((code) => code.includes(text));
  assert.ok(found !== undefined, `The README has no ${language} block with ${text}.`);
  return found;
}

/** The cache of this Deno: what is installed already need not be fetched again. */
async function denoDirectory(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
