/**
 * Processes the operator's queues by rules until they are empty, the most urgent assignment first. It stops at the first
 * action without a rule, so that a person can decide.
 *
 *     svc workflow run triage.ts --allow-declared --input '{"largestArea":500}'
 */
import { defineWorkflow, isSvcError, type JsonObject, type WorkflowClient } from "@svc/lib/workflow";

/** Returns the data to submit for an action, given the content of the case. */
type Rule = (content: JsonObject, limits: Limits) => JsonObject;

interface Limits {
  /** Largest area in square metres that is granted without a site visit. */
  largestArea?: number;
}

/** Rules for the actions of the review and decision queues. */
const rules: Readonly<Record<string, Rule>> = {
  CheckApplication: () => ({}),
  CheckDocuments: () => ({}),
  GiveAdvice: ({ Area }, { largestArea = 100 }) =>
    Number(Area) > largestArea
      ? { Complete: true, Advice: `Refuse: ${Area} m² is more than ${largestArea} m².` }
      : { Complete: true, Advice: "Grant." },
  Decide: ({ Advice }) =>
    String(Advice).startsWith("Refuse") ? { Decision: "Refuse", Reason: Advice } : { Decision: "Grant" },
};

export default defineWorkflow<Limits | undefined>({
  name: "triage",
  allow: ["assignments.get-next", "assignments.perform", "cases.get"],
  async run({ svc, input = {}, log }) {
    const performed: Record<string, number> = {};
    for (let next = await takeNext(svc); next !== undefined; next = await takeNext(svc)) {
      const { caseInfo } = next.data;
      const action = caseInfo.assignments?.find(({ ID }) => ID === next?.id)?.actions?.[0]?.ID ?? "";
      const rule = rules[action];
      if (!rule) return { performed, stoppedAt: next.id, because: `There is no rule for ${action || "it"}.` };
      const whole = await svc.cases.get(String(caseInfo.ID));
      await svc.assignments.perform(next.id, { action, data: rule(whole.data.caseInfo.content ?? {}, input) });
      performed[action] = (performed[action] ?? 0) + 1;
      log(`${caseInfo.businessID}: ${action}`);
    }
    return { performed };
  },
});

/** Returns the next assignment, or undefined if the queues are empty. */
async function takeNext(
  svc: WorkflowClient,
): Promise<Awaited<ReturnType<WorkflowClient["assignments"]["getNext"]>> | undefined> {
  try {
    return await svc.assignments.getNext();
  } catch (error) {
    if (isSvcError(error) && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}
