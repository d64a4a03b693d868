import type { LocalGroup } from "../local_command.ts";
import { bash } from "./bash.ts";
import { fish } from "./fish.ts";
import { words } from "./words.ts";
import { zsh } from "./zsh.ts";

/** The commands of `svc completion`, in the order of the help. */
export const commands: LocalGroup = { bash, zsh, fish, words };
