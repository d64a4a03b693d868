/**
 * Descriptions of operations. The command, the library function, the help, the dry run, the permission name, the
 * reference page and the route of the service all derive from them.
 */
import type { Answer, AnswerType } from "./answer.ts";
import { isJsonObject, isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import type { Flatten } from "../../utils/shape.ts";
import type { BodyTypes } from "./body_types.ts";
import type { TagMode } from "./request_style.ts";

/**
 * Place of a value in the request: `path:caseID`, `query:actionID`, `body:paging.pageNumber`, `body:*` for the whole body,
 * `part:file` for a part of a multipart body. `pick:caseTypes.ID` picks an element of the list in the response instead.
 */
export type Place = `path:${string}` | `query:${string}` | `body:${string}` | `part:${string}` | `pick:${string}`;

/** Types of parameter values, by name. */
export interface ParamTypes {
  /** Text. */
  string: string;
  /** An integer, 0 or more. */
  integer: number;
  /** A switch. */
  boolean: boolean;
  /** A JSON object. */
  object: JsonObject;
  /** A JSON array. */
  array: JsonValue[];
  /** Several texts. On the command line they are separated by commas, or each has a flag if the parameter is repeatable. */
  list: string[];
  /** A calculation request: `{ calculations: { fields: [{ name, context }], whens: [{ name, context }] } }`. */
  calculation: CalculationRequest;
  /** A file to upload. On the command line it is a path. */
  file: FileInput;
}

/** A file to upload, such as a web `File`. It can be read several times. */
export interface FileInput {
  /** File name without directories. */
  readonly name: string;
  /** Number of bytes. */
  readonly size: number;
  /** Media type. Default: derived from the name. */
  readonly type?: string;
  /** Reads the bytes from the start. */
  stream(): ReadableStream<Uint8Array>;
}

/** Body of the `recalculate` operations and of `cases.calcFields`. */
export interface CalculationRequest {
  /** Properties and conditions to compute: at least one of both lists. */
  calculations: {
    /** Properties to compute, e.g. `{ name: ".Total", context: "content" }`. */
    fields?: { name: string; context: string }[];
    /** Conditions to evaluate, e.g. `{ name: "HasFee", context: "content" }`. */
    whens?: { name: string; context: string }[];
  };
}

/** A flag or a positional argument. */
export interface Param {
  /** Meaning, as the help shows it: no full stop. */
  readonly help: string;
  /** Type of the value. */
  readonly type: keyof ParamTypes;
  /** Place in the request. A body path may contain `[]` (one element per value) or `[0]` (the only element). */
  readonly to: Place;
  /** True if it is required. */
  readonly required?: true;
  /** One-letter form. */
  readonly short?: string;
  /** True if each element of a list has a flag of its own on the command line. */
  readonly repeatable?: true;
  /** Value of a missing flag. */
  readonly default?: string;
  /** Value that the service assumes if another client omits a required flag. */
  readonly assumed?: string;
  /** True if `false` differs from a missing value. The help then shows the negated form. */
  readonly negatable?: true;
  /** Values that would turn the path into the path of another operation. They are rejected. */
  readonly reserved?: readonly string[];
  /** Accepted values, if they are known. Type, check, help and completion derive from them. */
  readonly choices?: readonly string[];
  /** True for a flag that can name a case. The command line accepts its short ID. */
  readonly namesCase?: true;
  /** True if it identifies the resource, as the variables of the path do. */
  readonly identifies?: true;
  /** Type of the value in the library. The client checks `type` only. */
  readonly members?: keyof BodyTypes<JsonObject>;
  /** True for content, whose type the caller of the library chooses. */
  readonly isContent?: true;
  /** Query parameter that takes all members as one JSON text, for services that expect this. */
  readonly jsonQuery?: string;
  /** Flags that this one excludes. */
  readonly excludes?: readonly string[];
  /** Values of other flags that the request needs with this one, if they are missing. */
  readonly implies?: Readonly<Record<string, number>>;
  /** Reason why the flag is always rejected. It is declared so that the error can give the reason. */
  readonly rejected?: string;
  /** First platform version that supports it. */
  readonly since?: number;
  /** Deployment variant that supports it, if others do not. */
  readonly variant?: "hosted";
}

/** A positional argument. */
export interface PositionalParam extends Param {
  /** Name, e.g. `caseId`. */
  readonly name: keyof PositionalLabels;
  /** Always true: positional arguments cannot be omitted. */
  readonly required: true;
}

/** Source of the entity tag for a change. */
export interface TagSource {
  /** Path template of the read. It has the variables of the operation's own path. */
  readonly path: string;
  /** Flag whose scalar members identify the record. They are sent as `dataViewParameters`, except long texts. */
  readonly scalarsOf?: string;
  /** True if the client by default reads it only after a 428, and not before each call. */
  readonly onDemand?: true;
}

/** Query parameters and members of the body that an operation accepts besides its flags. */
export interface Accepted {
  /** Query parameters: any text, `true` or `false`, or one of several texts. */
  readonly query?: Readonly<Record<string, "text" | "boolean" | readonly string[]>>;
  /**
   * Paths of members of the body, such as `calculations.fields[].name`. What is below the end of a path is not checked.
   * `anything`: the published API does not describe the members.
   */
  readonly body?: readonly string[] | "anything";
}

/** How an operation returns a list in pages. */
export interface Pages {
  /** Path of the list in the answer, e.g. `data.FeedList.pxResults`. */
  readonly items: string;
  /** Path of the member that says whether more items follow. Without one, the list ends with a short or empty page. */
  readonly more?: string;
  /** Flag that selects the page. */
  readonly page: string;
  /** Flag that sets the size of a page. */
  readonly size: string;
  /** Flag that limits the first page. Many services refuse it for a page that is selected by its number. */
  readonly limit?: string;
  /** Number of the first page, if pages are numbered. */
  readonly first?: number;
  /** Member of the last item with which the next page begins, if pages are not numbered. */
  readonly cursor?: string;
}

/** An operation. */
export interface Operation {
  /** Summary: an imperative sentence without a full stop. */
  readonly summary: string;
  /** HTTP method. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path template below the API root, e.g. `/cases/{caseID}`. */
  readonly path: string;
  /** Positional arguments, in order. */
  readonly args?: readonly PositionalParam[];
  /** Flags by name, in the order of the help. */
  readonly flags?: Readonly<Record<string, Param>>;
  /** Answer. */
  readonly answer: Answer;
  /** How it returns a list in pages. */
  readonly pages?: Pages;
  /** HTTP status of success. Default: 200. */
  readonly status?: number;
  /** True if it changes nothing, although its method is not GET. */
  readonly reads?: true;
  /** True if it changes something, although its method is GET: it assigns what it returns to the caller. */
  readonly takes?: true;
  /** True if it creates a resource of its own: no entity tag can match. */
  readonly creates?: true;
  /** True if it accepts an entity tag, although it only computes. */
  readonly conditional?: true;
  /** Further parts of a request, which other clients send. Strict services refuse all others. */
  readonly accepts?: Accepted;
  /** Source of the entity tag. */
  readonly tagFrom?: TagSource;
  /** When services demand an entity tag: always, or only strict ones. */
  readonly tagDemand?: "always" | "strict";
  /** Sends `{}`, because no flag goes into the body. */
  readonly emptyBody?: true;
  /** Flags. At least one of them is required. */
  readonly atLeastOne?: readonly string[];
  /** True if the command can prompt for the required flags. */
  readonly interactive?: true;
  /** Deployment variant that supports it, if others do not. */
  readonly variant?: "hosted";
  /** True if its errors name the application. */
  readonly labelled?: true;
  /** Writes content to a file only, never to stdout. */
  readonly output?: "file";
  /** Arguments of an example command line, or of several. */
  readonly example: Examples;
  /** Commands that are related, e.g. `assignments perform`. */
  readonly seeAlso?: readonly string[];
}

/** An operation with its permission name. */
export interface OperationRef {
  /** Permission name, e.g. `assignments.get-next`. */
  readonly name: string;
  /** Description. */
  readonly operation: Operation;
}

/** A group of operations by name. */
export type Group = Readonly<Record<string, Operation>>;

/** Options of a request: the last argument of every function of the client. */
export interface RequestOptions {
  /** Cancels the call. */
  signal?: AbortSignal | undefined;
  /** Time limit of each request of the call, in seconds (default: that of the client). */
  timeoutSeconds?: number | undefined;
  /**
   * Makes a change safe to repeat: within 24 hours the service performs it once per key and returns the first response
   * again, even if the entity tag has changed since. A key has 1 to 255 printable ASCII characters. It is not sent with
   * reads, nor to a service whose profile sets `"idempotencyKeys": false`.
   */
  idempotencyKey?: string | undefined;
}

/** Option of a request that can be conditional. */
export interface ConditionalOptions {
  /** Entity tag that must still be current. If it is missing and the operation needs one, the client reads it first. */
  ifMatch?: string | undefined;
}

/** Names of all request options. */
export const REQUEST_OPTIONS = ["signal", "timeoutSeconds", "idempotencyKey", "ifMatch"] as const satisfies readonly (
  keyof (RequestOptions & ConditionalOptions)
)[];

/** Labels of positional arguments in an editor. TypeScript keeps only labels that are written out. */
export interface PositionalLabels {
  /** Case handle. */
  caseId: [caseId: string];
  /** Assignment handle. */
  assignmentId: [assignmentId: string];
  /** Data view ID. */
  dataViewId: [dataViewId: string];
  /** Case type ID. */
  caseTypeId: [caseTypeId: string];
  /** Message ID. */
  messageID: [messageID: string];
  /** Agent ID. */
  agentId: [agentId: string];
  /** Assistant ID. */
  assistantId: [assistantId: string];
  /** Page ID. */
  pageID: [pageID: string];
  /** UI list ID. */
  uiListID: [uiListID: string];
  /** Personalization ID. */
  personalizationID: [personalizationID: string];
  /** Operator ID. */
  userId: [userId: string];
  /** Attachment ID. */
  id: [id: string];
  /** Dashboard ID. */
  dashboardID: [dashboardID: string];
  /** Insight ID. */
  insightID: [insightID: string];
  /** Channel ID. */
  channelID: [channelID: string];
  /** Portal ID. */
  portalID: [portalID: string];
  /** Bundle of texts. */
  locale: [locale: string];
  /** Feed ID. */
  feedID: [feedID: string];
  /** Class ID of a message type. */
  type: [type: string];
  /** Component ID. */
  componentID: [componentID: string];
  /** File ID. */
  fileID: [fileID: string];
  /** View of a list. */
  viewName: [viewName: string];
}

/** The flags of an operation as members of an object. */
export type FlagOptions<F, Content = JsonObject, Bodies = BodyTypes<NoInfer<Content>>> =
  & { -readonly [N in keyof F as F[N] extends { required: true } ? N : never]: FlagValue<F[N], Content, Bodies> }
  & {
    -readonly [N in keyof F as F[N] extends { required: true } | { rejected: string } ? never : N]?: FlagValue<
      F[N],
      Content,
      Bodies
    >;
  };

/** The value of one flag. */
export type FlagValue<P, Content = JsonObject, Bodies = BodyTypes<NoInfer<Content>>> = P extends
  { choices: readonly (infer Choice)[] } ? Choice
  : P extends { isContent: true } ? Partial<NoInfer<Content>>
  : P extends { members: infer Name extends keyof Bodies } ? Bodies[Name]
  : P extends { type: infer T extends keyof ParamTypes } ? ParamTypes[T]
  : never;

/**
 * The parameters of an operation's function: its flags.
 *
 * @internal
 */
export type ParamsOf<O, Content = JsonObject> = O extends { flags: infer F } ? Flatten<FlagOptions<F, Content>>
  : Record<never, never>;

/**
 * The answer of an operation.
 *
 * @internal
 */
export type AnswerOf<O, Content = JsonObject> = O extends { answer: infer A } ? AnswerType<A, Content> : never;

/** Reports whether an operation changes nothing. */
export function isRead(operation: Operation): boolean {
  return operation.method === "GET" || operation.reads === true;
}

/** Reports whether an operation changes something, which a GET that assigns work does, too. */
export function hasEffect(operation: Operation): boolean {
  return operation.takes === true || !isRead(operation);
}

/** Reports whether an operation accepts an entity tag. */
export function takesTag(operation: Operation): boolean {
  return operation.conditional === true || !(isRead(operation) || operation.creates);
}

/** Reports whether the client reads an entity tag before each call of an operation. */
export function readsTagFirst({ tagFrom, tagDemand }: Operation, tags: TagMode): boolean {
  if (tagFrom === undefined) return false;
  return tagDemand === "always" || tags === "first" || (tags === "on-demand" && !tagFrom.onDemand);
}

/** Lists positional arguments and flags. */
export function listParams<P>(
  { args = [], flags = {} }: {
    readonly args?: readonly (P & { readonly name: string })[];
    readonly flags?: Readonly<Record<string, P>>;
  },
): [name: string, param: P][] {
  return [...args.map((arg): [string, P] => [arg.name, arg]), ...Object.entries(flags)];
}

/** Finds two parameters that must not be used together. */
export function findExclusive(
  params: readonly (readonly [name: string, param: Pick<Param, "excludes">])[],
  isUsed: (name: string) => boolean,
): readonly [name: string, other: string] | undefined {
  for (const [name, { excludes = [] }] of params) {
    const other = isUsed(name) ? excludes.find(isUsed) : undefined;
    if (other !== undefined) return [name, other];
  }
  return undefined;
}

/** Reports whether a call sends a multipart body. */
export function sendsForm(operation: Operation): boolean {
  return listParams(operation).some(([, param]) => param.to.startsWith("part:"));
}

/** Arguments of one example command line or of several, the most typical one first. */
export type Examples = string | readonly [string, ...string[]];

/** Returns the examples of a command as a list. */
export function listExamples({ example }: { readonly example: Examples }): readonly [string, ...string[]] {
  return typeof example === "string" ? [example] : example;
}

/** Converts a name to its spelling on the command line and in permissions: `getNext` to `get-next`. */
export function toKebab(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase());
}

/** Returns the permission name of an operation: `assignments.get-next` for `getNext` of `assignments`. */
export function permissionName(group: string, operation: string): string {
  return `${toKebab(group)}.${toKebab(operation)}`;
}

/** Converts a name to its spelling in TypeScript: `get-next` to `getNext`. */
export function toCamel(kebab: string): string {
  return kebab.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Finds an entry by its name in either spelling. */
export function entryNamed<T>(entries: Readonly<Record<string, T>>, word: string): T | undefined {
  const name = toCamel(word);
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** Descriptions of the types, for the sentence "--flag must be …". */
export const TYPE_NAMES: { readonly [T in keyof ParamTypes]: string } = {
  string: "text",
  integer: "a whole number, 0 or more",
  boolean: "true or false",
  object: "a JSON object",
  array: "a JSON array",
  list: "a list of non-empty strings",
  calculation: 'a calculation request: {"calculations":{"fields":[{"name":".Total","context":"content"}]}}',
  file: "a file",
};

const CHECKS: { readonly [T in keyof ParamTypes]: (value: unknown) => value is ParamTypes[T] } = {
  string: (value): value is string => typeof value === "string",
  integer: isWhole,
  boolean: (value): value is boolean => typeof value === "boolean",
  object: isJsonObject,
  array: (value): value is ParamTypes["array"] => Array.isArray(value),
  list: (value): value is string[] => Array.isArray(value) && value.length > 0 && value.every(isNonEmptyString),
  calculation: (value): value is ParamTypes["calculation"] => {
    if (!isJsonObject(value) || !isJsonObject(value.calculations)) return false;
    const { fields, whens } = value.calculations;
    return [fields, whens].some(areNamed) && [fields, whens].every((list) => list === undefined || areNamed(list));
  },
  file: (value): value is FileInput =>
    value instanceof Object && "name" in value && typeof value.name === "string" &&
    "size" in value && isWhole(value.size) && "stream" in value && typeof value.stream === "function",
};

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function areNamed(value: unknown): boolean {
  return Array.isArray(value) &&
    value.every((one) => isJsonObject(one) && typeof one.name === "string" && typeof one.context === "string");
}

/** Reports whether a value has a type. */
export function isOfType<T extends keyof ParamTypes>(type: T, value: unknown): value is ParamTypes[T] {
  return CHECKS[type](value);
}

/** Rule for idempotency keys, as the end of the sentence "… must be". */
export const IDEMPOTENCY_KEY_FORM = "1 to 255 printable ASCII characters";

/** Reports whether a value is a valid idempotency key. */
export function isIdempotencyKey(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e]{1,255}$/.test(value);
}
