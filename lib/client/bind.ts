/** The typed functions of the operations: `svc.cases.create({...})` from the descriptions, over any way to make a call. */
import { mapValues } from "../../utils/map_values.ts";
import { permissionName } from "../operation/names.ts";
import {
  type Group,
  type Operation,
  type OperationFunction,
  type OperationRef,
  REQUEST_OPTIONS,
  type RequestOptions,
} from "../operation/operation.ts";
import type { Resources } from "../resources/mod.ts";
import { misplaced, type Values } from "./values.ts";

/** The functions of all operations, by group and name. Each takes, beside its own, the options that all have in common. */
export type Client<Common = RequestOptions> = { readonly [G in keyof Resources]: GroupFunctions<Resources[G], Common> };

/**
 * The functions of one group.
 *
 * @internal
 */
export type GroupFunctions<G, Common = RequestOptions> = { readonly [O in keyof G]: OperationFunction<G[O], Common> };

/** Makes one call and checks its answer. */
export type Invoke = (ref: OperationRef, values: Values, options: RequestOptions) => Promise<unknown>;

/** The functions of all operations, each of which makes its call by `invoke`. */
export function bindOperations(resources: Readonly<Record<string, Group>>, invoke: Invoke): Client {
  const client = mapValues(resources, (group, groupName) =>
    mapValues(group, (operation, name) => {
      const ref = { name: permissionName(groupName, name), operation };
      return (...args: unknown[]) => invoke(ref, ...splitArguments(operation, args));
    }));
  // The functions are made from the same descriptions as their types; TypeScript cannot follow that through a loop.
  return client as unknown as Client;
}

/** Splits the arguments of an operation's function into the values of the call, by parameter name, and its options. */
export function splitArguments(operation: Operation, args: readonly unknown[]): [Values, RequestOptions] {
  const names: readonly string[] = (operation.args ?? []).map((arg) => arg.name);
  const positional = Object.fromEntries(names.map((name, i) => [name, args[i]]));
  const { flags } = operation;
  const [params, options] = flags === undefined ? [undefined, args[names.length]] : args.slice(names.length);
  const { signal, timeoutSeconds, idempotencyKey, ifMatch, ...unknown }: Record<string, unknown> & RequestOptions =
    Object(options ?? {});
  const values = {
    ...positional,
    ...renameKeys(Object(params ?? {}), (name) => isRequestOption(name) ? misplaced("params", name) : named(name)),
    ...renameKeys(unknown, (name) => flags === undefined ? named(name) : misplaced("options", name)),
    ...(ifMatch !== undefined && { ifMatch }),
  };
  return [values, { signal, timeoutSeconds, idempotencyKey }];

  // A member named like a positional argument must not take its place.
  function named(name: string): string {
    return names.includes(name) ? misplaced("options", name) : name;
  }
}

function isRequestOption(name: string): boolean {
  return REQUEST_OPTIONS.some((option) => option === name);
}

function renameKeys(object: Record<string, unknown>, rename: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [rename(name), value]));
}
