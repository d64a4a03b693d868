import { bundleForBrowsers, readFixtures } from "../../tests/lib/forms/_runtimes.ts";
import { summarize } from "../../tests/lib/forms/_summary.ts";
import { LimitedCommand } from "../../tests/harness/svc.ts";
import { killProcess } from "../support/processes.ts";
import { createResult, type Scenario, type SoakResult } from "./scenario.ts";

const PAGE = `<!doctype html><pre></pre><script type="module">
import { summarize } from "./forms.js";
const bodies = await (await fetch("bodies.json")).json();
await fetch("summaries", { method: "POST", body: JSON.stringify(bodies.map(summarize)) });
</script>`;

/** The bundle of the form engine in a browser. */
export const formsInChromium: Scenario = {
  name: "forms-in-chromium",
  what: "all forms of the tests, filled in by the bundle in Chromium",
  target: "the same results as in Deno",
  seconds: 20,
  run: compareWithChromium,
};

async function compareWithChromium(): Promise<SoakResult> {
  const bodies = await readFixtures();
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    "/": ["text/html", PAGE],
    "/forms.js": ["text/javascript", await bundleForBrowsers()],
    "/bodies.json": ["application/json", JSON.stringify(bodies)],
  };
  const posted = Promise.withResolvers<string>();
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "POST") posted.resolve(await request.text());
    const [type, text] = files[pathname] ?? ["text/plain", ""];
    return new Response(text, { headers: { "content-type": type } });
  });
  const profile = await Deno.makeTempDir();
  try {
    const url = `http://127.0.0.1:${server.addr.port}/`;
    const args = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      `--user-data-dir=${profile}`,
      "--remote-debugging-port=0",
    ];
    const browser = new LimitedCommand("chromium", { args: [...args, url], stdout: "null", stderr: "null" }).spawn();
    const result = await Promise.race([posted.promise, browser.status.then(() => "")]);
    killProcess(browser.pid);
    await browser.status;
    const isSame = result === JSON.stringify(bodies.map(summarize));
    return createResult(
      `${bodies.length} forms`,
      isSame ? [] : ["The results differ, or the browser has ended early."],
    );
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { ...createResult("", []), skipped: "chromium is not installed: apt install chromium" };
  } finally {
    await Deno.remove(profile, { recursive: true });
  }
}
