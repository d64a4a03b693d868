/** Runs the command lines of docs/servers.md in a shell, against a service at the paths of a hosted server. */
import { Workspace } from "../../tasks/support/workspace.ts";
import { PROGRAM } from "../harness/svc.ts";
import { followPage } from "./_recipes.ts";

const PAGE = new URL("../../docs/servers.md", import.meta.url);

/** The flags of the first block of the page. */
const HOSTED = ["--api-root", "/prweb/api/application/v2", "--token-path", "/prweb/PRRestService/oauth2/v1/token"];

Deno.test("every block of the page about other servers prints what it shows", async (test) => {
  await using workspace = await Workspace.open(PROGRAM);
  await workspace.startService(...HOSTED);
  await followPage(test, workspace, PAGE);
});
