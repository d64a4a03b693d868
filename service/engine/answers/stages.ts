/** The stages of a case. */
import type { JsonObject } from "../../../lib/json.ts";
import type { Process, Stage } from "../../definition/application.ts";
import { isResolved } from "../context.ts";
import { visitsOf } from "../state.ts";
import type { CaseWork } from "../work.ts";
import { link } from "./links.ts";

/** All stages of a case's type, with the case's way through them. */
export function stageInfos(work: CaseWork): JsonObject[] {
  const visits = visitsOf(work.stored);
  return [...work.type.stages.values()].map((stage) => stageInfo(work, stage, visits[stage.id]));
}

/** The stages with their processes and steps. */
export function stagesWithProcesses(work: CaseWork): JsonObject[] {
  const open = new Map(work.assignments.map(({ processId, stepId }) => [processId, stepId]));
  const stages = [...work.type.stages.values()];
  return stageInfos(work).map((info, index) => ({
    id: info.ID,
    ...info,
    processes: [...(stages[index]?.processes.values() ?? [])].map((process) =>
      processInfo(process, info.visited_status, open.get(process.id))
    ),
  }));
}

function stageInfo({ stored }: CaseWork, stage: Stage, entryTime: string | undefined): JsonObject {
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

/** A process is where its stage is; its steps before the open one are done. */
function processInfo(process: Process, stageStatus: JsonObject[string], openStep: string | undefined): JsonObject {
  const steps = [...process.steps.values()];
  const at = steps.findIndex(({ id }) => id === openStep);
  const idle = stageStatus === "future" ? "future" : "completed";
  return {
    ID: process.id,
    name: process.name,
    visited_status: at < 0 ? idle : "active",
    steps: steps.map(({ id, name }, index) => ({
      ID: id,
      name,
      visited_status: at < 0 ? idle : index < at ? "completed" : index === at ? "active" : "future",
    })),
  };
}
