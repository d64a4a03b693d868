import type { CommandTree } from "../command.ts";
import type { LocalGroup } from "../local_command.ts";
import { bash } from "./bash.ts";
import { fish } from "./fish.ts";
import { nushell } from "./nushell.ts";
import { powershell } from "./powershell.ts";
import { createWordsCommand } from "./words.ts";
import { zsh } from "./zsh.ts";

/** Creates the commands of `svc completion`, in the order of the help. They complete the commands of a tree. */
export function createCommands(tree: CommandTree): LocalGroup {
  return { bash, zsh, fish, powershell, nushell, words: createWordsCommand(tree) };
}
