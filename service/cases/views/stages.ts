/** The stages of a case. */
import type { JsonObject } from "../../../utils/json.ts";
import type { Process, Stage } from "../../application/model/application.ts";
import { isResolved } from "../context.ts";
import { visitsOf, waitingOf } from "../state.ts";
import type { CaseWork } from "../case_work.ts";
import { link } from "./links.ts";

/** All stages of a case's type, with the case's way through them. */
export function stageInfos(work: CaseWork): JsonObject[] {
  const visits = visitsOf(work.stored);
  return [...work.type.stages.values()].map((stage) => stageInfo(work, stage, visits));
}

/** The stages with their processes and steps. */
export function stagesWithProcesses(work: CaseWork): JsonObject[] {
  const running = [...waitingOf(work.stored), ...work.assignments];
  const open = new Map(running.map(({ processId, stepId }) => [processId, stepId]));
  const visits = visitsOf(work.stored);
  return [...work.type.stages.values()].map((stage) => {
    const info = stageInfo(work, stage, visits);
    return { id: stage.id, ...info, processes: processInfos([...stage.processes.values()], info.visited_status, open) };
  });
}

function stageInfo({ stored }: CaseWork, stage: Stage, visits: Readonly<Record<string, string>>): JsonObject {
  const entryTime = visits[stage.id];
  const current = stage.id === stored.stageId;
  const visited = entryTime === undefined ? "future" : current && !isResolved(stored) ? "active" : "completed";
  return {
    ID: stage.id,
    name: stage.name,
    type: stage.type,
    transitionType: stage.transition,
    visited_status: visited,
    ...(entryTime !== undefined && { entryTime }),
    links: { open: link(`/cases/${stored.id}/stages/${stage.id}`, "PUT", "Jump to this stage") },
  };
}

/** The processes of a stage run one after another: those after the open one are still to come. */
function processInfos(
  processes: readonly Process[],
  stageStatus: JsonObject[string],
  open: ReadonlyMap<string, string>,
): JsonObject[] {
  const last = stageStatus === "active" ? processes.findLastIndex(({ id }) => open.has(id)) : -1;
  return processes.map((process, index) => {
    const isToCome = stageStatus === "future" || (last >= 0 && index > last);
    return processInfo(process, isToCome ? "future" : "completed", open.get(process.id));
  });
}

/** A process with an open step: the steps before it are done. */
function processInfo(process: Process, idle: "future" | "completed", openStep: string | undefined): JsonObject {
  const steps = [...process.steps.values()];
  const at = steps.findIndex(({ id }) => id === openStep);
  return {
    id: process.id,
    ID: process.id,
    name: process.name,
    visited_status: at < 0 ? idle : "active",
    steps: steps.map(({ id, name }, index) => ({
      id,
      ID: id,
      name,
      visited_status: at < 0 ? idle : index < at ? "completed" : index === at ? "active" : "future",
    })),
  };
}
