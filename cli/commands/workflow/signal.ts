import { type LocalCommand, localCommand } from "../local_command.ts";
import { journal, runId } from "./shared/flags.ts";

/** `svc workflow signal`. */
export const signalCommand: LocalCommand = localCommand({
  summary: "Send a signal to an input that waits for it",
  details:
    "The script gets the value from 'await receive(name)', once, even if the signal is sent earlier. The number of an " +
    "input is its position in the run, from 1; 'svc workflow show' prints it.",
  args: [
    runId,
    { name: "input", help: "Number of the input", type: "integer", required: true },
    { name: "name", help: "Name of the signal", type: "string", required: true },
    { name: "value", help: "Value of the signal", type: "json", optional: true },
  ],
  flags: journal,
  example: `20261121-1405-k7wqh2 1 approved '{"by":"Ada"}'`,
  async run(context, { run, input, name, value, ...flags }) {
    const { openRunsFor } = await import("./shared/open_runs.ts");
    await using runs = openRunsFor(context, flags);
    const awaited = await runs.signal(run, input, name, value);
    await context.print({ id: run, input, signal: name });
    if (awaited.length === 0 || awaited.includes(name)) return;
    const { didYouMean } = await import("../../../utils/text/did_you_mean.ts");
    const names = awaited.map((one) => JSON.stringify(one)).join(", ");
    const question = didYouMean(name, awaited, (one) => JSON.stringify(one));
    context.note(
      `Input ${input} waits for ${names}, not for ${JSON.stringify(name)}. ${question}` +
        `${JSON.stringify(name)} is kept until the script receives it.`,
    );
  },
});
