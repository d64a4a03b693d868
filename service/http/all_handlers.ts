/** The handlers of all operations: one that is missing does not compile. */
import type { Handlers } from "./handler.ts";
import { agentHandlers as aiAgents, assistantHandlers as assistants } from "../conversations/handlers.ts";
import { handlers as assignments } from "../assignments/handlers.ts";
import { handlers as attachments } from "../attachments/handlers.ts";
import { handlers as caseTypes } from "../case_types/handlers.ts";
import { handlers as cases } from "../cases/handlers.ts";
import { handlers as data } from "../data/handlers.ts";
import { handlers as followers } from "../associations/followers.ts";
import {
  pageHandlers as pages,
  staticContentHandlers as staticContent,
  uiListHandlers as uiLists,
} from "../pages/handlers.ts";
import { handlers as participants } from "../participants/handlers.ts";
import { handlers as related } from "../associations/relations.ts";
import { handlers as social } from "../social/handlers.ts";
import { handlers as tags } from "../associations/tags.ts";

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
