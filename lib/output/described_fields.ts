/** Checks `--fields` by the description of a response. */
import { filterObjects, isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import type { ListShape, Members, ObjectShape, Shape } from "../../utils/shape.ts";
import type { Answer } from "../operation/answer.ts";
import { listFieldPaths, splitPath, suggestFields } from "./field_path.ts";
import { createUnknownFieldError, type FieldChoice } from "./fields.ts";

/** Result of looking up a field in a description. `open` means that only the response can tell. */
type Description = "described" | "open" | "unknown";

/** Maximum depth of examples, because some shapes contain themselves. */
const MAX_LEVELS = 6;

/**
 * Checks fields before a response exists. Throws `INVALID_ARGS` for an unknown one. If the response may have further
 * members, only a name that looks misspelt is unknown.
 */
export function checkDescribedFields(names: readonly string[], answer: Answer, isOpen: boolean): FieldChoice {
  if (typeof answer === "string") return { names };
  const { shape } = answer;
  const list = findOnlyList(shape);
  const fields = names.map((name): { name: string; description: Description } => {
    const description = follow(shape, shape, splitPath(name));
    if (description !== "unknown" || list === undefined) return { name, description };
    const path = isOpen ? name : `${list}.${name}`; // Some services send the list alone.
    return { name: path, description: follow(shape, shape, [list, ...splitPath(name)]) };
  });
  const isUnknown = fields.map(({ description }) => description === "unknown");
  const unknown = names.filter((_, i) => isUnknown[i]);
  const examples = unknown.length === 0 ? [] : [createExample(shape, shape, 0)].flat().filter(isJsonObject);
  const wrong = isOpen ? unknown.filter((field) => isMisspelt(field, examples)) : unknown;
  if (wrong.length > 0) {
    const columns = examples.flatMap((example) => filterObjects(list && example[list]));
    throw createUnknownFieldError(wrong, [...examples, ...columns]);
  }
  return {
    names: fields.map(({ name }) => name),
    described: fields.filter(({ description }) => description === "described").map(({ name }) => name),
  };
}

/** Fields that `--fields` can name, by the description of a response. */
export interface ListedFields {
  /** Members of the response, and columns of its only list. */
  readonly names: readonly string[];
  /** Prefixes of paths that the description leaves open, e.g. `data.caseInfo.content.`. */
  readonly openPaths: readonly string[];
}

/** Lists the fields that `--fields` can name. */
export function listDescribedFields(answer: Answer): ListedFields {
  if (typeof answer === "string") return { names: [], openPaths: [] };
  const { shape } = answer;
  const list = findOnlyList(shape);
  const members = "list" in shape ? {} : listMembers(shape);
  const element = list === undefined ? shape : members[list] ?? shape;
  const columns = [createExample(element, shape, 0)].flat().filter(isJsonObject).flatMap(Object.keys);
  const nested = Object.entries(members).filter(([name]) => name !== list)
    .flatMap(([name, member]) => listOpenPaths(member, `${name}.`));
  return {
    names: [...new Set([...Object.keys(members), ...columns])],
    openPaths: [...(element === shape && !("list" in shape) ? [] : listOpenPaths(element, "")), ...nested],
  };
}

function listOpenPaths(shape: Shape, path: string): string[] {
  if (typeof shape === "string") return shape === "open" ? [path] : [];
  if ("values" in shape) return [];
  if ("oneOf" in shape) return [...new Set(shape.oneOf.flatMap((one) => listOpenPaths(one, path)))];
  if ("list" in shape) return listOpenPaths(shape.list, path);
  const members = Object.entries(listMembers(shape));
  return [...(shape.open ? [path] : []), ...members.flatMap(([name, one]) => listOpenPaths(one, `${path}${name}.`))];
}

/** Reports whether a name is like a described one. The same name elsewhere, or in other case, can be another member. */
function isMisspelt(field: string, examples: readonly JsonObject[]): boolean {
  const isSameName = (name: string) => splitPath(name).at(-1)?.toLowerCase() === field.toLowerCase();
  const suggestion = suggestFields(field, examples);
  return suggestion !== "" && !listFieldPaths(examples).some(isSameName);
}

/** Finds the name of the only list of a response that is an object. */
function findOnlyList(shape: ObjectShape | ListShape): string | undefined {
  if ("list" in shape) return undefined;
  const [only, ...others] = Object.entries(listMembers(shape)).filter(([, member]) => isList(member));
  return others.length === 0 ? only?.[0] : undefined;
}

function isList(shape: Shape): boolean {
  return typeof shape !== "string" && ("list" in shape || ("oneOf" in shape && shape.oneOf.some(isList)));
}

function follow(shape: Shape, self: Shape, [step, ...rest]: readonly string[]): Description {
  if (step === undefined) return "described";
  if (typeof shape === "string") {
    if (shape === "self") return follow(self, self, [step, ...rest]);
    return shape === "json" || shape === "object" || shape === "open" ? "open" : "unknown";
  }
  if ("values" in shape) return "unknown";
  if ("oneOf" in shape) {
    const found = shape.oneOf.map((one) => follow(one, self, [step, ...rest]));
    return found.find((one) => one === "described") ?? found.find((one) => one === "open") ?? "unknown";
  }
  if ("list" in shape) return follow(shape.list, self, /^\d+$/.test(step) ? rest : [step, ...rest]);
  const members = listMembers(shape);
  const member = Object.hasOwn(members, step) ? members[step] : undefined;
  if (member !== undefined) return follow(member, shape, rest);
  return shape.open ? "open" : "unknown";
}

function listMembers({ required, optional, unchecked }: ObjectShape): Members {
  return { ...required, ...optional, ...unchecked };
}

/** Creates a value with all described members, in which similar names are looked for. */
function createExample(shape: Shape, self: Shape, level: number): JsonValue {
  if (level > MAX_LEVELS) return null;
  if (typeof shape === "string") return shape === "self" ? createExample(self, self, level + 1) : null;
  if ("values" in shape) return null;
  if ("oneOf" in shape) return createExample(shape.oneOf[0] ?? "null", self, level);
  if ("list" in shape) return [createExample(shape.list, self, level + 1)];
  return Object.fromEntries(
    Object.entries(listMembers(shape)).map(([name, member]) => [name, createExample(member, shape, level + 1)]),
  );
}
