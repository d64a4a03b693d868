/** Issues in application definitions. */
import { z } from "zod";
import { toBooleanWord } from "../../../utils/text/boolean_words.ts";
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";

/** A problem in a definition, and its place. */
export interface DefinitionIssue {
  /** The keys from the top of the document to the place. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** True if the issue is the last key itself, not its value. */
  readonly atKey?: boolean;
  /** True if the place needs a text: the value may be one that lacks quotes. */
  readonly needsText?: boolean;
}

/** Names of types in messages. */
const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** Types of fields by their usual names in other formats. */
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Text: "string str varchar",
    TextArea: "multiline memo",
    RichText: "html",
    Email: "mail",
    Phone: "tel telephone",
    Url: "uri link",
    Integer: "int long bigint",
    Decimal: "number numeric float double",
    Currency: "money amount",
    Boolean: "bool checkbox",
    DateTime: "timestamp instant",
    Dropdown: "enum select choice",
    UserReference: "user operator",
    Page: "object map record",
    List: "array table",
    Attachment: "file",
  }).flatMap(([type, names]) => names.split(" ").map((name): [string, string] => [name, type])),
);

/** Describes an issue of the format by a predicate, e.g. `must be text`. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is missing";
      return describeWrongType(issue.expected, issue.input);
    case "invalid_value":
      return describeChoice(issue.input, issue.values);
    case "invalid_union":
      if (issue.discriminator === undefined || !(issue.input instanceof Object)) return undefined;
      return describeChoice(
        Reflect.get(issue.input, issue.discriminator),
        Array.isArray(issue.options) ? issue.options : [],
      );
    case "too_small":
      return issue.origin === "string" || issue.origin === "array"
        ? "must not be empty"
        : `must be ${issue.inclusive === false ? "greater than" : "at least"} ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "invalid_format":
      return issue.format === "email" ? "must be an e-mail address" : undefined;
    case "unrecognized_keys":
      return issue.inst instanceof z.ZodObject
        ? describeUnknownKeys(issue.keys, issue.inst.shape, issue.input).join("\n")
        : undefined;
    default:
      return undefined;
  }
}

/** Converts the issues of the format, with their predicates, to one issue for each place. */
export function toIssues(issues: readonly z.core.$ZodIssue[]): DefinitionIssue[] {
  // An unknown key may be the misspelt one that a rule for the whole object misses.
  const misspelt = new Set(issues.filter(({ code }) => code === "unrecognized_keys").map(({ path }) => path.join("/")));
  return issues
    .filter(({ code, path }) => code !== "custom" || !misspelt.has(path.join("/")))
    .flatMap((issue) => splitIssue(issue));
}

function splitIssue(issue: z.core.$ZodIssue): DefinitionIssue[] {
  const { path, message } = issue;
  if (issue.code === "unrecognized_keys") {
    const predicates = message.split("\n");
    return issue.keys.map((key, index) => ({
      path: [...path, key],
      message: `'${key}' ${predicates[index]}`,
      atKey: true,
    }));
  }
  if (issue.code === "invalid_key") {
    return [{ path, message: `the name '${String(path.at(-1))}' ${issue.issues[0]?.message}`, atKey: true }];
  }
  const needsText = issue.code === "invalid_type" && issue.expected === "string";
  return [{ path, message: `${describePlace(path)} ${message}`, needsText }];
}

function describeWrongType(expected: string, input: unknown): string {
  const type = TYPES[expected] ?? expected;
  if (expected === "int" && typeof input === "number") return `must be ${type}, not ${input}`;
  const word = expected === "boolean" && typeof input === "string" ? toBooleanWord(input) : undefined;
  if (word !== undefined && word !== input) return `must be ${type}, not ${input}: write ${word}`;
  const isNumber = (expected === "number" || expected === "int") && typeof input === "string" &&
    /^-?[\d.]+$/.test(input);
  return `must be ${type}, not ${describeType(input)}${
    word !== undefined || isNumber ? ": write it without quotes" : ""
  }`;
}

function describeUnknownKeys(keys: readonly string[], shape: z.core.$ZodShape, input: unknown): string[] {
  const [discriminator] = Object.entries(shape).find(([, member]) => member instanceof z.ZodLiteral) ?? [];
  const where = discriminator === undefined || !(input instanceof Object)
    ? "here"
    : `for the ${discriminator} ${Reflect.get(input, discriminator)}`;
  return keys.map((key) => `is not allowed ${where}${suggestAlternatives(key, Object.keys(shape))}`);
}

function describePlace(path: DefinitionIssue["path"]): string {
  const key = path.at(-1);
  if (key === undefined) return "the definition";
  return typeof key === "number" ? `item ${key + 1} of '${String(path.at(-2))}'` : `'${String(key)}'`;
}

function describeChoice(value: unknown, choices: readonly unknown[]): string {
  if (value === undefined) return `is missing: choose ${choices.join(", ")}`;
  const given = typeof value === "object" ? describeType(value) : String(value);
  const synonym = SYNONYMS.get(given.toLowerCase());
  if (synonym !== undefined && choices.includes(synonym)) return `must not be ${given}; did you mean '${synonym}'?`;
  return `must not be ${given}${suggestAlternatives(given, choices.map(String), Infinity)}`;
}

function describeType(value: unknown): string {
  if (value === null) return "empty";
  return (Array.isArray(value) ? TYPES.array : TYPES[typeof value]) ?? typeof value;
}
