/** The typed functions of the operations: `svc.cases.create({...})` from the descriptions, over any way to make a call. */
import type { Answers } from "../answers/answer_types.ts";
import { mapValues } from "../../utils/map_values.ts";
import { permissionName } from "../operation/names.ts";
import type { CallOptions, Group, Operation, OperationFunction, OperationRef } from "../operation/operation.ts";
import type { Resources } from "../resources/mod.ts";
import { misplaced, type Values } from "./values.ts";

/** The functions of all operations, by group and name. Each takes, beside its own, the options that all have in common. */
export type Client<Common = CallOptions> = { readonly [G in keyof Resources]: GroupFunctions<Resources[G], Common> };

/** The functions of one group. */
export type GroupFunctions<G, Common = CallOptions> = { readonly [O in keyof G]: OperationFunction<G[O], Common> };

/** Makes one call and checks its answer. */
export type Invoke = (ref: OperationRef, values: Values, options: CallOptions) => Promise<Answers[keyof Answers]>;

/** The functions of all operations, each of which makes its call by `invoke`. */
export function bindOperations(resources: Readonly<Record<string, Group>>, invoke: Invoke): Client {
  const client = mapValues(resources, (group, groupName) =>
    mapValues(group, (operation, name) => {
      const ref = { name: permissionName(groupName, name), operation };
      return (...args: unknown[]) => invoke(ref, ...valuesOf(operation, args));
    }));
  // The functions are made from the same descriptions as their types; TypeScript cannot follow that through a loop.
  return client as unknown as Client;
}

/** The arguments of an operation's function in two: the values of the call by parameter name, and the call's options. */
export function valuesOf(operation: Operation, args: readonly unknown[]): [Values, CallOptions] {
  const names: readonly string[] = (operation.args ?? []).map((arg) => arg.name);
  const { signal, timeoutSeconds, idempotencyKey, ...flags } = Object(args[names.length] ?? {}) as CallOptions & Values;
  const positional = Object.fromEntries(names.map((name, i) => [name, args[i]]));
  const options = Object.entries(flags).map(([name, value]) => [names.includes(name) ? misplaced(name) : name, value]);
  return [{ ...positional, ...Object.fromEntries(options) }, { signal, timeoutSeconds, idempotencyKey }];
}
