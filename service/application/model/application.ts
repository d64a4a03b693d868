/** The compiled definition of an application: every reference is resolved and every expression is compiled. */
import type { Agent } from "./agent.ts";
import type { CaseType } from "./case_type.ts";
import type { DataType, DataView } from "./data_view.ts";
import type { View } from "./field.ts";
import type { UserInterface } from "./user_interface.ts";

export type * from "./agent.ts";
export type * from "./case_type.ts";
export type * from "./data_view.ts";
export type * from "./expression.ts";
export type * from "./field.ts";
export type * from "./rights.ts";
export type * from "./user_interface.ts";

/** The type of a message whose request names no type. */
export const PLAIN_MESSAGE = "Pega-Social-Message";

/** Maximum number of characters in a message of any type. */
export const LONGEST_MESSAGE = 32_000;

/** An application. */
export interface Application extends UserInterface {
  readonly id: string;
  readonly name: string;
  /** The organization that owns the application. */
  readonly organisation: string;
  /** The deployment variant that the service presents itself as. */
  readonly variant: "hosted" | "on-premises";
  /** The platform version that the service presents itself as. */
  readonly platformVersion: number;
  /** Operators by ID. */
  readonly operators: ReadonlyMap<string, Operator>;
  /** Names of the queues by ID. */
  readonly queues: ReadonlyMap<string, string>;
  /** Case types by ID, in order. */
  readonly caseTypes: ReadonlyMap<string, CaseType>;
  /** Data types by class, in order. */
  readonly dataTypes: ReadonlyMap<string, DataType>;
  /** Data views by ID, in order. Every application has some, such as `D_pyMyWorkList`. */
  readonly dataViews: ReadonlyMap<string, DataView>;
  /** Message types by class. Every application has `Pega-Social-Message`. */
  readonly messageTypes: ReadonlyMap<string, MessageType>;
  /** Agents by ID, in order. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** Assistants by ID, in order. */
  readonly assistants: ReadonlyMap<string, Agent>;
}

/** A person or a program that works with the application. */
export interface Operator {
  /** Operator ID, e.g. `clerk@city`. */
  readonly id: string;
  readonly name: string;
  /** Queues from which the operator takes work. */
  readonly queues: readonly string[];
  /** E-mail address. */
  readonly email?: string;
}

/** A type of messages. */
export interface MessageType {
  /** Class. */
  readonly id: string;
  readonly name: string;
  /** Maximum number of characters in a message. */
  readonly maxLength: number;
  /** The queue that receives the messages, unless a message names another one. */
  readonly queue?: string;
  /** The form of a new message. */
  readonly view: View;
}
