/** The commands of `svc workflow`. */
import type { LocalGroup } from "../local_command.ts";
import { cancel } from "./cancel.ts";
import { deleteRun } from "./delete.ts";
import { init } from "./init.ts";
import { list } from "./list.ts";
import { logs } from "./logs.ts";
import { plan } from "./plan.ts";
import { record } from "./record.ts";
import { report } from "./report.ts";
import { resume } from "./resume.ts";
import { retry } from "./retry.ts";
import { run } from "./run.ts";
import { show } from "./show.ts";
import { test } from "./test.ts";

/** The commands by name, in the order of the help. */
export const commands: LocalGroup = {
  run,
  plan,
  record,
  test,
  init,
  resume,
  retry,
  list,
  show,
  logs,
  report,
  cancel,
  delete: deleteRun,
};
