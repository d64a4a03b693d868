/**
 * The one description of an operation. Command, library function, help, dry run, permission name, reference page and
 * service route all come from it.
 */
import type { Answer, AnswerType } from "./answer.ts";
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { Flatten } from "../../utils/shape.ts";

/**
 * Where a value goes: into the request (`path:caseID`, `query:actionID`, `body:paging.pageNumber`, `body:*` for all of
 * it, `part:file` for a part of a multipart body), or nowhere, because it picks an element of a list that the service
 * answers (`pick:caseTypes.ID`).
 */
export type Place = `path:${string}` | `query:${string}` | `body:${string}` | `part:${string}` | `pick:${string}`;

/** The values that parameters take, by the name of their type. */
export interface ParamTypes {
  /** Text. */
  string: string;
  /** A whole number that is not negative. */
  integer: number;
  /** A switch. */
  boolean: boolean;
  /** A JSON object. */
  object: JsonObject;
  /** A JSON array. */
  array: JsonValue[];
  /** Several texts: comma-separated on the command line, or a flag each where the parameter is repeatable. */
  list: string[];
  /** A calculation request: `{ calculations: { fields: [{ name, context }] } }`. */
  calculation: CalculationRequest;
  /** A file to upload; a path on the command line. */
  file: FileInput;
}

/** A file to upload: a web `File` is one, and so is what can be read from a disk piece by piece, as often as asked. */
export interface FileInput {
  /** Name without folders. */
  readonly name: string;
  /** Number of bytes. */
  readonly size: number;
  /** Media type; `application/octet-stream` where it is absent or empty. */
  readonly type?: string;
  /** Reads it from the beginning. */
  stream(): ReadableStream<Uint8Array>;
}

/** The body of the `recalculate` operations and of `cases.calcFields`. */
export interface CalculationRequest {
  /** What to compute. */
  calculations: {
    /** Properties to compute, e.g. `{ name: ".Total", context: "content" }`. */
    fields: { name: string; context: string }[];
    /** Conditions to evaluate. */
    whens?: { name: string; context: string }[];
  };
}

/** A flag or a positional argument. */
export interface Param {
  /** What it means, for the help: no full stop. */
  readonly help: string;
  /** What it takes. */
  readonly type: keyof ParamTypes;
  /** Where it goes. A body path may hold `[]` (an element per value) or `[0]` (the one element). */
  readonly to: Place;
  /** Whether the call cannot be made without it. */
  readonly required?: true;
  /** The one-letter form. */
  readonly short?: string;
  /** Says of a list that each element has a flag of its own on the command line. */
  readonly repeatable?: true;
  /** Value of an absent flag. */
  readonly default?: string;
  /** What the service takes a required flag to be where another client leaves it out. */
  readonly assumed?: string;
  /** Says of a boolean that to say no is something else than to say nothing: the help shows the negated form. */
  readonly negatable?: true;
  /** Words that are no identifiers: with one of them the path would be another operation's. */
  readonly reserved?: readonly string[];
  /** The values that it accepts, if they are known: types, checks, help and completion derive from them. */
  readonly choices?: readonly string[];
  /** Says of an object that it is content, whose type the caller of the library chooses. */
  readonly isContent?: true;
  /** Flags that cannot be given together with this one. */
  readonly excludes?: readonly string[];
  /** Why the flag is accepted by nobody: it is declared so that giving it is answered with this reason. */
  readonly rejected?: string;
  /** The first platform version whose service knows it. */
  readonly since?: number;
  /** The only deployment variant whose service knows it. */
  readonly variant?: "hosted";
}

/** A positional argument, which has its name with it because its place matters. */
export interface PositionalParam extends Param {
  /** Name, e.g. `caseId`. */
  readonly name: keyof PositionalLabels;
  /** A positional argument is always needed. */
  readonly required: true;
}

/** Where the entity tag is read that a changing call sends. */
export interface TagSource {
  /** Path template of the read, filled with the values of the call's own path. */
  readonly path: string;
  /** A flag whose scalar members identify the record: they are sent as `dataViewParameters`, but for long texts. */
  readonly scalarsOf?: string;
}

/** How an operation returns a list in pages. */
export interface Pages {
  /** Path of the list in the answer, e.g. `data.FeedList.pxResults`. */
  readonly items: string;
  /** Path of the member that says whether more items follow. Without one, the list ends with a short or empty page. */
  readonly more?: string;
  /** Flag that selects the page. */
  readonly page: string;
  /** Flag that limits the size of a page. */
  readonly size: string;
  /** Path of another member that limits it, in a body that is given whole. */
  readonly otherSize?: string;
  /** Number of the first page, if pages are numbered. */
  readonly first?: number;
  /** Member of the last item with which the next page begins, if pages are not numbered. */
  readonly cursor?: string;
}

/** One operation. */
export interface Operation {
  /** What it does, in one imperative sentence without a full stop. */
  readonly summary: string;
  /** HTTP method. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path template below the API root, e.g. `/cases/{caseID}`. */
  readonly path: string;
  /** Positional arguments, in order. */
  readonly args?: readonly PositionalParam[];
  /** Flags by name, in the order of the help. */
  readonly flags?: Readonly<Record<string, Param>>;
  /** What it answers. */
  readonly answer: Answer;
  /** How it returns a list in pages. */
  readonly pages?: Pages;
  /** HTTP status of success, where it is not 200. */
  readonly status?: number;
  /** Says of a method other than GET that it changes nothing. */
  readonly reads?: true;
  /** Says of a GET that it changes something all the same: the caller has from then on what it answers. */
  readonly takes?: true;
  /** Says of an operation that only computes that it takes an entity tag all the same. */
  readonly conditional?: true;
  /** Where the entity tag is read first. */
  readonly tagFrom?: TagSource;
  /** Sends `{}` although no flag goes into the body. */
  readonly emptyBody?: true;
  /** Flags of which at least one must be given. */
  readonly atLeastOne?: readonly string[];
  /** Lets a person fill in the required flags at prompts. */
  readonly interactive?: true;
  /** The only deployment variant that serves it. */
  readonly variant?: "hosted";
  /** Says that its errors name the application. */
  readonly labelled?: true;
  /** Says of an answer that is content that it goes to a file and never to stdout. */
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
  /** Its description. */
  readonly operation: Operation;
}

/** A group of operations by name. */
export type Group = Readonly<Record<string, Operation>>;

/** Options of a request: the last argument of every function of the client. */
export interface RequestOptions {
  /** Cancels the call. */
  signal?: AbortSignal;
  /** Time limit of each request of the call, in seconds (default: that of the client). */
  timeoutSeconds?: number;
  /**
   * Makes a change safe to repeat: within 24 hours the service performs it once per key and returns the first response
   * again, even if the entity tag has changed since. A key has 1 to 255 printable ASCII characters. It is not sent with
   * reads, nor to a service whose profile sets `"idempotencyKeys": false`.
   */
  idempotencyKey?: string;
}

/** Option of a request that can be conditional. */
export interface ConditionalOptions {
  /** Entity tag that must still be current. It is sent as it is; without it, the client reads the tag where one is needed. */
  ifMatch?: string;
}

/** Names of all request options. */
export const REQUEST_OPTIONS = ["signal", "timeoutSeconds", "idempotencyKey", "ifMatch"] as const satisfies readonly (
  keyof (RequestOptions & ConditionalOptions)
)[];

/** The labels of positional arguments in an editor: TypeScript keeps only labels that are written out. */
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
export type FlagOptions<F, Content = JsonObject> =
  & { -readonly [N in keyof F as F[N] extends { required: true } ? N : never]: FlagValue<F[N], Content> }
  & {
    -readonly [N in keyof F as F[N] extends { required: true } | { rejected: string } ? never : N]?: FlagValue<
      F[N],
      Content
    >;
  };

/** The value of one flag. */
export type FlagValue<P, Content = JsonObject> = P extends { choices: readonly (infer Choice)[] } ? Choice
  : P extends { isContent: true } ? Partial<NoInfer<Content>>
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

/** Whether an operation changes nothing. */
export function isRead(operation: Operation): boolean {
  return operation.method === "GET" || operation.reads === true;
}

/** Whether the service is another one after an operation: a GET that takes what it answers changes something, too. */
export function hasEffect(operation: Operation): boolean {
  return operation.takes === true || !isRead(operation);
}

/** Whether an operation takes an entity tag. */
export function takesTag(operation: Operation): boolean {
  return operation.conditional === true || !isRead(operation);
}

/** Everything that a call or a command may be given, positional arguments first. */
export function listParams<P>(
  { args = [], flags = {} }: {
    readonly args?: readonly (P & { readonly name: string })[];
    readonly flags?: Readonly<Record<string, P>>;
  },
): [name: string, param: P][] {
  return [...args.map((arg): [string, P] => [arg.name, arg]), ...Object.entries(flags)];
}

/** Whether a call sends a multipart body. */
export function sendsForm(operation: Operation): boolean {
  return listParams(operation).some(([, param]) => param.to.startsWith("part:"));
}

/** Arguments of one example command line or of several, the most typical one first. */
export type Examples = string | readonly [string, ...string[]];

/** Returns the examples of a command as a list. */
export function listExamples({ example }: { readonly example: Examples }): readonly [string, ...string[]] {
  return typeof example === "string" ? [example] : example;
}
