/** Types of the handlers of operations. A handler receives decoded values and returns an outcome. */
import type { JsonValue } from "../../utils/json.ts";
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
import type { Store, Transaction } from "../store/store.ts";
import type { Result } from "./status.ts";

/** Context of a call. */
export interface HandlerContext {
  /** The application that is served. */
  readonly app: Application;
  /** The unit of work. */
  readonly tx: Transaction;
  /** The bytes of files. */
  readonly bytes: ByteStore;
  /** The files that come with the application. */
  readonly assets: Assets;
  /** Operator who makes the call. */
  readonly caller: Operator;
  /** Time of the call, the same for everything that it changes. */
  readonly now: Date;
  /** Query parameters that are not described by the operation, e.g. `viewType`. */
  readonly query: URLSearchParams;
  /** The whole body, for members that are not described by the operation. */
  readonly body: JsonValue | undefined;
  /** Adds work that runs after the response. */
  readonly background: Background;
}

/**
 * Work that runs after the response. It may return further work, which runs after all other pending work. Work that is
 * pending when the service stops is lost unless its creator stores it, and finds it at the next start.
 */
export type LaterWork = (store: Store) => Promise<LaterWork | void>;

/** Takes work that is done after the answer. */
export type Background = (work: LaterWork) => void;

/** A file that came with a call: its bytes are stored already. */
export interface ReceivedFile extends FileInput {
  /** Name of its bytes. */
  readonly id: string;
  /** Media type. */
  readonly type: string;
  /** Digest of its bytes, where it was asked for. */
  readonly digest?: string;
}

/** Bytes as an answer. */
export interface SentContent {
  /** Media type. */
  readonly type: string;
  /** File name, where there is one. */
  readonly name?: string;
  /** Number of bytes. */
  readonly size: number;
  /** The bytes; nothing is opened before they are asked for. */
  readonly stream: ReadableStream<Uint8Array>;
  /** Set if the bytes are sent as base64 text. */
  readonly isBase64?: boolean;
}

/** Result of a handler. */
export interface Outcome {
  /** The result, if it differs from the result that the operation declares. */
  readonly result?: Result;
  /** An error that is reported although the changes stay. It replaces the body. */
  readonly failure?: DomainError;
  /** Body; nothing for an empty answer. */
  readonly body?: JsonValue;
  /** Body that is plain text, instead. */
  readonly text?: string;
  /** Body that is content, instead. */
  readonly content?: SentContent;
  /** Until when the resource exists. */
  readonly expires?: Date;
  /** Entity tag of the resource as it is now. */
  readonly tag?: string;
  /** Path of the resource, relative to the API root. */
  readonly location?: string;
  /**
   * What must wait for something else than the store, e.g. another server: done when the unit of work is durable,
   * outside of any. Its signal aborts when the service stops. It answers the next unit of work, whose outcome takes the
   * place of this one.
   */
  readonly afterCommit?: (signal: AbortSignal) => Promise<NextUnit>;
}

/** The unit of work that follows a wait. */
export type NextUnit = (context: HandlerContext) => Outcome | Promise<Outcome>;

/** The decoded values of an operation. */
export type ValuesOf<O> =
  & (O extends { args: readonly (infer A extends PositionalParam)[] } ? { [P in A as P["name"]]: FlagValue<P> }
    : unknown)
  & (O extends { flags: infer F } ? Received<FlagOptions<F>> : unknown)
  & ConditionalOptions;

/** Options whose files have been received. */
type Received<T> = { [N in keyof T]: T[N] extends FileInput ? ReceivedFile : T[N] };

/** Serves one operation. */
export type Handler<O> = (values: ValuesOf<O>, context: HandlerContext) => Outcome | Promise<Outcome>;

/** The handlers of one group: one per operation, or it does not compile. */
export type GroupHandlers<G extends keyof Resources> = { readonly [O in keyof Resources[G]]: Handler<Resources[G][O]> };

/** The handlers of all groups. */
export type Handlers = { readonly [G in keyof Resources]: GroupHandlers<G> };
