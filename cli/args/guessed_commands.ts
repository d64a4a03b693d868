import { EDIT_DETAILS } from "../work/edit_details.ts";

/**
 * Commands that people guess, with the command lines that do what they expect, the best one first. Names that are similar
 * to a command, and names of commands in other groups, need no entry.
 */
export const GUESSED_COMMANDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "assignments assign": ["work transfer <assignment>"],
  "assignments list": ["inbox", "show <case>"],
  "assignments search": ["inbox --text <text>"],
  "assignments submit": ["assignments perform <assignment>"],
  "assignments transfer": ["work transfer <assignment>"],
  "auth init": ["profile add <name>", "service start"],
  "cases close": ["do <case>"],
  "cases edit": ["edit <case>", `cases perform-action <case> --action ${EDIT_DETAILS}`],
  "cases list": ["inbox", "find <text>", "data query <data-view>"],
  "cases open": ["show <case>"],
  "cases query": ["data query <data-view>", "find <text>"],
  "cases search": ["find <text>"],
  "cases update": ["edit <case>", `cases perform-action <case> --action ${EDIT_DETAILS}`],
  "cases view": ["show <case>"],
  "data search": ["data query <data-view>"],
  "service log": ["service logs"],
  "service restart": ["service stop", "service start"],
  "work assign": ["work transfer <assignment>"],
  "work list": ["inbox"],
  "work search": ["find <text>"],
  "workflow restart": ["workflow retry <run>", "workflow resume <run>"],
  "workflow wait": ["workflow watch <run>"],
  assign: ["work transfer <assignment>"],
  attach: ["attachments add <case>"],
  close: ["do <case>"],
  comment: ["note <case> <text>"],
  configure: ["profile add <name>"],
  create: ["do", "cases create --type <type>"],
  get: ["show <case>", "cases get <case>"],
  init: ["profile add <name>", "workflow init <folder>"],
  list: ["inbox", "find <text>"],
  log: ["history <case>", "workflow logs <run>", "service logs"],
  ls: ["inbox", "find <text>"],
  new: ["do", "cases create --type <type>"],
  open: ["show <case>"],
  resolve: ["do <case>"],
  restart: ["service start", "workflow retry <run>"],
  search: ["find <text>"],
  start: ["service start"],
  stop: ["service stop"],
  submit: ["assignments perform <assignment>"],
  tasks: ["inbox"],
  todo: ["inbox"],
  version: ["--version"],
  view: ["show <case>"],
  wait: ["workflow watch <run>", "inbox --watch"],
  worklist: ["inbox"],
};

/** Flags of other programs, with the global flags that do what people expect. */
export const GUESSED_FLAGS: Readonly<Record<string, string>> = {
  json: "--format json",
  o: "--format json",
  output: "--format json",
  table: "--format table",
  yaml: "--format yaml",
};
