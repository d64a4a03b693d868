import { SvcError } from "../../lib/errors.ts";
import { WITHOUT_SECRET } from "../io/without_secret.ts";
import { readVariable } from "../../lib/auth/environment.ts";

/** Opens a file in the editor of the user, and waits until it is closed. Throws `INVALID_CONFIG` if the editor fails. */
export async function openEditor(path: string): Promise<void> {
  const isWindows = Deno.build.os === "windows";
  const editor = readVariable("VISUAL") ?? readVariable("EDITOR") ?? (isWindows ? "notepad" : "vi");
  // The variable may contain arguments and quotes, which a shell interprets.
  const [program, args] = isWindows
    ? ["cmd", ["/c", `${editor} "${path}"`]] as const
    : ["/bin/sh", ["-c", `${editor} "$1"`, "sh", path]] as const;
  const { code } = await new Deno.Command(program, {
    args: [...args],
    env: WITHOUT_SECRET,
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  })
    .spawn().status;
  if (code === 0) return;
  throw new SvcError("INVALID_CONFIG", `The editor '${editor}' ended with the exit code ${code}.`, {
    hint: "Set VISUAL or EDITOR to your editor.",
  });
}
