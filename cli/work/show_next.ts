/** `svc next`: takes the next assignment and shows it. */
import { isUnserved } from "../../lib/client/refusals.ts";
import { SvcError } from "../../lib/errors.ts";
import assignments from "../../lib/resources/assignments.ts";
import { isNonEmptyString } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { callAndPrint } from "../commands/operations.ts";
import { readIfServed } from "../handles/if_served.ts";
import { readWorklist } from "../handles/worklist.ts";
import { showCase } from "./show_case.ts";

/** The code of a 404 that means that there is no work. Other 404s mean that the service does not know the path. */
const NO_WORK = "Error_No_Assignment_Available";

/** Takes the next assignment. If the service does not do that, shows the first one of the worklist. */
export async function showNext(context: CommandContext): Promise<void> {
  try {
    await callAndPrint(context, { name: "assignments.get-next", operation: assignments.getNext }, {});
  } catch (error) {
    if (!isUnserved(error)) throw error;
    if (error.details?.some(({ message }) => message === NO_WORK)) throw createNoWorkError(error);
    const worklist = await readIfServed(() => readWorklist(context));
    if (worklist === undefined) throw error;
    const [first] = worklist.assignments;
    const id = [first?.ID, first?.caseID].find(isNonEmptyString);
    if (id === undefined) throw createNoWorkError(error);
    await showCase(context, id);
  }
}

function createNoWorkError({ operation }: SvcError): SvcError {
  return new SvcError("NOT_FOUND", "There is no work for you: your worklist and your queues are empty.", {
    operation,
    hint: { commands: [{ args: ["do"], purpose: "to start a new case" }] },
  });
}
