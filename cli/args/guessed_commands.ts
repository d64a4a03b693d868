import { EDIT_DETAILS } from "../work/edit_details.ts";

/**
 * Commands that people guess, with the command lines that do what they expect, the best one first. Names that are similar
 * to a command, and names of commands in other groups, need no entry.
 */
export const GUESSED_COMMANDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "assignments list": ["inbox", "show <case>"],
  "assignments search": ["inbox --text <text>"],
  "assignments submit": ["assignments perform <assignment>"],
  "assignments transfer": ["work transfer <assignment>"],
  "auth init": ["profile add <name>", "service start"],
  "cases edit": ["edit <case>", `cases perform-action <case> --action ${EDIT_DETAILS}`],
  "cases list": ["inbox", "find <text>", "data query <data-view>"],
  "cases open": ["show <case>"],
  "cases query": ["data query <data-view>", "find <text>"],
  "cases search": ["find <text>"],
  "cases update": ["edit <case>", `cases perform-action <case> --action ${EDIT_DETAILS}`],
  "cases view": ["show <case>"],
  "data search": ["data query <data-view>"],
  "work list": ["inbox"],
  "work search": ["find <text>"],
  attach: ["attachments add <case>"],
  comment: ["note <case> <text>"],
  configure: ["profile add <name>"],
  init: ["profile add <name>", "workflow init <folder>"],
  list: ["inbox", "find <text>"],
  ls: ["inbox", "find <text>"],
  open: ["show <case>"],
  search: ["find <text>"],
  start: ["service start"],
  stop: ["service stop"],
  submit: ["assignments perform <assignment>"],
  tasks: ["inbox"],
  todo: ["inbox"],
  version: ["--version"],
  view: ["show <case>"],
  worklist: ["inbox"],
};
