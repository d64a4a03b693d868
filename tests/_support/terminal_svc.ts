/** `svc` in a process whose streams pass for a terminal: a test can answer prompts through pipes. */
import { main } from "../../cli.ts";
import { processIo } from "../../lib/cli/process_io.ts";

const isTerminal = () => true;
const { stdin, stderr } = processIo;

Deno.exit(
  await main(Deno.args, {
    ...processIo,
    stdin: { isTerminal, readable: stdin.readable },
    stderr: { ...stderr, isTerminal },
  }),
);
