/** The handlers of all operations: one that is missing does not compile. */
import type { Handlers } from "../handler.ts";
import { handlers as aiAgents } from "./ai_agents.ts";
import { handlers as assignments } from "./assignments.ts";
import { handlers as assistants } from "./assistants.ts";
import { handlers as attachments } from "./attachments.ts";
import { handlers as caseTypes } from "./case_types.ts";
import { handlers as cases } from "./cases.ts";
import { handlers as data } from "./data.ts";
import { handlers as followers } from "./followers.ts";
import { handlers as pages } from "./pages.ts";
import { handlers as participants } from "./participants.ts";
import { handlers as related } from "./related.ts";
import { handlers as social } from "./social.ts";
import { handlers as staticContent } from "./static_content.ts";
import { handlers as tags } from "./tags.ts";
import { handlers as uiLists } from "./ui_lists.ts";

/** The handlers by group and operation. */
export const handlers: Handlers = {
  cases,
  assignments,
  data,
  participants,
  attachments,
  tags,
  followers,
  related,
  caseTypes,
  social,
  aiAgents,
  assistants,
  pages,
  uiLists,
  staticContent,
};
