/** `svc next`: takes the next assignment and shows it. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import { isUnserved } from "../../lib/client/refusals.ts";
import { SvcError } from "../../lib/errors.ts";
import assignments from "../../lib/resources/assignments.ts";
import { isNonEmptyString } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation, wantsPage } from "../context.ts";
import { callAndPrint } from "../commands/operations.ts";
import { getCaseHandle } from "../handles/handles.ts";
import { readIfServed } from "../handles/if_served.ts";
import { readWorklist } from "../handles/worklist.ts";
import { showCase, showCasePage } from "./show_case.ts";

/** The code of a 404 that means that there is no work. Other 404s mean that the service does not know the path. */
const NO_WORK = "Error_No_Assignment_Available";

/** Takes the next assignment. If the service does not do that, shows the first one of the worklist. */
export async function showNext(context: CommandContext): Promise<void> {
  try {
    await takeNext(context);
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

async function takeNext(context: CommandContext): Promise<void> {
  const ref = { name: "assignments.get-next", operation: assignments.getNext };
  if (!wantsPage(context)) return await callAndPrint(context, ref, {});
  const reply = await callOperation(context, ref, {});
  const { id, data: { caseInfo } } = checkAnswer(assignments.getNext.answer, reply);
  await showCasePage(context, caseInfo.ID ?? getCaseHandle(id), reply, id);
}

function createNoWorkError({ operation }: SvcError): SvcError {
  return new SvcError("NOT_FOUND", "There is no work for you: your worklist and your queues are empty.", {
    operation,
    hint: { commands: [{ args: ["do"], purpose: "to start a new case" }] },
  });
}
