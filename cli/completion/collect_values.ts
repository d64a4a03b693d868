/** Finds values for completion in the responses of the service. */
import { filterObjects, isJsonObject, isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { nameList } from "./value_cache.ts";

/** A response. */
export interface ReadResponse {
  /** Path of the request. */
  readonly path: string;
  /** Body. */
  readonly body: JsonValue;
}

/** How the elements of a list become values. */
interface ListRule {
  readonly kind: string;
  /** True if the list belongs to the case, the assignment or the data view. */
  readonly isOwned?: true;
  /** Members of the value; the first that exists. */
  readonly value?: readonly string[];
  /** Members of the description; the first that exists. */
  readonly about?: readonly string[];
}

/** The lists by their names in responses. */
const LISTS: Readonly<Record<string, ListRule>> = {
  caseTypes: { kind: "case types" },
  stages: { kind: "stages", isOwned: true, value: ["name"], about: ["type"] },
  attachment_categories: { kind: "categories", isOwned: true },
  participantRoles: { kind: "roles" },
  participants: { kind: "participants", isOwned: true, about: ["name", "fullName", "participantRoleLabel"] },
  actions: { kind: "actions", isOwned: true },
  availableActions: { kind: "actions", isOwned: true },
  availableProcesses: { kind: "processes", isOwned: true },
  dataPages: { kind: "data views" },
  dataObjects: { kind: "data views", value: ["defaultListDataView"] },
  fields: { kind: "fields", isOwned: true, value: ["fieldID"] },
  attachments: { kind: "attachments", about: ["name", "fileName"] },
  tagsList: { kind: "tags", isOwned: true, value: ["Name"], about: [] },
  followers: { kind: "operators" },
};

/** Members of the identifier, and of the description. */
const VALUE = ["ID", "id"];
const ABOUT = ["name", "Name", "label"];

/** Greatest numbers of levels and of values in a response that are read. */
const MAX_LEVELS = 12;
const MAX_NODES = 20_000;
const MAX_LENGTH = 300;

/** Collects the values of responses. */
export class ValueCollector {
  /** The values found so far. */
  readonly values = new Map<string, Map<string, string>>();
  /** The cases whose open assignments are all among the values. */
  readonly completeCases = new Set<string>();
  #nodes = 0;

  /** Collects the values of a response. */
  collect({ path, body }: ReadResponse): void {
    this.#nodes = 0;
    const owner = findOwner(path);
    this.#visit(body, owner, 0);
    const [, view] = /\/data_views\/([^/?]+)$/.exec(path) ?? [];
    const [row] = isJsonObject(body) ? filterObjects(body.data) : [];
    if (view !== undefined && row !== undefined) this.#addNames(nameList("fields", decodeURIComponent(view)), row);
  }

  #visit(value: JsonValue | undefined, owner: string, level: number): void {
    if (level > MAX_LEVELS || this.#nodes++ > MAX_NODES) return;
    if (Array.isArray(value)) return value.forEach((element) => this.#visit(element, owner, level + 1));
    if (!isJsonObject(value)) return;
    const own = this.#addObject(value) ?? owner;
    for (const [name, member] of Object.entries(value)) {
      const rule = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined;
      if (rule !== undefined && (own !== "" || !rule.isOwned)) this.#addList(rule, member, own);
      if (typeof member === "object" && name !== "links") this.#visit(member, own, level + 1);
    }
  }

  /** Adds an assignment, a case or an assignee. Returns its handle if it owns lists. */
  #addObject(object: JsonObject): string | undefined {
    const id = pick(object, VALUE);
    if (id === undefined) return undefined;
    const label = pick(isJsonObject(object.content) ? object.content : object, ["pyLabel", "label"]);
    if (/^ASSIGN-/i.test(id)) {
      this.add("assignments", id, pick(object, ["name"]));
      const caseId = pick(object, ["caseID"]);
      if (caseId !== undefined) this.#addCase(caseId, object, label);
      return id;
    }
    if (isNonEmptyString(object.caseTypeID)) {
      this.#addCase(id, object, label);
      if (isJsonObject(object.content)) this.completeCases.add(id);
      return id;
    }
    if (object.type === "worklist") this.add("operators", id, pick(object, ABOUT));
    if (object.type === "workbasket") this.add("queues", id, pick(object, ABOUT));
    return undefined;
  }

  #addCase(id: string, object: JsonObject, label: string | undefined): void {
    this.add("cases", id, join(label ?? pick(object, ["name"]), pick(object, ["status"])));
    const type = pick(object, ["caseTypeID"]);
    if (type === undefined) return;
    this.add("case types", type, pick(object, ["caseTypeName"]));
    this.add("types by case", id, type);
    if (isJsonObject(object.content)) this.#addNames(nameList("fields", type), object.content);
  }

  #addList(
    { kind, isOwned, value = VALUE, about = ABOUT }: ListRule,
    list: JsonValue | undefined,
    owner: string,
  ): void {
    for (const element of filterObjects(list)) {
      const found = pick(element, value);
      if (found !== undefined) this.add(isOwned ? nameList(kind, owner) : kind, found, pick(element, about));
    }
  }

  /** Adds the names of fields. Those of the platform are for programs. */
  #addNames(list: string, row: JsonObject): void {
    for (const name of Object.keys(row)) {
      if (!/^(?:p[xyz][A-Z]|classID$|id$|links$)/.test(name) && !this.values.get(list)?.has(name)) {
        this.add(list, name);
      }
    }
  }

  /** Adds a value with its description. */
  add(list: string, value: string, about: string = ""): void {
    if (value.length > MAX_LENGTH) return;
    const values = this.values.get(list) ?? new Map<string, string>();
    this.values.set(list, values);
    if (about !== "" || !values.has(value)) values.set(value, about.slice(0, MAX_LENGTH));
  }
}

/** Finds the case, the assignment or the data view of a request. */
function findOwner(path: string): string {
  const [, segment = ""] = /\/(?:cases|assignments|data_views)\/([^/?]+)/.exec(path) ?? [];
  return decodeURIComponent(segment);
}

function pick(object: JsonObject, members: readonly string[]): string | undefined {
  return members.map((member) => object[member]).find(isNonEmptyString);
}

function join(...parts: readonly (string | undefined)[]): string {
  return parts.filter(isNonEmptyString).join(", ");
}
