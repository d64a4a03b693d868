/** The completion scripts in the shells that this machine has. */
import assert from "node:assert/strict";
import { getProfileFile } from "../../../lib/auth/profile_files.ts";
import { isInstalled } from "../../harness/screens.ts";
import { makeFolder, PROGRAM, svc } from "../../harness/svc.ts";
import { KEYS, Terminal } from "../../harness/terminal.ts";
import { shellQuote } from "../../../utils/text/shell_quote.ts";

/** How to start a shell, and how it loads the file `completion`. */
interface Shell {
  readonly program: string;
  readonly args: readonly string[];
  readonly setUp: string;
  /** False if a backslash does not quote a space. */
  readonly hasBackslash?: false;
}

const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    program: "bash",
    args: ["--norc", "--noprofile", "-i"],
    setUp: "source completion",
  },
  zsh: {
    program: "zsh",
    args: ["-f", "-i"],
    setUp: "autoload -U compinit; compinit -D -u; source ./completion",
  },
  fish: {
    program: "fish",
    args: ["--private", "--no-config"],
    setUp: "source completion",
  },
  nushell: {
    program: "nu",
    args: ["--no-config-file", "--no-history"],
    setUp: "source completion",
    hasBackslash: false,
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
  ["svc work transfer C-17 --to-queue Rita", /--to-queue (Rita\\'s|"Rita's"|'Rita\\'s'|'Rita'\\''s') ?$/m],
];

for (const [name, { program, args, setUp, hasBackslash = true }] of Object.entries(SHELLS)) {
  Deno.test({
    name: `${name} completes values that contain spaces and special characters`,
    ignore: !isInstalled(program),
    async fn() {
      await using folder = await makeFolder({
        "bin/svc": `#!/bin/sh\nexec ${shellQuote(Deno.execPath())} run -A -q ${shellQuote(PROGRAM)} "$@"\n`,
        "completion": (await svc(["completion", name])).stdout,
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
            "queues": { "Back $office": "Back office", "Rita's": "Queue of Rita" },
          },
        }),
      );
      const env = {
        SVC_CONFIG_DIR: folder.path,
        PATH: `${folder.path}/bin:${Deno.env.get("PATH")}`,
        PS1: "> ",
        PROMPT_COMMAND_RIGHT: "",
      };
      await using terminal = new Terminal(program, args, { env, cwd: folder.path, columns: 110, rows: 40 });
      terminal.type(`${setUp}; svc completion --help`, KEYS.enter);
      await terminal.waitFor("'svc completion <command> --help' explains a command");
      for (const [line, completed] of LINES) {
        if (line.includes("\\") && !hasBackslash) continue;
        terminal.type(line, "\t");
        await terminal.waitFor(completed);
        terminal.type(KEYS.ctrlU);
      }
      assert.equal(terminal.screen().includes("error"), false, terminal.screen());
    },
  });
}
