/** Types of the handlers of operations. A handler receives decoded values and returns an outcome. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type {
  ConditionalOptions,
  FileInput,
  FlagOptions,
  FlagValue,
  PositionalParam,
} from "../../lib/operation/operation.ts";
import type { Resources } from "../../lib/resources/mod.ts";
import type { Application, Operator } from "../application/model/application.ts";
import type { DomainError } from "../errors.ts";
import type { Assets } from "../pages/assets.ts";
import type { ByteStore } from "../store/bytes.ts";
import type { CallerTransaction } from "../access/caller_transaction.ts";
import type { Store } from "../store/store.ts";
import type { Result } from "./status.ts";

/** Context of a call. */
export interface HandlerContext {
  readonly app: Application;
  /** The unit of work, as the caller may see it. */
  readonly tx: CallerTransaction;
  readonly bytes: ByteStore;
  /** The static files of the application. */
  readonly assets: Assets;
  readonly caller: Operator;
  /** Path of the API. */
  readonly apiRoot: string;
  /** Maximum size of an uploaded file in bytes. */
  readonly maxFileBytes: number;
  /** True if the service follows the published API strictly. */
  readonly strict: boolean;
  /** True if the request must carry an entity tag. */
  readonly needsTag: boolean;
  /** Time of the call, the same for everything that it changes. */
  readonly now: Date;
  /** Query parameters for which the operation has no flag, e.g. `viewType`. Their values are checked. */
  readonly query: URLSearchParams;
  /** The whole body, for members for which the operation has no flag. */
  readonly body: JsonValue | undefined;
  readonly runLater: RunLater;
}

/**
 * Work that runs after the response. It may return further work, which runs after all other pending work. Pending work is
 * lost when the service stops, unless its creator stores it and schedules it again at the next start.
 */
export type LaterWork = (store: Store) => Promise<LaterWork | void>;

/** Schedules work that runs after the response. */
export type RunLater = (work: LaterWork) => void;

/** An uploaded file, whose bytes are already stored. */
export interface ReceivedFile extends FileInput {
  /** ID of the stored bytes. */
  readonly id: string;
  /** Media type. */
  readonly type: string;
  /** Digest of the bytes, if it was requested. */
  readonly digest?: string;
}

/** Bytes as a response. */
export interface SentContent {
  /** Media type. */
  readonly type: string;
  /** File name. */
  readonly name?: string;
  /** Number of bytes. */
  readonly size: number;
  /** The bytes. Their file is opened on the first read. */
  readonly stream: ReadableStream<Uint8Array>;
  /** True if the bytes are sent as base64 text. */
  readonly isBase64?: boolean;
}

/** Result of a handler. */
export interface Outcome {
  /** The result, if it differs from the result that the operation declares. */
  readonly result?: Result;
  /** An error that is reported although the changes stay. It replaces the body. */
  readonly failure?: DomainError;
  /** Body as JSON. */
  readonly body?: JsonValue;
  /** Body as plain text. */
  readonly text?: string;
  /** Body as bytes. */
  readonly content?: SentContent;
  /** Time at which the resource expires. */
  readonly expires?: Date;
  /** Current entity tag of the resource. */
  readonly tag?: string;
  /** Path of the resource, relative to the API root. */
  readonly location?: string;
  /**
   * Waits for another system, such as a model server, after the unit of work is durable and while no other unit is open.
   * Returns the next unit of work, whose outcome replaces this one. The signal aborts when the service stops.
   */
  readonly afterCommit?: (signal: AbortSignal) => Promise<NextUnit>;
}

/** A unit of work that follows a wait. */
export type NextUnit = (context: HandlerContext) => Outcome | Promise<Outcome>;

/** The decoded values of an operation. */
export type ValuesOf<O> =
  & (O extends { args: readonly (infer A extends PositionalParam)[] } ? { [P in A as P["name"]]: FlagValue<P> }
    : unknown)
  & (O extends { flags: infer F } ? Received<FlagOptions<F, JsonObject, Record<never, never>>> : unknown)
  & ConditionalOptions;

/** Options with received files. */
type Received<T> = { [N in keyof T]: T[N] extends FileInput ? ReceivedFile : T[N] };

/** Serves one operation. */
export type Handler<O> = (values: ValuesOf<O>, context: HandlerContext) => Outcome | Promise<Outcome>;

/** The handlers of a group. A missing operation does not compile. */
export type GroupHandlers<G extends keyof Resources> = { readonly [O in keyof Resources[G]]: Handler<Resources[G][O]> };

/** The handlers of all groups. */
export type Handlers = { readonly [G in keyof Resources]: GroupHandlers<G> };
