/** The commands of `svc workflow`. */
import type { LocalGroup } from "../local_command.ts";
import { cancelCommand } from "./cancel.ts";
import { checkCommand } from "./check.ts";
import { deleteCommand } from "./delete.ts";
import { initCommand } from "./init.ts";
import { listCommand } from "./list.ts";
import { logsCommand } from "./logs.ts";
import { planCommand } from "./plan.ts";
import { pruneCommand } from "./prune.ts";
import { recordCommand } from "./record.ts";
import { reportCommand } from "./report.ts";
import { resumeCommand } from "./resume.ts";
import { retryCommand } from "./retry.ts";
import { runCommand } from "./run.ts";
import { addCommand } from "./schedule/add.ts";
import { listSchedulesCommand } from "./schedule/list.ts";
import { pauseCommand } from "./schedule/pause.ts";
import { removeCommand } from "./schedule/remove.ts";
import { resumeScheduleCommand } from "./schedule/resume.ts";
import { runNowCommand } from "./schedule/run_now.ts";
import { showCommand } from "./show.ts";
import { signalCommand } from "./signal.ts";
import { statusCommand } from "./status.ts";
import { testCommand } from "./test.ts";
import { watchCommand } from "./watch.ts";
import { verifyCommand } from "./verify.ts";
import { workCommand } from "./work.ts";

/** The commands by name, in the order of the help. */
export const commands: LocalGroup = {
  run: runCommand,
  plan: planCommand,
  record: recordCommand,
  test: testCommand,
  check: checkCommand,
  init: initCommand,
  resume: resumeCommand,
  retry: retryCommand,
  list: listCommand,
  status: statusCommand,
  watch: watchCommand,
  show: showCommand,
  logs: logsCommand,
  report: reportCommand,
  signal: signalCommand,
  cancel: cancelCommand,
  prune: pruneCommand,
  delete: deleteCommand,
  verify: verifyCommand,
  work: workCommand,
  "schedule add": addCommand,
  "schedule list": listSchedulesCommand,
  "schedule pause": pauseCommand,
  "schedule resume": resumeScheduleCommand,
  "schedule runNow": runNowCommand,
  "schedule remove": removeCommand,
};
