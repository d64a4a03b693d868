/** Runs `svc` in a process whose streams claim to be a terminal, so that a test can answer prompts through pipes. */
import { main } from "../../../cli.ts";
import { processIo } from "../../../cli/io/process_io.ts";

const isTerminal = () => true;
const io = processIo();

Deno.exit(
  await main(Deno.args, {
    ...io,
    stdin: { isTerminal, readable: io.stdin.readable },
    stderr: { ...io.stderr, isTerminal },
  }),
);
