/** The completion scripts in the shells that this machine has. */
import assert from "node:assert/strict";
import { getProfileFile } from "../../../lib/auth/profile_files.ts";
import { makeFolder, PROGRAM } from "../../harness/svc.ts";
import { KEYS, Terminal } from "../../harness/terminal.ts";
import { shellQuote } from "../../../utils/text/shell_quote.ts";

/** How to start a shell with the completion script. */
interface Shell {
  readonly program: string;
  readonly args: readonly string[];
  readonly setUp: string;
}

const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    program: "/bin/bash",
    args: ["--norc", "--noprofile", "-i"],
    setUp: "source <(svc completion bash)",
  },
  zsh: {
    program: "/usr/bin/zsh",
    args: ["-f", "-i"],
    setUp: "autoload -U compinit; compinit -D -u; source <(svc completion zsh)",
  },
  fish: {
    program: "/usr/bin/fish",
    args: ["--private", "--no-config"],
    setUp: "svc completion fish | source",
  },
};

const BASE_URL = "http://127.0.0.1:1";

/** Lines with the rest that Tab adds. Each shell quotes in its own way. */
const LINES: readonly (readonly [line: string, completed: RegExp])[] = [
  ["svc workflow resu", /svc workflow resume ?$/m],
  ["svc cases get 'ACME-WORK C-1", /svc cases get 'ACME-WORK C-17' ?$/m],
  ["svc cases get ACME-WORK\\ C-1", /svc cases get ACME-WORK\\ C-17 ?$/m],
  ["svc show c-1", /svc show c-17 ?$/m],
  ["svc cases create --type=ACME-Work-R", /--type=ACME-Work-Request ?$/m],
  ["svc work transfer C-17 --to-operator rita@", /--to-operator rita@acme ?$/m],
  ["svc work transfer C-17 --to-queue Back", /--to-queue ('Back \$office'|"Back \\\$office"|Back\\ \\\$office) ?$/m],
];

for (const [name, { program, args, setUp }] of Object.entries(SHELLS)) {
  Deno.test({
    name: `${name} completes values that contain spaces and special characters`,
    ignore: Deno.build.os === "windows" || !isInstalled(program),
    async fn() {
      await using folder = await makeFolder({
        "bin/svc": `#!/bin/sh\nexec ${shellQuote(Deno.execPath())} run -A -q ${shellQuote(PROGRAM)} "$@"\n`,
        "config.json": JSON.stringify({ profiles: { default: { baseUrl: BASE_URL } } }),
      });
      await Deno.chmod(`${folder.path}/bin/svc`, 0o755);
      await Deno.writeTextFile(
        getProfileFile(folder.path, "completion", "default"),
        JSON.stringify({
          baseUrl: BASE_URL,
          values: {
            "cases": { "ACME-WORK C-17": "Leak in the roof", "ACME-WORK C-2": "Broken lamp" },
            "case types": { "ACME-Work-Request": "Request", "ACME-Work-Complaint": "Complaint" },
            "operators": { "rita@acme": "Rita", "rob@acme": "Rob" },
            "queues": { "Back $office": "Back office" },
          },
        }),
      );
      const env = { SVC_CONFIG_DIR: folder.path, PATH: `${folder.path}/bin:${Deno.env.get("PATH")}`, PS1: "> " };
      await using terminal = new Terminal(program, args, { env, cwd: folder.path, columns: 110, rows: 40 });
      terminal.type(`${setUp}; echo rea""dy`, KEYS.enter);
      await terminal.waitFor(/^ready$/m);
      for (const [line, completed] of LINES) {
        terminal.type(line, "\t");
        await terminal.waitFor(completed);
        terminal.type(KEYS.ctrlU);
      }
      assert.equal(terminal.screen().includes("error"), false, terminal.screen());
    },
  });
}

function isInstalled(program: string): boolean {
  try {
    return Deno.statSync(program).isFile;
  } catch {
    return false;
  }
}
