/** The handlers of all operations: one that is missing does not compile. */
import type { Handlers } from "../handler.ts";
import { handlers as assignments } from "./assignments.ts";
import { handlers as caseTypes } from "./case_types.ts";
import { handlers as cases } from "./cases.ts";
import { handlers as data } from "./data.ts";

/** The handlers by group and operation. */
export const handlers: Handlers = { cases, assignments, data, caseTypes };
