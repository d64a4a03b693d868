/** The places in stored data that contain names of the application definition. */
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import type { Rename } from "./uses.ts";

/** Columns with the ID of an operator. */
export const OPERATOR_COLUMNS = [
  ["clients", "operator"],
  ["cases", "createdBy"],
  ["cases", "updatedBy"],
  ["events", "by"],
] as const;

/** Members of items with the ID of an operator, by kind. */
export const OPERATOR_MEMBERS = [
  { kind: "attachment", member: "createdBy" },
  { kind: "bulk-job", member: "callerId" },
  { kind: "caseTag", member: "addedBy" },
  { kind: "conversation", member: "operator" },
  { kind: "file", member: "by" },
  { kind: "message", member: "author" },
  { kind: "reply", member: "author" },
  { kind: "personalization", member: "operator" },
] as const;

/** Members of messages with IDs of operators. */
export const OPERATOR_LISTS = ["likes", "mentions"] as const;

/** Kinds of items that belong to operators. */
export const OPERATOR_OWNED = ["bulk-job", "message", "reply"] as const;

/** Members of items with the ID of a queue. */
export const QUEUE_MEMBERS = [
  { kind: "message", member: "queue" },
  { kind: "reply", member: "queue" },
  { kind: "personalization", member: "queue" },
] as const;

/** Replaces names in the processes that wait for child cases. Returns undefined if nothing changes. */
export function renameWaiting(flow: JsonObject, change: Rename): JsonObject | undefined {
  const { waiting } = flow;
  if (!isJsonObject(waiting) || (change.kind !== "process" && change.kind !== "step")) return undefined;
  let isChanged = false;
  const renamed = Object.entries(waiting).map(([child, place]): [string, JsonObject[string]] => {
    if (!isJsonObject(place)) return [child, place];
    if (change.kind === "process" && place.processId === change.from) {
      isChanged = true;
      return [child, { ...place, processId: change.to }];
    }
    if (change.kind === "step" && place.processId === change.process && place.stepId === change.from) {
      isChanged = true;
      return [child, { ...place, stepId: change.to }];
    }
    return [child, place];
  });
  return isChanged ? { ...flow, waiting: Object.fromEntries(renamed) } : undefined;
}

/** Replaces the name of a field in drafts. Returns undefined if nothing changes. */
export function renameInDrafts(state: JsonObject, { from, to }: Rename): JsonObject | undefined {
  const { drafts } = state;
  if (!isJsonObject(drafts)) return undefined;
  let isChanged = false;
  const renamed = Object.entries(drafts).map(([action, draft]): [string, JsonObject[string]] => {
    if (!isJsonObject(draft) || !Object.hasOwn(draft, from)) return [action, draft];
    isChanged = true;
    return [
      action,
      Object.fromEntries(Object.entries(draft).map(([name, value]) => [name === from ? to : name, value])),
    ];
  });
  return isChanged ? { ...state, drafts: Object.fromEntries(renamed) } : undefined;
}

/** Replaces an element of a list. An element that the list already contains is not repeated. */
export function replaceInList(object: JsonObject, member: string, from: string, to: string): JsonObject | undefined {
  const list = object[member];
  if (!Array.isArray(list) || !list.includes(from)) return undefined;
  return { ...object, [member]: [...new Set(list.map((element) => element === from ? to : element))] };
}

/** Renames a member of the object at a path, unless that object has a member with the new name. */
export function moveMember(
  object: JsonObject,
  [first, ...path]: readonly string[],
  from: string,
  to: string,
): JsonObject | undefined {
  if (first !== undefined) {
    const inner = Object.hasOwn(object, first) ? object[first] : undefined;
    const moved = isJsonObject(inner) ? moveMember(inner, path, from, to) : undefined;
    return moved && { ...object, [first]: moved };
  }
  if (!Object.hasOwn(object, from) || Object.hasOwn(object, to)) return undefined;
  const others = Object.entries(object).filter(([name]) => name !== from);
  return Object.fromEntries([...others, [to, object[from]]]);
}
