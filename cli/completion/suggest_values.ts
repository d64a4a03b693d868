/** Suggests values that commands have read. Nothing is sent. */
import { SvcError } from "../../lib/errors.ts";
import type { Command, Suggestion, ValueKind } from "../commands/command.ts";
import { readLastCase } from "../handles/cursor.ts";
import { getCaseHandle, getShortId, isAssignmentHandle, isShortId, LAST_CASE } from "../handles/handles.ts";
import { type FindList, nameList, openValues } from "./value_cache.ts";

/** The kinds of values by their places in requests. */
const KINDS: Readonly<Record<string, ValueKind>> = {
  "path:caseID": "cases",
  "path:related_caseID": "cases",
  "body:cases[].ID": "cases",
  "body:cases[0].ID": "cases",
  "path:assignmentID": "assignments",
  "path:actionID": "actions",
  "query:actionID": "actions",
  "path:action_ID": "actions",
  "path:caseTypeID": "case types",
  "body:caseTypeID": "case types",
  "query:type": "case types",
  "path:stageID": "stages",
  "path:processID": "processes",
  "body:category": "categories",
  "path:participant_role_ID": "roles",
  "body:participantRoleID": "roles",
  "path:participantID": "participants",
  "path:data_view_ID": "data views",
  "path:attachmentID": "attachments",
  "path:tagID": "tags",
  "path:followerID": "operators",
  "path:user_ID": "operators",
  "body:users[0].ID": "operators",
  "body:operator": "operators",
  "body:queue": "queues",
};

/** Returns the kind of the values at a place in requests. */
export function findKind(to: string | undefined): ValueKind | undefined {
  return to !== undefined && Object.hasOwn(KINDS, to) ? KINDS[to] : undefined;
}

/** The values that are already on a command line, by the names of arguments and flags. */
export type LineValues = ReadonlyMap<string, string>;

/** Suggests values of `--fields`: fields that the command describes, and fields of its case or data view. */
export async function suggestColumns({ answer }: Command, line: LineValues): Promise<readonly Suggestion[]> {
  const { listDescribedFields } = await import("../../lib/output/described_fields.ts");
  const description = typeof answer === "function" ? await answer() : answer;
  if (description === undefined) return [];
  const { names, openPaths } = listDescribedFields(description);
  const fields = openPaths.length === 0 ? [] : await suggestKind("fields", "", line);
  return [
    ...openPaths.flatMap((path) => fields.map(({ word, about }) => ({ word: path + word.replace(/=$/, ""), about }))),
    ...names.map((word) => ({ word, about: "" })),
  ];
}

/** Suggests values of a kind. `start` is the part of the value before the cursor. */
export async function suggestKind(kind: ValueKind, start: string, line: LineValues): Promise<readonly Suggestion[]> {
  if (kind === "operations") return await (await import("./suggest_operations.ts")).suggestOperations(start);
  const options = { profile: line.get("profile") };
  try {
    return new Finder(openValues(options), line, () => readLastCase(options)).find(kind, start);
  } catch (error) {
    if (error instanceof SvcError) return []; // The command itself reports an invalid configuration.
    throw error;
  }
}

/** Finds values for one command line. */
class Finder {
  readonly #findList: FindList;
  readonly #line: LineValues;
  readonly #readLastCase: () => string | undefined;

  constructor(findList: FindList, line: LineValues, readLastCase: () => string | undefined) {
    this.#findList = findList;
    this.#line = line;
    this.#readLastCase = readLastCase;
  }

  find(kind: ValueKind, start: string): Suggestion[] {
    switch (kind) {
      case "cases":
        return this.#findCases(start);
      case "assignments":
        return [...this.#findAssignments(), ...(start === "" ? [] : this.#findCases(start))];
      case "cases and assignments":
        return [...this.#findCases(start), ...this.#findAssignments()];
      case "attachments":
        return this.#list(kind).reverse();
      case "actions":
        return this.#findOwners().flatMap((owner) => this.#list(nameList("actions", owner)));
      case "fields":
        return this.#findFields().map(({ word, about }) => ({ word: `${word}=`, about }));
      case "stages":
      case "processes":
      case "categories":
      case "participants":
      case "tags": {
        const owner = this.#findCase();
        return owner === undefined ? [] : this.#list(nameList(kind, owner));
      }
      default:
        return this.#list(kind);
    }
  }

  /** Suggests handles, or the short IDs that begin as the user has typed. */
  #findCases(start: string): Suggestion[] {
    const cases = this.#list("cases").reverse();
    if (!/^[a-z][a-z\d]*(?:-\d*)?$/i.test(start)) return cases;
    const matches = cases.filter(({ word }) => word.startsWith(start));
    if (matches.length > 0) return matches;
    return cases.flatMap(({ word, about }) => {
      const short = getShortId(word);
      const isMatch = short.toLowerCase().startsWith(start.toLowerCase());
      return isMatch ? [{ word: start + short.slice(start.length), about }] : [];
    });
  }

  /** Suggests assignments with the labels of their cases. */
  #findAssignments(): Suggestion[] {
    const cases = this.#findList("cases");
    return this.#list("assignments").reverse().map(({ word, about }) => {
      const label = cases.get(getCaseHandle(word)) ?? "";
      return { word, about: [about, label].filter((part) => part !== "").join(", ") };
    });
  }

  /** Returns the assignments, the case, the data view or the case type whose actions the line can name. */
  #findOwners(): string[] {
    const assignment = this.#line.get("assignmentId");
    if (assignment === undefined) {
      const owner = this.#findCase() ?? this.#line.get("dataViewId") ?? this.#line.get("caseTypeId");
      return owner === undefined ? [] : [owner];
    }
    if (isAssignmentHandle(assignment)) return [assignment];
    const named = this.#resolveCase(assignment);
    return this.#list("assignments").map(({ word }) => word).filter((word) => getCaseHandle(word) === named);
  }

  #findCase(): string | undefined {
    const assignment = this.#line.get("assignmentId");
    if (assignment !== undefined && isAssignmentHandle(assignment)) return getCaseHandle(assignment);
    if (assignment !== undefined) return this.#resolveCase(assignment);
    const [text] = (this.#line.get("caseId") ?? this.#line.get("id") ?? this.#line.get("cases") ?? "").split(",");
    return text === undefined || text === "" ? undefined : this.#resolveCase(text);
  }

  /** Returns the handle of a case that a short ID or `-` names. */
  #resolveCase(text: string): string {
    if (text === LAST_CASE) return this.#readLastCase() ?? text;
    if (!isShortId(text)) return text;
    const short = text.toUpperCase();
    return this.#list("cases").map(({ word }) => word).find((word) => getShortId(word).toUpperCase() === short) ?? text;
  }

  #findFields(): Suggestion[] {
    const view = this.#line.get("dataViewId");
    if (view !== undefined) return this.#list(nameList("fields", view));
    const named = this.#findCase();
    const type = this.#line.get("type") ??
      (named === undefined ? undefined : this.#findList("types by case").get(named));
    return type === undefined ? [] : this.#list(nameList("fields", type));
  }

  /** Lists the values of a list, the newest last. */
  #list(name: string): Suggestion[] {
    return [...this.#findList(name)].map(([word, about]) => ({ word, about }));
  }
}
