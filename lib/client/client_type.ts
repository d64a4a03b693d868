/** The type of a client, from the descriptions of the operations. */
import type {
  AnswerOf,
  ConditionalOptions,
  Operation,
  ParamsOf,
  PositionalLabels,
  PositionalParam,
  RequestOptions,
} from "../operation/operation.ts";
import type { Resources } from "../resources/mod.ts";
import type { JsonObject } from "../../utils/json.ts";
import type { Flatten } from "../../utils/shape.ts";
import type { ApiPromise, PagedPromise } from "./api_promise.ts";

/** The functions of all operations, by group and name. */
export type Client<Common = RequestOptions, R extends Runtime = "program"> = {
  readonly [G in keyof Resources]: GroupFunctions<Resources[G], Common, R>;
};

/**
 * Where functions are called. A script gets no responses, because its history keeps no headers.
 *
 * @internal
 */
export type Runtime = "program" | "script";

/**
 * The functions of one group.
 *
 * @internal
 */
export type GroupFunctions<G, Common, R extends Runtime> = {
  readonly [O in keyof G]: OperationFunction<G[O], Common, R>;
};

/** The function of an operation. Where content travels, its type is a parameter of the function. */
export type OperationFunction<O, Common = RequestOptions, R extends Runtime = "program"> = O extends Operation
  ? HasContent<O> extends true ? <Content extends object = JsonObject>(
      ...args: Arguments<O, Content, Common>
    ) => Results<AnswerOf<O, Content>, ItemOf<O, Content>>[R]
  : (...args: Arguments<O, JsonObject, Common>) => Results<AnswerOf<O>, ItemOf<O, JsonObject>>[R]
  : never;

/** The positional arguments of an operation's function. */
type Positionals<A> = A extends readonly [infer First extends PositionalParam, ...infer Rest]
  ? [...PositionalLabels[First["name"]], ...Positionals<Rest>]
  : [];

/** The request options of an operation's function: the common ones, and `ifMatch` if the request can be conditional. */
type OptionsOf<O, Common = RequestOptions> = Flatten<
  & (O extends { method: "GET" } ? unknown
    : O extends { creates: true } ? unknown
    : O extends { reads: true } ? (O extends { conditional: true } ? ConditionalOptions : unknown)
    : ConditionalOptions)
  & Common
>;

/** The parameters as an argument: none for an operation without flags, optional if no flag is required. */
type ParamsArgument<P> = keyof P extends never ? [] : Record<never, never> extends P ? [params?: P] : [params: P];

/** The arguments of an operation's function: its positional arguments, its parameters, and request options. */
type Arguments<O extends Operation, Content, Common> = [
  ...Positionals<O["args"]>,
  ...ParamsArgument<ParamsOf<O, Content>>,
  options?: OptionsOf<O, Common>,
];

/** Content types that are different, to find out where content travels. */
interface Probes {
  one: { probe: 1 };
  other: { probe: 2 };
}

/** True if parameters or answer of an operation contain content. */
type HasContent<O> = [AnswerOf<O, Probes["one"]>, ParamsOf<O, Probes["one"]>] extends
  [AnswerOf<O, Probes["other"]>, ParamsOf<O, Probes["other"]>] ? false : true;

/** The items of an operation's pages. */
type ItemOf<O, Content> = O extends { pages: { items: infer Path } } ? ItemAt<AnswerOf<O, Content>, Path> : never;

type ItemAt<A, Path> = Path extends `${infer Name}.${infer Rest}`
  ? Name extends keyof A ? ItemAt<NonNullable<A[Name]>, Rest> : never
  : Path extends keyof A ? Element<A[Path]>
  : never;

type Element<T> = T extends readonly (infer Item)[] ? Item : NonNullable<T>;

/** Return types of an operation's function, in a program and in a script. */
interface Results<Answer, Item> {
  program: [Item] extends [never] ? ApiPromise<Answer> : PagedPromise<Answer, Item>;
  script: [Item] extends [never] ? Promise<Answer> : Promise<Answer> & AsyncIterable<Item>;
}
