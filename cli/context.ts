/** What a running command has around it. */
import { SvcError } from "../lib/errors.ts";
import { escapeToOneLine } from "../utils/text/control_characters.ts";
import type { CommandContext, GlobalFlags } from "./commands/command.ts";
import type { Io } from "./io/io.ts";

/** Loads what prints results; a command that waits for an answer loads it meanwhile. */
export function loadRenderer(): Promise<typeof import("../lib/output/render.ts")> {
  return import("../lib/output/render.ts");
}

/** The context of one command. */
export function createContext(globals: GlobalFlags, io: Io): CommandContext {
  let signal: AbortSignal | undefined;
  const context: CommandContext = {
    globals,
    io,
    get signal() {
      return signal ??= interruptSignal(io);
    },
    async print(result) {
      if (result === undefined) return;
      const { render } = await loadRenderer();
      const { text, notes } = await render(result, globals, {
        columns: io.stdout.columns(),
        color: io.stdout.isTerminal() && !io.env("NO_COLOR"),
      });
      io.stdout.write(text);
      notes.forEach(context.note);
    },
    note(line) {
      if (!globals.quiet) io.stderr.write(escapeToOneLine(line) + "\n");
    },
  };
  return context;
}

function interruptSignal(io: Io): AbortSignal {
  const controller = new AbortController();
  const interrupt = () => controller.abort(new SvcError("INTERRUPTED", "Interrupted."));
  // A moment later, when the request is on its way: to listen for the first time takes a while.
  queueMicrotask(() => {
    io.onInterrupt(interrupt);
    io.onTerminate?.(interrupt);
  });
  return controller.signal;
}
