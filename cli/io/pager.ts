/** Shows long results in the pager of the user. */
import { WITHOUT_SECRET } from "./without_secret.ts";
import { displayWidth } from "../../utils/text/display_width.ts";
import type { Io } from "./io.ts";

/** Exit codes of a shell that cannot run a program. */
const NOT_RUN = [126, 127];

/** Colors, and no need to leave the pager for a text that fits on the screen. As `gh` and `git` set them. */
const OPTIONS = 'export LESS="${LESS-FRX}" LV="${LV--c}"';

/** A terminal. */
export interface Screen {
  /** Height. */
  readonly rows: number;
  /** Width. */
  readonly columns: number;
}

/**
 * Shows a text that does not fit on the screen in the pager that `SVC_PAGER`, the setting `pager` or `PAGER` names. Returns
 * false if the caller must print the text.
 */
export async function showInPager(
  text: string,
  screen: Screen,
  { env }: Pick<Io, "env">,
  note: (line: string) => void,
): Promise<boolean> {
  if (env("TERM") === "dumb" || fits(text, screen)) return false;
  const { source, pager } = await choosePager(env);
  if (pager === undefined || pager === "cat") return false;
  const [program, ...args]: readonly [string, ...string[]] = Deno.build.os === "windows"
    ? ["cmd", "/d", "/c", pager]
    : ["/bin/sh", "-c", `${OPTIONS}; ${pager}`];
  if (Deno.permissions.querySync({ name: "run", command: program }).state !== "granted") {
    // PAGER is set for all programs, so that a note would be printed each time.
    if (source !== "PAGER") {
      note(`The pager of ${source} is ignored, because svc is installed without --allow-run=${program}.`);
    }
    return false;
  }
  if (!NOT_RUN.includes(await run(program, args, text))) return true;
  note(`The pager '${pager}' cannot be run. Correct ${source}, or pass --no-pager.`);
  return false;
}

async function choosePager(env: Io["env"]): Promise<{ source: string; pager: string | undefined }> {
  const own = env("SVC_PAGER")?.trim();
  if (own !== undefined) return { source: "SVC_PAGER", pager: own };
  const { findUserSetting } = await import("../../lib/auth/user_settings.ts");
  const chosen = findUserSetting("pager");
  if (chosen !== undefined) return { source: "the setting 'pager'", pager: chosen };
  return { source: "PAGER", pager: env("PAGER")?.trim() };
}

/** Reports whether a text and the next prompt fit on the screen. */
function fits(text: string, { rows, columns }: Screen): boolean {
  // deno-lint-ignore no-control-regex -- styles and links take no space
  const lines = text.replace(/\x1b\[[\d;]*m|\x1b\]8;;[^\x1b]*\x1b\\/g, "").trimEnd().split("\n");
  if (lines.length >= rows) return false;
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0) < rows;
}

/** Runs a pager until the user leaves it. Ctrl-C is for the pager. */
async function run(program: string, args: readonly string[], text: string): Promise<number> {
  const ignore = () => {};
  Deno.addSignalListener("SIGINT", ignore);
  try {
    const process = new Deno.Command(program, { args: [...args], env: WITHOUT_SECRET, stdin: "piped" }).spawn();
    const writer = process.stdin.getWriter();
    const written = writer.write(new TextEncoder().encode(text)).then(() => writer.close()).catch((error) => {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error; // The user has read enough.
    });
    const [{ code }] = await Promise.all([process.status, written]);
    return code;
  } finally {
    Deno.removeSignalListener("SIGINT", ignore);
  }
}
